import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sha256 } from '../../src/contracts/digest.js';
import { closeGateways, openTestGateway, type Answer, type TestGateway } from '../support/gateway.js';
import { hitOf } from '../support/evidence.js';
import { hits, scripted } from '../support/line-search.js';
import { removeTempFolders } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait.js';

let gateway: TestGateway;

const CONTEXTS = '/v1/runs/run-1/contexts';

/** A run with a lookup of two documents. */
beforeEach(async () => {
  const search = scripted(() =>
    hits([
      hitOf({ documentId: 'gw', evidenceKey: 'gw#chunk-0', content: '先检查上游。' }),
      hitOf({
        documentId: 'db',
        evidenceKey: 'db#chunk-0',
        originalRank: 2,
        content: 'Then restart the pool.',
      }),
    ]),
  );
  gateway = await openTestGateway({ search });
  await gateway.post('/v1/runs/run-1/lookups', { tool_call_id: 'call-1', query: 'gateway timeout' });
});

afterEach(async () => {
  await closeGateways();
  removeTempFolders();
});

interface ContextJson {
  readonly context_id: string;
  readonly text: string;
  readonly text_sha256: string;
  readonly citations: readonly { citation_id: string; snippet: string; start: number; end: number }[];
}

const asked = { query: 'why?', tool_call_ids: ['call-1'] };
const ask = (body: object = {}): Promise<Answer> => gateway.post(CONTEXTS, { ...asked, ...body });
const contextOf = ({ json }: Answer): ContextJson => json as unknown as ContextJson;

describe('a context over HTTP', () => {
  test('is recorded before it is sent, with places that slice it', async () => {
    const answer = await ask();
    expect(answer.status).toBe(200);
    const context = contextOf(answer);
    expect(context.text_sha256).toBe(sha256(context.text));
    expect(context.citations.map(({ citation_id }) => citation_id)).toEqual(['S1', 'S2']);
    for (const { snippet, start, end } of context.citations)
      expect(context.text.slice(start, end)).toBe(snippet);
    await waitUntil('the record is kept', async () => {
      const { invocations } = await gateway.line.audit.trail('run-1');
      return invocations.some(({ factsJson }) => factsJson.includes(context.context_id));
    });
  });

  test('keeps to its budget and its form', async () => {
    const { text } = contextOf(await ask({ budget: { tokens: 8, encoding: 'o200k_base' } }));
    expect(text).not.toContain('restart');
    const plain = contextOf(await ask({ include_citations: false, delimiter: '\n---\n' }));
    expect(plain.text).toBe('先检查上游。\n---\nThen restart the pool.');
  });

  test('given the packed text, it is recorded the same way', async () => {
    const packed = contextOf(await ask({ packed: true }));
    expect(packed.text).toContain('[Evidence 1]\nsource: gw.md\n');
    for (const { snippet, start, end } of packed.citations)
      expect(packed.text.slice(start, end)).toBe(snippet);
    const { json } = await gateway.get(`${CONTEXTS}/${packed.context_id}`);
    expect(json).toMatchObject({ text: packed.text, gone: null });
  });

  test.each<[string, object]>([
    ['labels and a delimiter', { include_citations: false, delimiter: '\n---\n' }],
    ['a budget', { budget: { tokens: 12, model: 'gpt-4o-mini' } }],
    ['nothing', {}],
  ])('given %s, its text is made again from the ledger', async (_, body) => {
    const context = contextOf(await ask(body));
    const { status, json } = await gateway.get(`${CONTEXTS}/${context.context_id}`);
    expect(status).toBe(200);
    expect(json).toEqual({ ...context, gone: null });
  });

  test('binds an answer to its sources, in the unit that is asked for', async () => {
    const context = contextOf(await ask());
    const answer = '先查上游 [1]. The disk is full [7].';
    const { status, json } = await gateway.post(`${CONTEXTS}/${context.context_id}/spans`, {
      answer,
      unit: 'utf8_bytes',
    });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      context_id: context.context_id,
      unit: 'utf8_bytes',
      claims: [
        { start: 0, citations: ['S1'], needs_citation: false },
        { unknown: [{ text: '[7]' }], needs_citation: true },
      ],
    });
  });

  test.each<[string, object, number, string]>([
    ['a lookup that the run does not have', { tool_call_ids: ['call-9'] }, 409, 'PL_CONTEXT_REFUSED'],
    ['no lookup', { tool_call_ids: [] }, 422, 'PL_INPUT_INVALID'],
    ['too many', { tool_call_ids: Array(129).fill('call-1') }, 422, 'PL_INPUT_INVALID'],
    ['an empty budget', { budget: { tokens: 0 } }, 422, 'PL_INPUT_INVALID'],
    ['an encoding that is none', { budget: { tokens: 5, encoding: 'x' } }, 422, 'PL_INPUT_INVALID'],
    ['two forms', { packed: true, budget: { tokens: 5 } }, 422, 'PL_INPUT_INVALID'],
    ['a question without end', { query: 'q'.repeat(20_001) }, 422, 'PL_INPUT_INVALID'],
    ['a body without end', { query: 'q'.repeat(600_000) }, 413, 'PL_BODY_TOO_LARGE'],
    ['a field that nobody knows', { assembler: 'x' }, 422, 'PL_INPUT_INVALID'],
  ])('given %s, it is refused', async (_, body, status, code) => {
    expect(await ask(body)).toMatchObject({ status, json: { code } });
  });

  test('that nobody made is not found', async () => {
    expect(await gateway.get(`${CONTEXTS}/${'0'.repeat(32)}`)).toMatchObject({
      status: 404,
      json: { code: 'PL_NOT_FOUND' },
    });
    expect((await gateway.get(`${CONTEXTS}/x`)).status).toBe(422);
  });

  test('given an answer without end, it is refused', async () => {
    const { context_id: id } = contextOf(await ask());
    const answer = await gateway.post(`${CONTEXTS}/${id}/spans`, { answer: 'a'.repeat(1024 * 1024 + 1) });
    expect(answer).toMatchObject({ status: 422, json: { code: 'PL_INPUT_INVALID' } });
    const body = await gateway.post(`${CONTEXTS}/${id}/spans`, { answer: 'a'.repeat(7 * 1024 * 1024) });
    expect(body.status).toBe(413);
  });
});
