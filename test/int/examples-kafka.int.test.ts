import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { runAgent } from '../../examples/agent-openai/agent.js';
import { createClient } from '../../src/client/index.js';
import { describeKafkaLine, kafkaLineMissing } from '../support/kafka-line-suite.js';
import { startTs, stopPrograms, type Program } from '../support/programs.js';
import { closeScriptedModels, openScriptedModel } from '../support/scripted-model.js';
import { tempFolder } from '../support/temp-folder.js';

/** The examples over a line in Kafka: two processes of `proofline up`, of which one is killed while an agent works. */

const missing = await kafkaLineMissing();
const SLOW_MS = 240_000;

describeKafkaLine(
  'the examples over a line in Kafka',
  {},
  (suite) => {
    afterEach(async () => {
      await stopPrograms();
      await closeScriptedModels();
    }, 60_000);

    async function startUp(env: Readonly<Record<string, string>>): Promise<{ up: Program; url: string }> {
      const own = { ...env, PROOFLINE_HTTP_PORT: '0', PROOFLINE_DATA: tempFolder() };
      const up = startTs('src/cli/main.ts', ['--json', 'up', '--docs', 'examples/docs'], own);
      return { up, url: await up.prints(/"address":"([^"]+)"/) };
    }

    test(
      'given that the process which was asked is killed, the report is published once, by every publisher',
      { timeout: SLOW_MS },
      async () => {
        const { env } = await suite.line();
        const [first, second] = await Promise.all([startUp(env), startUp(env)]);
        const [byHttp, byKafka] = [join(tempFolder(), 'http'), join(tempFolder(), 'kafka')];
        const publishers = [
          startTs('examples/publisher/main.ts', ['--out', byHttp], { ...env, PROOFLINE_URL: second.url }),
          startTs('examples/publisher/main.ts', ['--out', byKafka, '--kafka'], env),
        ];

        let alive = first.url;
        // What a load balancer does.
        const fetchAlive: typeof fetch = (input, init) => {
          const { pathname, search } = new URL(input instanceof Request ? input.url : input);
          return fetch(`${alive}${pathname}${search}`, init);
        };
        const run = createClient({ url: first.url, fetch: fetchAlive }).createRun({ runId: 'run-1' });
        const killedAfterTheFirst = {
          ...run,
          async lookup(...asked: Parameters<typeof run.lookup>) {
            const result = await run.lookup(asked[0], { ...asked[1], waitMs: 90_000 });
            if (alive === first.url) {
              alive = second.url;
              await first.up.stop('SIGKILL');
            }
            return result;
          },
        };
        const { url: baseUrl } = await openScriptedModel();
        const result = await runAgent({
          run: killedAfterTheFirst,
          model: { baseUrl, apiKey: undefined, model: 'scripted' },
          question: 'The gateway answers 504. Why?',
        });
        expect(result.decision).toBe('PUBLISH');

        for (const publisher of publishers) await publisher.prints(/run-1: published/);
        for (const folder of [byHttp, byKafka])
          expect(readdirSync(folder).filter((name) => name.endsWith('.md'))).toEqual(['run-1.md']);
        expect(readFileSync(join(byKafka, 'run-1.md'), 'utf8')).toBe(
          readFileSync(join(byHttp, 'run-1.md'), 'utf8'),
        );
        for (const publisher of publishers) expect(await publisher.stop()).toBe(0);
      },
    );
  },
  missing,
);
