import { afterEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/contracts/json.js';
import { closeGateways, openTestGateway, type TestGateway } from '../support/gateway.js';
import { hitOf } from '../support/evidence.js';
import { hits, scripted } from '../support/line-search.js';
import { removeTempFolders } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait.js';

afterEach(async () => {
  await closeGateways();
  removeTempFolders();
});

const RUN = '/v1/runs/run-1';
const RECORD = { accept: 'application/vnd.proofline.lookup+json' };
const question = { tool_call_id: 'call-1', query: 'gateway timeout' };

/** Three hits of which one is blank and one comes twice. */
const search = () =>
  scripted(() =>
    hits(
      [
        hitOf({ evidenceKey: 'gw#chunk-0', originalRank: 1, content: 'Check the upstream.', score: 0.9 }),
        hitOf({ evidenceKey: 'gw#chunk-1', originalRank: 2, content: ' ', score: 0.8 }),
        hitOf({ evidenceKey: 'gw#chunk-0', originalRank: 3, content: 'Check the upstream.', score: 0.7 }),
      ],
      { mode: 'hybrid', rerank_model: 'bge' },
    ),
  );

interface TraceJson {
  readonly trace?: JsonObject & {
    retrieved_hits: JsonObject[];
    reranked_hits: JsonObject[];
    durations: Record<string, number | null>;
  };
}

describe('the trace of a lookup', () => {
  test('comes with the record, where it is asked for: every hit and what became of it', async () => {
    const { post } = await openTestGateway({ search: search() });
    const { json } = await post(`${RUN}/lookups`, { ...question, include_trace: true }, RECORD);
    const { trace } = json as TraceJson;
    expect(trace).toMatchObject({
      tool_call_id: 'call-1',
      outcome: 'READY',
      query: 'gateway timeout',
      mode: 'hybrid',
      top_k: 10,
      query_plan: null,
      retrieval_trace: { rerank_model: 'bge' },
      left_out: { retrieved: 0, reranked: 0 },
    });
    expect(trace?.retrieved_hits).toEqual([
      expect.objectContaining({ evidence_key: 'gw#chunk-0', original_rank: 1, score: 0.9 }),
      expect.objectContaining({ evidence_key: 'gw#chunk-1', original_rank: 2 }),
      expect.objectContaining({ evidence_key: 'gw#chunk-0', original_rank: 3 }),
    ]);
    expect(
      trace?.reranked_hits.map(({ original_rank, final_rank, dropped }) => [
        original_rank,
        final_rank,
        dropped,
      ]),
    ).toEqual([
      [1, 1, null],
      [2, null, 'BLANK'],
      [3, null, 'DUPLICATE'],
    ]);
    const { durations } = trace!;
    expect(Object.keys(durations)).toEqual([
      'plan',
      'retrieve',
      'postprocess',
      'project',
      'assemble',
      'total',
    ]);
    for (const stage of ['retrieve', 'postprocess', 'project', 'total'])
      expect(durations[stage]).toBeGreaterThanOrEqual(0);
    expect(JSON.stringify(trace)).not.toContain('Check the upstream');
  });

  test('is never in the agent view, and not in the record unasked', async () => {
    const { post, get } = await openTestGateway({ search: search() });
    const view = await post(`${RUN}/lookups`, { ...question, include_trace: true });
    expect(view.text).not.toContain('reranked_hits');
    const record = await post(`${RUN}/lookups`, question, RECORD);
    expect(record.json).not.toHaveProperty('trace');
    const asked = await get(`${RUN}/lookups/call-1?include_trace=true`, RECORD);
    expect(asked.json).toMatchObject({ trace: { tool_call_id: 'call-1' } });
    expect((await get(`${RUN}/lookups/call-1`, RECORD)).json).not.toHaveProperty('trace');
    expect((await get(`${RUN}/lookups/call-1?include_trace=perhaps`, RECORD)).status).toBe(422);
  });
});

async function traceOf({ get }: TestGateway): Promise<JsonObject> {
  return waitUntil('the audit knows the run', async () => {
    const { status, json } = await get(`${RUN}/trace`);
    return status === 200 ? json : null;
  });
}

const usage = {
  draft_id: 'draft-1',
  provider: 'example',
  model: 'm-1',
  request_id: 'req-1',
  input_tokens: 120,
  output_tokens: 30,
  cost: '0.0042',
  currency: 'USD',
};

describe('what a generation used', () => {
  test('given it is filled in, the last one of the draft counts, and the same again is none more', async () => {
    const gateway = await openTestGateway();
    const { post, line } = gateway;
    const recorded = async (count: number): Promise<void> => {
      await waitUntil(`the audit has ${count}`, async () => {
        const { invocations } = await line.audit.trail('run-1');
        return invocations.filter(({ kind }) => kind === 'GENERATION_USAGE').length === count;
      });
    };
    const first = await post(`${RUN}/trace`, usage);
    expect(first).toMatchObject({ status: 200, json: { draft_id: 'draft-1', repeat: false } });
    await recorded(1);
    expect(await post(`${RUN}/trace`, usage)).toMatchObject({
      json: { event_id: first.json['event_id'], repeat: true },
    });
    await post(`${RUN}/trace`, { ...usage, cost: '0.0050' });
    await recorded(2);
    expect(await traceOf(gateway)).toMatchObject({
      generations: [{ draft_id: 'draft-1', source: 'REPORTED', cost: '0.0050', model: 'm-1' }],
    });
    const back = await post(`${RUN}/trace`, usage);
    expect(back.json).toMatchObject({ repeat: false });
    await recorded(3);
    expect(await traceOf(gateway)).toMatchObject({ generations: [{ cost: '0.0042' }] });
  });

  test('given the same from two at once before the audit has either, it is one event', async () => {
    const { post } = await openTestGateway();
    const answers = await Promise.all([post(`${RUN}/trace`, usage), post(`${RUN}/trace`, usage)]);
    expect(new Set(answers.map(({ json }) => json['event_id'])).size).toBe(1);
  });

  test.each<[string, object]>([
    ['no draft', { draft_id: undefined }],
    ['an id that is none', { draft_id: 'a b' }],
    ['the reserved draft', { draft_id: 'given-up' }],
    ['a cost in binary fractions', { cost: 0.0042 }],
    ['a cost that is no number', { cost: '1e5' }],
    ['a negative count', { input_tokens: -1 }],
    ['a count beyond 32 bits', { total_tokens: 2 ** 31 }],
    ['a currency that is none', { currency: 'dollars' }],
    ['a name without end', { model: 'm'.repeat(257) }],
    ['a field that nobody knows', { price: '1' }],
  ])('given %s, it is refused', async (_, change) => {
    const { post } = await openTestGateway();
    const { status, json } = await post(`${RUN}/trace`, { ...usage, ...change });
    expect(status).toBe(422);
    expect(['PL_INPUT_INVALID', 'PL_ID_INVALID']).toContain(json['code']);
  });

  test('given nothing that was used, or a body without end, it is refused', async () => {
    const { post } = await openTestGateway();
    expect((await post(`${RUN}/trace`, { draft_id: 'draft-1' })).status).toBe(422);
    const large = await post(`${RUN}/trace`, { ...usage, model: 'm'.repeat(20_000) });
    expect(large).toMatchObject({ status: 413, json: { code: 'PL_BODY_TOO_LARGE' } });
  });
});

describe('the trace of a run', () => {
  test('has its lookups and its contexts', async () => {
    const gateway = await openTestGateway({ search: search() });
    const { post } = gateway;
    await post(`${RUN}/lookups`, question);
    const { json: context } = await post(`${RUN}/contexts`, { query: 'why?', tool_call_ids: ['call-1'] });
    const trace = await waitUntil('the context is kept', async () => {
      const json = await traceOf(gateway);
      return (json['contexts'] as unknown[]).length > 0 ? json : null;
    });
    expect(trace).toMatchObject({
      run_id: 'run-1',
      lookups: [{ tool_call_id: 'call-1', outcome: 'READY' }],
      contexts: [{ context_id: context['context_id'], text_sha256: context['text_sha256'] }],
      generations: [],
      judgements: [],
      truncated: false,
    });
    const [lookup] = trace['lookups'] as { durations: Record<string, number | null> }[];
    expect(lookup?.durations['assemble']).toBeGreaterThanOrEqual(0);
  });

  test('of a run that nobody knows is not found', async () => {
    const { get } = await openTestGateway();
    expect(await get('/v1/runs/nobody/trace')).toMatchObject({ status: 404, json: { code: 'PL_NOT_FOUND' } });
    expect((await get('/v1/runs/a%20b/trace')).status).toBe(422);
  });
});
