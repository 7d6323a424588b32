import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sha256 } from '../../src/contracts/digest.js';
import { requestSha256 } from '../../src/contracts/ids.js';
import { blocksSha256, signedText } from '../../src/ledger/signing.js';

/** What is digested and signed is written out by hand, for speed: it must be what RFC 8785 says, byte for byte. */

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }).filter((value) => value.isWellFormed()),
  fc.constantFrom('', '\0', '\u2028', '"\\\b\f\n\r\t\u001f\u007f', '网关😀'),
);

const entry = fc.record({
  runId: text,
  toolCallId: text,
  state: fc.constantFrom('PENDING' as const, 'READY' as const, 'FAILED' as const),
  requestEventId: text,
  agentViewSha256: fc.option(text),
  blocks: fc.array(fc.record({ documentId: text, content: text }), { maxLength: 3 }),
  dropped: fc.array(
    fc.record({
      evidenceKey: text,
      documentId: text,
      originalRank: fc.option(fc.integer()),
      reason: text,
    }),
    { maxLength: 3 },
  ),
  cuts: fc.array(fc.record({ code: text, documentId: fc.option(text) }), { maxLength: 3 }),
  expiresAt: fc.option(fc.integer({ min: -8.64e15, max: 8.64e15 })),
});

test('the signed text of any entry is canonical JSON', () => {
  fc.assert(
    fc.property(entry, (given) => {
      const blocks = canonicalize({
        blocks: given.blocks.map(({ documentId, content }) => ({ document_id: documentId, content })),
        dropped: given.dropped.map(({ evidenceKey, documentId, originalRank, reason }) => ({
          evidence_key: evidenceKey,
          document_id: documentId,
          original_rank: originalRank,
          reason,
        })),
        cuts: given.cuts.map(({ code, documentId }) => ({ code, document_id: documentId })),
      });
      const digest = sha256(blocks ?? '');
      expect(blocksSha256(given)).toBe(digest);
      const signed = canonicalize({
        run_id: given.runId,
        tool_call_id: given.toolCallId,
        state: given.state,
        request_event_id: given.requestEventId,
        agent_view_sha256: given.agentViewSha256,
        blocks_sha256: digest,
        expires_at: given.expiresAt === null ? null : new Date(given.expiresAt).toISOString(),
      });
      expect(signedText(given)).toBe(`proofline-ledger-v1\n${signed ?? ''}`);
    }),
    { numRuns: 500 },
  );
});

test.each(['runId', 'toolCallId', 'requestEventId', 'agentViewSha256', 'state'] as const)(
  'there is no signed text where %s holds half a character',
  (field) => {
    const [given] = fc.sample(entry, { numRuns: 1, seed: 3 });
    expect(() => signedText({ ...given, [field]: '\ud83d' } as never)).toThrow('lone surrogate');
  },
);

test('request_sha256 is of the canonical JSON of the request', () => {
  const filters = fc
    .jsonValue({ stringUnit: 'binary', maxDepth: 3 })
    .filter((value) => !/\\ud[89a-f]/i.test(JSON.stringify(value)));
  fc.assert(
    fc.property(text, text, text, filters, fc.integer(), (toolName, query, mode, given, topK) => {
      const json = canonicalize({ tool_name: toolName, query, mode, filters: given, top_k: topK });
      expect(requestSha256(sha256, { toolName, query, mode, filters: given, topK })).toBe(sha256(json ?? ''));
    }),
    { numRuns: 500 },
  );
});

test.each([
  ['half a character', { query: '\udc00' }],
  ['a number that JSON does not have', { topK: Infinity }],
  ['a filter that JSON does not have', { filters: { since: NaN } }],
  ['no filters at all', { filters: undefined }],
])('a request with %s has no digest', (_name, wrong) => {
  const request = {
    toolName: 'lookup_knowledge',
    query: 'q',
    mode: 'hybrid',
    filters: {},
    topK: 5,
    ...wrong,
  };
  expect(() => requestSha256(sha256, request)).toThrow();
});
