import { describe, expect, it } from 'vitest';
import { cutClaims, type RawClaim } from '../../src/spans/cut-claims.js';

function claimsOf(text: string): string[] {
  const found: RawClaim[] = [];
  cutClaims(text, (claim) => found.push(claim) > 0);
  return found.map(({ start, end }) => text.slice(start, end));
}

describe('an answer is cut into claims', () => {
  it.each<[string, string, string[]]>([
    [
      'English sentences',
      'Restart it. Then wait! Is it up? Yes.',
      ['Restart it.', 'Then wait!', 'Is it up?', 'Yes.'],
    ],
    [
      'Chinese sentences',
      '先检查配置。再重启！好了吗？好了。',
      ['先检查配置。', '再重启！', '好了吗？', '好了。'],
    ],
    ['both', '先看 upstream。Then restart.然后等待。', ['先看 upstream。', 'Then restart.', '然后等待。']],
    [
      'abbreviations',
      'Use e.g. nginx, i.e. a proxy. Dr. Who et al. agree.',
      ['Use e.g. nginx, i.e. a proxy.', 'Dr. Who et al. agree.'],
    ],
    [
      'numbered abbreviations',
      'See Fig. 3 and No. 5. The answer is no. It stays.',
      ['See Fig. 3 and No. 5.', 'The answer is no.', 'It stays.'],
    ],
    [
      'an abbreviation that ends one',
      'It is run by Acme Inc. They restart it. Logs, traces etc. are kept.',
      ['It is run by Acme Inc.', 'They restart it.', 'Logs, traces etc. are kept.'],
    ],
    [
      'initials and versions',
      'J. R. Smith wrote v1.2.3 for 10.0.0.1. Use it.',
      ['J. R. Smith wrote v1.2.3 for 10.0.0.1.', 'Use it.'],
    ],
    [
      'decimals and addresses',
      'Wait 3.5 s at http://a.b/c?d=1.2 now. Go on.',
      ['Wait 3.5 s at http://a.b/c?d=1.2 now.', 'Go on.'],
    ],
    ['small letters begin a sentence', 'It fails. nginx restarts.', ['It fails.', 'nginx restarts.']],
    [
      'quotes that close',
      'He said "restart it." Then left.他说“重启。”然后走了。',
      ['He said "restart it."', 'Then left.', '他说“重启。”', '然后走了。'],
    ],
    ['an ellipsis', 'Wait... then go. Well... Then stop.', ['Wait... then go.', 'Well...', 'Then stop.']],
    ['list numbers', '1. Restart it\n2. Wait.\n3) Look', ['1. Restart it', '2. Wait.', '3) Look']],
    [
      'bullets and headings',
      '# Cause\n- The pool is full\n* The disk too\n\nEnd',
      ['# Cause', '- The pool is full', '* The disk too', 'End'],
    ],
    [
      'a line that goes on',
      'The pool is full because\nthe timeout is short.\r\nThen restart.',
      ['The pool is full because\nthe timeout is short.', 'Then restart.'],
    ],
    ['a lead-in', 'Do this:\nrestart it', ['Do this:', 'restart it']],
    ['inline code', 'Set `a. b[1]` first. Then `x', ['Set `a. b[1]` first.', 'Then `x']],
    [
      'fenced code',
      'Run.\n```sh\nkubectl get [1]. Now\n```\nDone.',
      ['Run.', '```sh\nkubectl get [1]. Now\n```', 'Done.'],
    ],
    [
      'a fence around prose',
      '```markdown\nAll is well. It is.\n```',
      ['```markdown', 'All is well.', 'It is.', '```'],
    ],
    ['a fence that is not closed', '```\nAll is well. It is.', ['```', 'All is well.', 'It is.']],
    [
      'markers behind the stop',
      '超时是 30 秒。[1]【2】然后重启 [3]。End. [S1] [2]. Next',
      ['超时是 30 秒。[1]【2】', '然后重启 [3]。', 'End. [S1] [2].', 'Next'],
    ],
    ['a marker that begins a line', '[1] The pool is full.', ['[1] The pool is full.']],
    ['nothing', ' \n\n\t　', []],
  ])('%s', (_, text, expected) => {
    expect(claimsOf(text)).toEqual(expected);
  });
});

describe('the markers of a claim', () => {
  const markersOf = (text: string): string[][] => {
    const found: string[][] = [];
    cutClaims(text, ({ markers }) => found.push(markers.map(({ start, end }) => text.slice(start, end))) > 0);
    return found;
  };

  it.each<[string, string[]]>([
    ['a [S1] b', ['[S1]']],
    ['a [1] b', ['[1]']],
    ['甲［1］乙', ['［1］']],
    ['甲【1】乙', ['【1】']],
    ['甲【１、２】', ['【１、２】']],
    ['a [1, 2]', ['[1, 2]']],
    ['a [6-10]', ['[6-10]']],
    ['a [^3]', ['[^3]']],
    ['a [ID:0]', ['[ID:0]']],
    ['a [ID: 0, ID: 4]', ['[ID: 0, ID: 4]']],
    ['a [S1][S2]', ['[S1]', '[S2]']],
    ['a [1](http://x/)', ['[1]']],
    ['a [[1]]', ['[1]']],
    ['a [1', []],
    ['a []', []],
    ['a [1,]', []],
    ['a [1】', []],
    ['a [12345]', []],
    ['a [x] [todo] [1a] [-1] [1.5]', []],
    ['a `[1]`', []],
  ])('of %j are %j', (text, expected) => {
    expect(markersOf(text)).toEqual([expected]);
  });

  it('belong to the sentence that they stand in or right behind', () => {
    expect(markersOf('One. [1] Two [2]. Three.\n[3] Four.')).toEqual([['[1]'], ['[2]'], [], ['[3]']]);
  });
});

/** Milliseconds of processor time to cut it, which other work on the machine does not lengthen. */
function cutting(text: string): number {
  const started = process.cpuUsage();
  cutClaims(text, () => true);
  return process.cpuUsage(started).user / 1000;
}

const MEGA = 1024 * 1024;

describe('time grows with the length alone', () => {
  it.each([
    ['brackets', '['],
    ['brackets of numbers', '[1,'],
    ['closed and open', '[1]['],
    ['full-width brackets', '【1、'],
    ['full stops', '. '],
    ['dots', '.'],
    ['full stops and quotes', '.”'],
    ['backticks', '`'],
    ['backticks of many sizes', '` `` ``` ```` `````'],
    ['fences on one line', '``` x. '],
    ['fences', '```\n'],
    ['markers behind a stop', '.[1]'],
    ['line breaks', '\n'],
    ['spaces', ' '],
    ['numbers', '[1 '],
    ['words', 'a. '],
    ['one word', 'a'],
    ['one of each', '[1] `a` "b." c。'],
  ])('over 10 MB of %s', (_, part) => {
    const text = part.repeat(Math.ceil((10 * MEGA) / part.length));
    expect(cutting(text)).toBeLessThan(5000);
  });
});
