import fc from 'fast-check';
import type { Hit } from '../../src/contracts/generated.js';

/** A hit as retrieval brings it; `overrides` say what the test is about. */
export function hitOf(overrides: Partial<Hit> = {}): Hit {
  return {
    evidenceKey: 'gw#chunk-1',
    documentId: 'gw',
    chunkIndex: 1,
    content: 'Check the upstream first.',
    score: 0.9,
    scoreLabel: 'rerank',
    originalRank: 1,
    attempt: 'UNFILTERED_VECTOR',
    source: 'gw.md',
    title: 'Gateway',
    breadcrumb: 'Gateway > Steps',
    sourceUri: null,
    pageNumber: null,
    sectionTitle: null,
    ...overrides,
  };
}

/** Texts that are hard to cut and to encode: graphemes of many units, escapes, lone surrogates, blanks. */
export const hardTexts = fc.oneof(
  fc
    .array(
      fc.constantFrom(
        ...['a', '网', ' ', '\n', '"', '\\', '\u0000', '\u2028', 'e\u0301', '\u0301', '👩‍👩‍👧', '🇩🇪', '🇩', '🏽'],
        ...[
          '\u200b',
          '\ud800',
          '\udc00',
          '[S1]',
          '#chunk-3',
          '"evidence_status":',
          '网关超时',
          'क्षि',
          '\r\n',
        ],
      ),
      { maxLength: 40 },
    )
    .map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 40 }),
);

/** Few keys, documents, texts and ranks, so that every rule of governance applies often. */
export const governableHits = fc
  .array(
    fc.record({
      document: fc.constantFrom('a', 'b', 'c', 'd'),
      chunk: fc.nat(3),
      content: fc.constantFrom('', ' \u200b', 'text', 'other text', '网关超时'),
      score: fc.option(fc.double({ noNaN: false }), { freq: 4 }),
      scoreLabel: fc.constantFrom('rerank', 'rerank', 'vector', null),
      originalRank: fc.option(fc.integer({ min: 1, max: 12 }), { freq: 6 }),
      attempt: fc.constantFrom('UNFILTERED_VECTOR', 'FILTERED_VECTOR', null),
    }),
    { maxLength: 25 },
  )
  .map((list) =>
    list.map(({ document, chunk, ...fields }) =>
      hitOf({
        ...fields,
        evidenceKey: `${document}#chunk-${chunk}`,
        documentId: document,
        chunkIndex: chunk,
      }),
    ),
  );
