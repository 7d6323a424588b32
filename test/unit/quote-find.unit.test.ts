import { describe, expect, it } from 'vitest';
import { fold } from '../../src/citation/fold.js';
import { foldTable, folds } from '../../src/citation/fold-table.js';
import { quoteOf } from '../support/quotes.js';

const LEASE = 'Under clause 9, the landlord is not permitted to terminate this lease during the fixed term.';

/** The words that were found, with their rung; or the violation. */
function answer(text: string, excerpt: string, more: object = {}): string {
  const found = quoteOf({ text, ...more }, excerpt);
  return 'violation' in found
    ? String(found['violation'])
    : `${String(found['rung'])}: ${excerpt.slice(Number(found['start']), Number(found['end']))}`;
}

describe('the folds', () => {
  it('name each code point once, and none beyond U+FFFF', () => {
    const all = foldTable.flatMap(({ from }) =>
      from.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, i) => first + i)),
    );
    expect(new Set(all).size).toBe(all.length);
    expect([...folds.keys()].every((codePoint) => codePoint < 0x10000)).toBe(true);
  });

  it.each([
    ['white space in a run', 'a \t\r\n\u00a0\u3000b', 'a b'],
    ['space around dropped characters', 'a \u200b\u00ad b', 'a b'],
    ['quotes', '‘a’ “b” ‚c‛ „d‟ ʼ', "'a' \"b\" 'c' \"d\" '"],
    ['dashes', 'a‐b‑c‒d–e—f―g−h', 'a-b-c-d-e-f-g-h'],
    ['full width', '１２３％，Ａｚ', '123%,Az'],
    ['ligatures', 'ﬀ ﬁ ﬂ ﬃ ﬄ ﬅ ﬆ', 'ff fi fl ffi ffl st st'],
    ['soft hyphens', 'tim\u00adeout', 'timeout'],
    ['marks', 'cafe\u0301', 'café'],
    ['a mark behind a dropped character', 'cafe\u00ad\u0301', 'café'],
    ['Hangul letters', '\u1112\u1161\u11ab', '한'],
    ['a full-width letter with a mark', 'ｅ\u0301', 'é'],
    ['compatibility Han', '\uf967', '不'],
    ['no powers, no fractions, no case', '10² ½ A ①', '10² ½ A ①'],
  ])('fold %s', (_, text, folded) => expect(fold(text).text).toBe(folded));

  it.each(['a ﬁ b', 'x\u00ad  \n y', 'cafe\u0301 ok', 'e\u0301\u200d!'])(
    'know where each unit of %j comes from',
    (text) => {
      const folded = fold(text);
      for (let i = 0; i < folded.text.length; i++) {
        const piece = text.slice(folded.start(i), folded.end(i));
        expect(fold(piece).text).toContain(folded.text[i]);
      }
    },
  );
});

