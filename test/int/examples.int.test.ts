import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.js';
import { startProgram, startProofline, startTs, stopPrograms, type Program } from '../support/programs.js';
import { closeScriptedModels, openScriptedModel } from '../support/scripted-model.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait.js';

/**
 * The examples as a newcomer runs them: one line, agents of every kind, a publisher. Each agent gets evidence, hands in
 * a forged report, reads why it came back, and hands in a true one.
 */

const SLOW_MS = 120_000;
const folder = tempFolder();
const reports = join(folder, 'reports');
let env: Record<string, string>;
let url: string;
let publisher: Program;

beforeAll(async () => {
  const model = await openScriptedModel();
  const dev = startProofline(
    '--data',
    join(folder, 'data'),
    '--json',
    'dev',
    '--docs',
    'examples/docs',
    '--port',
    '0',
  );
  url = (JSON.parse(await dev.prints(/^\{.*\}$/m)) as { url: string }).url;
  env = { PROOFLINE_URL: url, OPENAI_BASE_URL: model.url };
  publisher = startTs('examples/publisher/main.ts', ['--out', reports], env);
  await publisher.prints(/reports are written to/);
}, SLOW_MS);

afterAll(async () => {
  await stopPrograms();
  await closeScriptedModels();
  removeTempFolders();
}, SLOW_MS);

async function ends(agent: Program): Promise<unknown> {
  expect(await agent.ended, agent.err()).toBe(0);
  expect(agent.err()).toContain('draft: REPAIR\ndraft: PUBLISH');
  return JSON.parse(agent.out());
}

async function publishedReport(runId: string): Promise<string> {
  await publisher.prints(new RegExp(`${runId}: published`));
  return readFileSync(join(reports, `${runId}.md`), 'utf8');
}

describe('an agent that is sent back once', () => {
  it.each(['agent-openai', 'agent-ai-sdk'])(
    'is published: %s',
    async (example) => {
      const agent = startTs(`examples/${example}/main.ts`, [], { ...env, RUN_ID: `run-${example}` });
      expect(await ends(agent)).toEqual({ run_id: `run-${example}`, decision: 'PUBLISH' });
      const report = await publishedReport(`run-${example}`);
      expect(report).toContain(
        '1. Gateway timeout: 504 from the upstream, gateway-timeout-md-cd0a5db9#chunk-1',
      );
      expect(report).not.toContain('order-service-sizing');
    },
    SLOW_MS,
  );

  it(
    'is published: agent-python, with nothing but the standard library',
    async () => {
      const [system, tool] = [join(folder, 'system.json'), join(folder, 'tool.json')];
      for (const [file, ...args] of [
        [system, 'show', 'system', '--json'],
        [tool, 'show', 'lookup_knowledge', '--format', 'openai'],
      ] as const) {
        const prompts = startProofline('prompts', ...args);
        expect(await prompts.ended).toBe(0);
        writeFileSync(file, prompts.out());
      }
      const args = ['examples/agent-python/agent.py', '--system', system, '--tool', tool];
      const agent = startProgram('python3', args, { ...env, RUN_ID: 'run-agent-python' });
      expect(await ends(agent)).toEqual({ run_id: 'run-agent-python', decision: 'PUBLISH' });
      await publishedReport('run-agent-python');
    },
    SLOW_MS,
  );

  it(
    'is published: a client of MCP',
    async () => {
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: ['--import', 'tsx', 'src/cli/main.ts', 'mcp', '--url', url, '--run', 'run-mcp'],
        stderr: 'ignore',
      });
      const client = new Client({ name: 'test', version: '1' });
      await client.connect(transport);
      try {
        const asked = await client.callTool({
          name: 'lookup_knowledge',
          arguments: { query: 'gateway answers 504, is the upstream waiting for a connection' },
        });
        const { tool_call_id: call, evidence } = JSON.parse(textOf(asked)) as {
          tool_call_id: string;
          evidence: { document_id: string }[];
        };
        const [shown] = evidence;
        const forged = await client.callTool({
          name: 'submit_draft',
          arguments: { draft: draft(call, 'invented#chunk-1') },
        });
        expect(forged.isError).toBe(true);
        expect(textOf(forged)).toContain('DOCUMENT_NOT_SHOWN');
        const honest = await client.callTool({
          name: 'submit_draft',
          arguments: { draft: draft(call, shown!.document_id) },
        });
        expect(honest.isError ?? false, textOf(honest)).toBe(false);
      } finally {
        await client.close();
      }
      expect(await publishedReport('run-mcp')).toContain('gateway');
    },
    SLOW_MS,
  );
});

describe('the publisher', () => {
  it('has no report of a run that was given up, and says so', async () => {
    const result = await createClient({ url }).createRun({ runId: 'run-given-up' }).giveUp();
    expect(result.decision).toBe('FALLBACK');
    await publisher.prints(/run-given-up: no report/);
  });

  it(
    'holds exactly the reports of the agents, also after it was started again',
    { timeout: SLOW_MS },
    async () => {
      const expected = ['run-agent-ai-sdk.md', 'run-agent-openai.md', 'run-agent-python.md', 'run-mcp.md'];
      expect(reportsIn(reports)).toEqual(expected);
      await publisher.stop();
      publisher = startTs('examples/publisher/main.ts', ['--out', reports], env);
      const run = createClient({ url }).createRun({ runId: 'run-late' });
      const draftOfNothing = {
        analysis: [],
        conclusion: null,
        action_plan: [],
        limitations: ['Nothing was asked.'],
      };
      expect((await run.submitDraft(draftOfNothing)).decision).toBe('PUBLISH');
      await publisher.prints(/run-late: published/);
      expect(publisher.err()).not.toContain('run-mcp');
      expect(reportsIn(reports)).toEqual([...expected, 'run-late.md'].sort());
    },
  );

  it('writes the same from the beginning, into another folder', { timeout: SLOW_MS }, async () => {
    const others = join(folder, 'others');
    const other = startTs('examples/publisher/main.ts', ['--out', others], env);
    await other.prints(/run-late: published/);
    await waitUntil('all are there', () => reportsIn(others).length === 5);
    for (const name of reportsIn(reports))
      expect(readFileSync(join(others, name), 'utf8')).toBe(readFileSync(join(reports, name), 'utf8'));
  });
});

function reportsIn(directory: string): string[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith('.md'))
    .sort();
}

function textOf(result: Awaited<ReturnType<Client['callTool']>>): string {
  const [first] = result.content as { type: string; text: string }[];
  return first?.text ?? '';
}

function draft(toolCallId: string, documentId: string): Record<string, unknown> {
  return {
    analysis: [
      {
        id: 'a1',
        kind: 'NORMAL',
        text: 'A low upstream_connect_time with a high upstream_header_time means that the upstream took the request and was waiting for something itself, most often for a database connection, a lock or another service.',
        tool_call_ids: [toolCallId],
        document_ids: [documentId],
        quotes: [],
      },
    ],
    conclusion: null,
    action_plan: [],
    limitations: ['Only the runbooks were looked at.'],
  };
}
