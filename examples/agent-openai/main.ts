import { createClient } from 'proofline/client';
import { runAgent } from './agent.js';

const { env } = process;
const question = process.argv[2] ?? 'The gateway answers 504. What is the cause, and what should be done?';

const client = createClient({
  url: env['PROOFLINE_URL'] ?? 'http://127.0.0.1:8080',
  ...(env['PROOFLINE_TOKEN'] === undefined ? {} : { token: env['PROOFLINE_TOKEN'] }),
});
const run = client.createRun(env['RUN_ID'] === undefined ? {} : { runId: env['RUN_ID'] });

const result = await runAgent({
  run,
  question,
  model: {
    baseUrl: env['OPENAI_BASE_URL'] ?? 'https://api.openai.com/v1',
    apiKey: env['OPENAI_API_KEY'],
    model: env['OPENAI_MODEL'] ?? 'gpt-5-mini',
  },
  language: env['AGENT_LANGUAGE'] === 'zh' ? 'zh' : 'en',
  say: (line) => void process.stderr.write(`${line}\n`),
});
process.stdout.write(`${JSON.stringify({ run_id: run.runId, decision: result.decision })}\n`);
if (result.decision !== 'PUBLISH') process.exitCode = 1;