describe('where a quote may begin and end', () => {
  it.each([
    ['50', 'margin 50%.'],
    ['margin 50', 'margin 50%.'],
    ['margin 50', 'margin 50％。'],
    ['50 million', 'about $1,550 million'],
    ['500 million', 'about 1,500 million'],
    ['500 million', '１，５００ million'],
    ['5 days left', 'the 50.5 days left'],
    ['30 in the morning', 'at 10:30 in the morning'],
    ['000 items', "1'000 items"],
    ['000 items', '1’000 items'],
    ['12-01 was', 'on 2026-12-01 was'],
    ['20 milliseconds', '10–20 milliseconds'],
    ['12 degrees', 'at -12 degrees'],
    ['12 degrees', 'at −12 degrees'],
    ['12 degrees', 'at ±12 degrees'],
    ['12 degrees', 'at –12 degrees'],
    ['critical alerts', 'non-critical alerts'],
    ['critical alerts', 'non‐critical alerts'],
    ['critical alerts', 'non\u00adcritical alerts'],
    ['critical alerts', 'non\u200bcritical alerts'],
    ['The operator can', 'The operator can’t restart it.'],
    ['The operator can', 'The operator canʼt restart it.'],
    ['possible', 'impossible'],
    ['weighs 10', 'weighs 10² kg'],
    ['weighs 102 kg', 'weighs 10² kg'],
    ['nd them', 'ﬁnd them'],
    ['ind them', 'ﬁnd them'],
    ['the cafe', 'the cafe\u0301'],
    ['the man 👨', 'the man 👨‍🚀'],
  ])('%j is not in %j', (text, excerpt) => {
    expect(answer(text, excerpt)).toMatch(/^QUOTE_(NOT_FOUND|TOO_SHORT)$/);
  });

  it.each([
    ['50 milliseconds', 'after 50 milliseconds, or so', 'EXACT: 50 milliseconds'],
    ['检查 upstream', '先检查 upstream 配置', 'EXACT: 检查 upstream'],
    ['upstream 配置', '先检查upstream 配置项', 'EXACT: upstream 配置'],
    ['500毫秒内重启', '延迟为50，500毫秒内重启', 'EXACT: 500毫秒内重启'],
    ['second clause', 'first clause—second clause', 'EXACT: second clause'],
    ['Check the disk', '①Check the disk', 'EXACT: Check the disk'],
    ['version 4', 'the version 4.', 'EXACT: version 4'],
    ['-12 degrees', 'at −12 degrees', 'FOLDED: −12 degrees'],
    ['find them', 'to ﬁnd them', 'FOLDED: ﬁnd them'],
    ["O'Brien et al.", 'by OʼBrien et al., it', 'FOLDED: OʼBrien et al.'],
    ['weighs 10² kg', 'It weighs 10² kg.', 'EXACT: weighs 10² kg'],
    ['  the disk first \n', 'Check the disk first.', 'FOLDED: the disk first'],
    ['👩‍🚀 launches', 'then 👩‍🚀 launches it', 'EXACT: 👩‍🚀 launches'],
  ])('%j is in %j', (text, excerpt, found) => expect(answer(text, excerpt)).toBe(found));

  it('counts in UTF-16 units, so that bytes after Chinese text point elsewhere', () => {
    const excerpt = '网关超时😀先检查 upstream 配置';
    const { start, end } = quoteOf({ text: 'upstream 配置' }, excerpt) as { start: number; end: number };
    expect([start, end]).toEqual([10, 21]);
    expect(excerpt.slice(start, end)).toBe('upstream 配置');
    const bytes = Buffer.from(excerpt).indexOf('upstream');
    expect(bytes).not.toBe(start);
    expect(excerpt.slice(bytes, bytes + 11)).not.toBe('upstream 配置');
  });
});

describe('ellipses', () => {
  it.each([
    ['the landlord is not permitted ... during the fixed term', 'ELIDED'],
    ['the landlord is not permitted [...] during the fixed term', 'ELIDED'],
    ['the landlord is not permitted […] during the fixed term', 'ELIDED'],
    ['the landlord is not permitted…during the fixed term', 'ELIDED'],
    ['... the landlord is not permitted ...', 'ELIDED'],
    ['the landlord is ... permitted to terminate', 'QUOTE_DROPS_NEGATION'],
    ['Under clause 9 ... permitted to … lease during', 'QUOTE_DROPS_NEGATION'],
    ['... the land', 'QUOTE_NOT_FOUND'],
    ['... is not', 'QUOTE_TOO_SHORT'],
    ['…… ... […]', 'QUOTE_TOO_SHORT'],
    ['during the fixed term ... the landlord', 'QUOTE_NOT_FOUND'],
  ])('%j: %s', (text, outcome) => expect(answer(text, LEASE)).toMatch(new RegExp(`^${outcome}`)));

  it.each([
    'not',
    'NOT',
    'no',
    'never',
    'without',
    'except',
    'unless',
    'cannot',
    'don’t',
    'ｎｏｔ',
    'no\u00adt',
  ])('may not leave out %s', (word) => {
    const excerpt = `the operator may ${word} restart the broker`;
    expect(answer('the operator may ... restart the broker', excerpt)).toBe('QUOTE_DROPS_NEGATION');
  });

  it.each(['knot', 'nothing', 'another', 'notably', 'noon'])('may leave out %s', (word) => {
    const excerpt = `the operator may ${word} restart the broker`;
    expect(answer('the operator may ... restart the broker', excerpt)).toMatch(/^ELIDED/);
  });

  it.each(['不', '无', '未', '非', '没', '勿', '别', '莫', '除外', '除非'])(
    'may not leave out %s',
    (word) => {
      expect(answer('根据合同承租人……提前解除合同', `根据合同承租人${word}得提前解除合同。`)).toBe(
        'QUOTE_DROPS_NEGATION',
      );
    },
  );

  it('leave out at most 300 units', () => {
    const excerpt = (units: number): string => `the beginning${' x'.repeat(units / 2)} the very end`;
    expect(answer('the beginning ... the very end', excerpt(298))).toMatch(/^ELIDED/);
    expect(answer('the beginning ... the very end', excerpt(300))).toBe('QUOTE_NOT_FOUND');
  });

  it('pass when any placement leaves out no negation: the earliest start, then the earliest end', () => {
    const excerpt = 'restart it now; not so: restart it now, then drain it all, then drain it all';
    const found = quoteOf({ text: 'restart it now ... then drain it all' }, excerpt);
    expect(found).toMatchObject({ rung: 'ELIDED', start: 24, end: 57 });
  });
});

