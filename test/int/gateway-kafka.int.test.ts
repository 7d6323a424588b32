import { afterEach, expect, test } from 'vitest';
import { answerOf, type Answer } from '../support/gateway.js';
import { endGateways, startGateway, type GatewayProcess } from '../support/gateway-process.js';
import { describeKafkaLine, kafkaLineMissing } from '../support/kafka-line-suite.js';
import { trueDraft } from '../support/line-drafts.js';

const missing = await kafkaLineMissing();

/** A plan's first question; the retriever of the tests' processes knows it. */
const question = { tool_call_id: 'call-0', query: 'problem 1' };
const LOOKUPS = '/v1/runs/run-1/lookups';
const DRAFTS = '/v1/runs/run-1/drafts';

function post({ url }: GatewayProcess, path: string, body: object): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  return answerOf(fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) }));
}

function get({ url }: GatewayProcess, path: string): Promise<Answer> {
  return answerOf(fetch(`${url}${path}`));
}

describeKafkaLine(
  'gateways before a line in Kafka',
  {},
  (suite) => {
    afterEach(endGateways);

    test('given two processes and the one that was asked dies, the other answers, with the same bytes', async () => {
      const line = await suite.line();
      const [first, second] = await Promise.all([startGateway(line.env), startGateway(line.env)]);
      // Nobody works yet: both are asked, and wait.
      const pending = await post(first, `${LOOKUPS}?wait=0`, question);
      expect(pending.status).toBe(202);
      const lost = post(first, `${LOOKUPS}?wait=60`, question).catch(() => 'lost');
      expect((await get(second, `${LOOKUPS}/call-0?wait=0`)).status).toBe(202);
      first.kill('SIGKILL');
      expect(await lost).toBe('lost');
      await line.run();
      const answer = await get(second, `${LOOKUPS}/call-0?wait=60`);
      expect(answer).toMatchObject({ status: 200, json: { tool_call_id: 'call-0' } });
      // Before the answer is everywhere, who asks again may be given the first one itself.
      await line.rested();
      const again = await post(second, `${LOOKUPS}?wait=60`, question);
      expect([again.text, again.headers.get('proofline-repeat')]).toEqual([answer.text, 'true']);

      const draft = {
        draft_id: 'draft-1',
        draft_json: trueDraft([{ toolCallId: 'call-0', query: 'problem 1' }]),
      };
      const third = await startGateway(line.env);
      expect((await post(third, `${DRAFTS}?wait=0`, draft)).status).toBe(202);
      third.kill('SIGKILL');
      const judged = await get(second, `${DRAFTS}/draft-1?wait=60`);
      expect(judged).toMatchObject({
        status: 200,
        json: { decision: 'PUBLISH', verified: { outcome: 'VERIFIED' } },
      });
      expect((await get(second, `${LOOKUPS}/never-asked?wait=0`)).status).toBe(404);
      second.kill('SIGTERM');
      expect(await second.exited).toBe(0);
    }, 180_000);
  },
  missing,
);
