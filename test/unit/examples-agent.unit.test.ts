import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { runAgent as runAiSdk } from '../../examples/agent-ai-sdk/agent.js';
import { runAgent } from '../../examples/agent-openai/agent.js';
import { createClient } from '../../src/client/index.js';
import { promptRefOf, systemPrompt } from '../../src/prompts/kit.js';
import {
  closeScriptedGateways,
  json,
  openScriptedGateway,
  pending,
  problem,
  type Answer,
  type ScriptedGateway,
} from '../support/client-gateway.js';
import { closeScriptedModels, openScriptedModel } from '../support/scripted-model.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';

afterEach(async () => {
  await closeScriptedGateways();
  await closeScriptedModels();
  removeTempFolders();
});

const record = { event_id: 'e'.repeat(32), run_id: 'run-1' };
const held = json(200, { decision: 'HOLD', verdict: record, reviewed: record });
const stop = problem(409, 'PL_STOP_REQUIRED', { text: { zh: '停', en: 'Hand in now.' } });

/** A model that makes this call and then hands an empty report in. */
function modelThatCalls(call: { id: string; name: string; arguments: Record<string, unknown> }) {
  const folder = tempFolder();
  const script = join(folder, 'script.json');
  writeFileSync(join(folder, 'draft.json'), '{"analysis":[]}');
  const turns = [
    { when: '', tool_calls: [call] },
    { when: '', content_file: 'draft.json' },
  ];
  writeFileSync(script, JSON.stringify({ model: 'm', turns }));
  return openScriptedModel(script);
}

async function play(gateway: ScriptedGateway, call: Parameters<typeof modelThatCalls>[0], agent = runAgent) {
  const model = await modelThatCalls(call);
  const run = createClient({ url: gateway.url, retry: { retries: 0 } }).createRun({ runId: 'run-1' });
  const options = { baseUrl: model.url, apiKey: 'key', model: 'm' };
  const result = await agent({ run, question: 'Why?', model: options });
  const told = model.requests[1]?.messages.at(-1);
  return { result, told: told?.content };
}

const lookup = { id: 'call_1', name: 'lookup_knowledge', arguments: { query: 'q' } };

describe.each([
  ['agent-openai', runAgent],
  ['agent-ai-sdk', runAiSdk],
])('the agent %s', (_, agent) => {
  it.each<[string, Answer, string]>([
    ['is to stop', stop, 'Hand in now.'],
    ['failed for good', problem(424, 'PL_RETRIEVAL_FAILED'), 'cannot be cited'],
  ])('tells the model that a lookup %s', async (_case, answer, says) => {
    const gateway = await openScriptedGateway();
    gateway.answer(answer, held);
    const { result, told } = await play(gateway, lookup, agent);
    expect(told).toContain(says);
    expect(result.decision).toBe('HOLD');
  });

  it('says of a draft which prompt the model was given, and what it took', async () => {
    const gateway = await openScriptedGateway();
    gateway.answer(stop, held);
    await play(gateway, lookup, agent);
    expect(gateway.requests[1]?.body).toMatchObject({
      draft_json: '{"analysis":[]}',
      attempt: 1,
      prompt: promptRefOf(systemPrompt('en')),
      generation: { model: 'm' },
    });
  });
});

describe('the agent agent-openai', () => {
  it('asks under an id of its own when the model names none that the line takes', async () => {
    const gateway = await openScriptedGateway();
    gateway.answer(stop, held);
    await play(gateway, { ...lookup, id: 'call/1 ' });
    expect(gateway.requests[0]?.body?.['tool_call_id']).toMatch(/^call-[0-9a-f]{32}$/);
  });

  it('tells a model that calls something else what there is', async () => {
    const gateway = await openScriptedGateway();
    gateway.answer(held);
    const { told } = await play(gateway, { ...lookup, name: 'delete_everything' });
    expect(told).toContain('There is one tool');
    expect(gateway.requests).toHaveLength(1);
  });

  it('ends when the report is not judged in time', async () => {
    const gateway = await openScriptedGateway();
    gateway.answer(stop, pending);
    const model = await modelThatCalls(lookup);
    const run = createClient({ url: gateway.url }).createRun({ runId: 'run-1' });
    const impatient = { ...run, submitDraft: (draft: unknown) => run.submitDraft(draft, { waitMs: 0 }) };
    const options = { baseUrl: model.url, apiKey: undefined, model: 'm' };
    const result = await runAgent({ run: impatient, question: 'Why?', model: options });
    expect(result.decision).toBe('PENDING');
  });
});

describe('the scripted model', () => {
  it('says what it expected to be told when it was told something else', async () => {
    const model = await openScriptedModel();
    const ask = (body: unknown) =>
      fetch(`${model.url}/chat/completions`, { method: 'POST', body: JSON.stringify(body) });
    const answer = await ask({ messages: [{ role: 'user', content: 'Hello' }] });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('turn 1 answers to 504');
    expect((await ask({ messages: [] })).status).toBe(400);
    expect((await ask('no request')).status).toBe(400);
  });

  it('mends its report only when it is told what is wrong with it', async () => {
    const model = await openScriptedModel();
    const said = [
      { role: 'user', content: '504' },
      { role: 'assistant', content: null },
      { role: 'tool', content: '{"evidence_status":"EVIDENCE_FOUND"}' },
      { role: 'assistant', content: 'forged' },
    ];
    const ask = async (content: string) => {
      const body = JSON.stringify({ messages: [...said, { role: 'user', content }] });
      return (await fetch(`${model.url}/chat/completions`, { method: 'POST', body })).status;
    };
    expect(await ask('Try again.')).toBe(400);
    expect(await ask('TOOL_CALL_UNKNOWN at /analysis/1/tool_call_ids/0')).toBe(200);
  });
});
