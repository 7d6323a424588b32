import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  CLOSING_ABBREVIATIONS,
  NUMBERED_ABBREVIATIONS,
  OPEN_ABBREVIATIONS,
} from '../../src/spans/abbreviations.js';
import { bindAnswer } from '../../src/spans/bind-answer.js';
import { spanLimits } from '../../src/spans/limits.js';

const page = readFileSync('docs/spans.md', 'utf8');

/** The rows of the table with this first line, each as its cells. */
function rowsOf(heading: RegExp): string[][] {
  const lines = page.split('\n');
  const first = lines.findIndex((line) => heading.test(line)) + 2;
  const end = lines.findIndex((line, i) => i >= first && !line.startsWith('|'));
  return lines.slice(first, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const codeIn = (cell: string): string[] => Array.from(cell.matchAll(/`([^`]+)`/g), ([, code = '']) => code);

const context = {
  citations: [1, 2, 3, 4].map((number) => ({ citationId: `S${number}`, snippet: `passage ${number}` })),
};

it.each(rowsOf(/^\| answer +\| citations/))(
  'the page says of %s that it cites: %s (unknown: %s)',
  (cell, citations, unknown) => {
    const { claims } = bindAnswer(codeIn(cell)[0] ?? '', context);
    expect(claims).toHaveLength(1);
    expect(claims[0]?.citations.join(' ')).toBe(citations);
    expect(claims[0]?.unknown.map(({ text }) => text).join(' ')).toBe(unknown);
  },
);

it.each(rowsOf(/^\| answer +\| claims/))('the page cuts %s into %s', (cell, claims) => {
  const answer = codeIn(cell)[0] ?? '';
  const found = bindAnswer(answer, context).claims.map(({ start, end }) => answer.slice(start, end));
  expect(found).toEqual(codeIn(claims));
});

it.each([
  ['something always follows:', OPEN_ABBREVIATIONS],
  ['`§` or `#`:', NUMBERED_ABBREVIATIONS],
  ['`;` or `:`:', CLOSING_ABBREVIATIONS],
])('the page lists every abbreviation of: %s', (lead, set) => {
  const text = page.slice(page.indexOf(lead) + lead.length);
  const listed = text
    .slice(0, text.search(/\n- |\n\n/))
    .split(/\s+/)
    .filter((word) => word !== '');
  expect(listed).toEqual([...set]);
});

it('the page names the limits', () => {
  expect(page).toContain(spanLimits.answerChars.toLocaleString('en-US'));
  expect(page).toContain(spanLimits.claims.toLocaleString('en-US'));
});