describe('several places', () => {
  const POD = 'First restart the pod. If that fails, restart the pod again. Never restart the pod twice.';

  it('are listed, the first is taken, and a negation right before it is warned about', () => {
    expect(quoteOf({ text: 'restart the pod' }, POD)).toEqual({
      rung: 'EXACT',
      start: 6,
      end: 21,
      ambiguous: true,
      places: [6, 38, 67].map((start) => ({ start, end: start + 15 })),
    });
    expect(quoteOf({ text: 'restart the pod', suffix: 'twice' }, POD)).toEqual({
      rung: 'EXACT',
      start: 67,
      end: 82,
      after_negation: true,
    });
    expect(quoteOf({ text: '提前解除' }, '承租人不提前解除')).toMatchObject({ after_negation: true });
  });

  it('are told apart by what adjoins, folded, its edge space ignored', () => {
    const at = (more: object): unknown => quoteOf({ text: 'restart the pod', ...more }, POD)['start'];
    expect(at({ prefix: ' that\nfails,' })).toBe(38);
    expect(at({ prefix: 'fails, ', suffix: ' again' })).toBe(38);
    expect(at({ prefix: null, suffix: '' })).toBe(6);
    expect(quoteOf({ text: 'restart the pod', prefix: 'that' }, POD)).toMatchObject({
      violation: 'QUOTE_NOT_FOUND',
    });
    expect(quoteOf({ text: 'restart the ... twice', prefix: 'nowhere' }, POD)).toHaveProperty('violation');
  });

  it('do not overlap, and are 16 at most', () => {
    const found = quoteOf({ text: 'a a a' }, 'a '.repeat(200));
    expect(found['places']).toHaveLength(16);
    expect((found['places'] as { start: number }[])[1]).toEqual({ start: 6, end: 11 });
  });
});

describe('what is not there', () => {
  it('is told from what is elsewhere, the first that applies', () => {
    const others = [{ document_id: 'ops#chunk-2', excerpt: 'Drain the node first.' }];
    const quote = { text: 'Drain the node first' };
    expect(quoteOf(quote, 'Check.', { block_text: 'Check. Drain the node first.', others })).toMatchObject({
      violation: 'QUOTE_NOT_SHOWN',
      start: 7,
      end: 27,
    });
    expect(quoteOf(quote, 'Check.', { others })).toMatchObject({
      violation: 'QUOTE_MISATTRIBUTED',
      shown_as: 'ops#chunk-2',
    });
  });

  it('has the nearest words as a hint', () => {
    expect(quoteOf({ text: 'the landlord is permitted to terminate this lease' }, LEASE)).toEqual({
      violation: 'QUOTE_NOT_FOUND',
      nearest: expect.stringContaining('permitted to terminate this lease') as string,
      nearest_start: expect.any(Number) as number,
      nearest_end: expect.any(Number) as number,
    });
    expect(quoteOf({ text: 'something else entirely' }, LEASE)).toEqual({ violation: 'QUOTE_NOT_FOUND' });
  });
});

describe('texts that are made to take long', () => {
  const N = 100_000;
  it.each([
    ['one character', 'a'.repeat(N / 2), 'a'.repeat(N)],
    ['one with another in the middle', `${'a'.repeat(N / 4)}b${'a'.repeat(N / 4)}`, 'a'.repeat(N)],
    ['one Han character', `${'网'.repeat(N / 2)}关`, '网'.repeat(N)],
    ['one word', `${'a '.repeat(N / 4)}b`, 'a '.repeat(N / 2)],
    ['thousands of ellipses', `${'a a a a a ... '.repeat(N / 14)}b b b b b`, 'a '.repeat(N / 2)],
    ['nothing but ellipses', '… '.repeat(N / 2), '… '.repeat(N / 2)],
    ['dropped characters', `word${'\u00ad'.repeat(N)}words`, '\u00ad'.repeat(N)],
    ['marks', `word${'\u0301'.repeat(N)}words`, `e${'\u0301'.repeat(N)}`],
    ['characters with marks', `${'e\u0301'.repeat(N / 2)}z`, 'e\u0301'.repeat(N / 2)],
    ['emoji', `${'😀'.repeat(100)}x`, '😀'.repeat(N / 2)],
    ['white space', `${' '.repeat(N)}word`, ' '.repeat(N)],
  ])(
    '%s',
    (_, text, excerpt) => {
      expect(quoteOf({ text, prefix: 'b' }, excerpt, { block_text: `${excerpt} x` })).toHaveProperty(
        'violation',
      );
    },
    4000,
  );
});
