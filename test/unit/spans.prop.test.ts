import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bindAnswer, type AnswerContext } from '../../src/spans/bind-answer.js';
import { cutClaims, type RawClaim } from '../../src/spans/cut-claims.js';
import { markerAt } from '../../src/spans/marker.js';
import { hardTexts } from '../support/evidence.js';

const parts = fc.constantFrom(
  ...[
    'The pool',
    ' is full',
    '.',
    '. ',
    '!',
    '?!',
    '...',
    '。',
    '！',
    '\n',
    '\r\n',
    '\n\n',
    '- ',
    '1. ',
    'e.g. ',
    'J. ',
  ],
  ...[
    '[1]',
    '[S2]',
    '【3】',
    '［4］',
    '[1, 9]',
    '[2-3]',
    '[ID:0]',
    '[',
    ']',
    '[x]',
    '`',
    '```',
    '\n```\n',
    '```md\n',
  ],
  ...['网关超时', '，', '😀', '”', ')', '#', ':', '：', ' ', '\t', '\u3000', 'no', '不知道'],
);
const answers = fc.oneof(
  fc.array(parts, { maxLength: 40 }).map((list) => list.join('')),
  hardTexts,
);
const context: AnswerContext = {
  citations: [1, 2, 3, 4].map((number) => ({ citationId: `S${number}`, snippet: `passage ${number}` })),
};

function claimsOf(text: string): RawClaim[] {
  const claims: RawClaim[] = [];
  cutClaims(text, (claim) => claims.push(claim) > 0);
  return claims;
}

test('claims stand in order, apart, and hold every visible character', () => {
  fc.assert(
    fc.property(answers, (text) => {
      let at = 0;
      for (const { start, end } of claimsOf(text)) {
        expect(start).toBeGreaterThanOrEqual(at);
        expect(end).toBeGreaterThan(start);
        expect(
          text
            .slice(at, start)
            .replace(/[\u0000-\u001f]/g, '')
            .trim(),
        ).toBe('');
        at = end;
      }
      expect(
        text
          .slice(at)
          .replace(/[\u0000-\u001f]/g, '')
          .trim(),
      ).toBe('');
    }),
    { numRuns: 3000 },
  );
});

test('a marker is in one claim, whole, and is one by the grammar', () => {
  fc.assert(
    fc.property(answers, (text) => {
      const seen = new Set<number>();
      for (const { start, end, markers } of claimsOf(text))
        for (const marker of markers) {
          expect(marker.start).toBeGreaterThanOrEqual(start);
          expect(marker.end).toBeLessThanOrEqual(end);
          expect(markerAt(text, marker.start)).toEqual(marker);
          expect(seen.has(marker.start)).toBe(false);
          seen.add(marker.start);
        }
    }),
    { numRuns: 3000 },
  );
});

test('only sources that there are are cited, and what cites none and states something needs one', () => {
  fc.assert(
    fc.property(answers, (text) => {
      for (const { kind, citations, needsCitation } of bindAnswer(text, context).claims) {
        expect(new Set(citations).size).toBe(citations.length);
        for (const id of citations) expect(['S1', 'S2', 'S3', 'S4']).toContain(id);
        expect(needsCitation).toBe(kind === 'STATEMENT' && citations.length === 0);
      }
    }),
    { numRuns: 2000 },
  );
});

test('places of every unit slice the same claims', () => {
  fc.assert(
    fc.property(answers, (answer) => {
      const text = answer.toWellFormed();
      const points = Array.from(text);
      const bytes = Buffer.from(text, 'utf8');
      const whole = bindAnswer(text, context).claims.map(({ start, end }) => text.slice(start, end));
      const byPoints = bindAnswer(text, context, { unit: 'code_points' }).claims;
      const byBytes = bindAnswer(text, context, { unit: 'utf8_bytes' }).claims;
      expect(byPoints.map(({ start, end }) => points.slice(start, end).join(''))).toEqual(whole);
      expect(byBytes.map(({ start, end }) => bytes.subarray(start, end).toString('utf8'))).toEqual(whole);
    }),
    { numRuns: 2000 },
  );
});
