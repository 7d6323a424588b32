import { describe, expect, it } from 'vitest';
import { isProoflineError } from '../../src/contracts/errors.js';
import { bindAnswer, type AnswerContext } from '../../src/spans/bind-answer.js';

/** Milliseconds of processor time, which other work on the machine does not lengthen. */
function cpuSince(started: NodeJS.CpuUsage): number {
  return process.cpuUsage(started).user / 1000;
}

/** A context of so many sources. */
function sources(count: number, snippet = 'Check the upstream first.'): AnswerContext {
  return {
    citations: Array.from({ length: count }, (_, i) => ({
      citationId: `S${i + 1}`,
      snippet: `${i} ${snippet}`,
    })),
  };
}

/** Each claim as its citations, what is unknown, and whether it needs a citation. */
function bound(answer: string, context = sources(4)) {
  return bindAnswer(answer, context).claims.map(({ citations, unknown, needsCitation }) => ({
    citations: citations.join(' '),
    unknown: unknown.map(({ text }) => text).join(' '),
    needsCitation,
  }));
}

const cited = (citations: string) => ({ citations, unknown: '', needsCitation: false });
const unknown = (text: string) => ({ citations: '', unknown: text, needsCitation: true });

describe('markers are bound to sources', () => {
  it.each([
    ['The timeout is 30 s [S1].', 'S1'],
    ['The timeout is 30 s [1].', 'S1'],
    ['超时是 30 秒［2］。', 'S2'],
    ['超时是 30 秒【3】。', 'S3'],
    ['超时是 30 秒。【１，２】', 'S1 S2'],
    ['The timeout is 30 s [1, 2].', 'S1 S2'],
    ['The timeout is 30 s [2][1][2].', 'S2 S1'],
    ['The timeout is 30 s [2-4].', 'S2 S3 S4'],
    ['The timeout is 30 s [S1–S3].', 'S1 S2 S3'],
    ['The timeout is 30 s [^3].', 'S3'],
    ['The timeout is 30 s [ID:0].', 'S1'],
    ['The timeout is 30 s [ID:3].', 'S4'],
    ['The timeout is 30 s [01].', 'S1'],
  ])('%s cites %s', (answer, citations) => {
    expect(bound(answer)).toEqual([cited(citations)]);
  });

  it('a range of sources that are there', () => {
    expect(bound('It was measured ten times [6-10].', sources(10))).toEqual([cited('S6 S7 S8 S9 S10')]);
  });
});

describe('a marker that names no source is told', () => {
  it('five and seven and nought of four', () => {
    expect(bound('The pool is full [5,7]. The disk is full [0]. The log is full [4].')).toEqual([
      unknown('[5,7]'),
      unknown('[0]'),
      cited('S4'),
    ]);
  });

  it('and the sources that it names beside count', () => {
    expect(bound('The pool is full [1, 7].')).toEqual([
      { citations: 'S1', unknown: '[1, 7]', needsCitation: false },
    ]);
    expect(bound('The pool is full [3-6].')).toEqual([
      { citations: 'S3 S4', unknown: '[3-6]', needsCitation: false },
    ]);
  });

  it.each(['[10-6]', '[1-9999]', '[ID:4]', '[9999]', '[0-0]'])('%s', (marker) => {
    expect(bound(`The pool is full ${marker}.`)).toEqual([unknown(marker)]);
  });
});

describe('binding does not judge', () => {
  it('what source 1 says and the answer gives to source 2 is bound to source 2', () => {
    const context = {
      citations: [
        { citationId: 'S1', snippet: 'The timeout is 30 s.' },
        { citationId: 'S2', snippet: 'The pool has 10 connections.' },
      ],
    };
    expect(bound('The timeout is 30 s [2].', context)).toEqual([cited('S2')]);
  });
});

describe('a claim needs a citation', () => {
  it.each([
    ['The timeout is 30 s.', true],
    ['超时是 30 秒。', true],
    ['Restart the gateway', true],
    ['I do not know why the pool is full, but the timeout is 30 s.', true],
    ['I do not know. The timeout is short.', true],
    ['没有找到相关信息，但超时是 30 秒。', true],
    ['# The timeout is 30 s.', true],
    ['I do not know.', false],
    ["I don't know the answer.", false],
    ['Sorry, I cannot answer that from the given documents.', false],
    ['Based on the provided evidence, I cannot determine the cause.', false],
    ['There is no relevant evidence in the documents.', false],
    ['No evidence was found.', false],
    ['The documents do not mention the pool.', false],
    ['不知道。', false],
    ['根据现有资料，无法确定原因。', false],
    ['抱歉，知识库中没有找到相关信息。', false],
    ['证据不足，无法判断。', false],
    ['What is the timeout?', false],
    ['超时是多少？', false],
    ['## Cause', false],
    ['Do this:', false],
    ['步骤如下：', false],
    ['Run this:\n```\nkubectl get\n```', false],
    ['```\nThe timeout is 30 s.\n```', true],
    ['---', false],
    ['[9]', false],
  ])('%j: %s', (answer, needs) => {
    expect(bindAnswer(answer, sources(4)).claims.some(({ needsCitation }) => needsCitation)).toBe(needs);
  });

  it('an answer that says that it does not know is one claim, and needs none', () => {
    const { claims } = bindAnswer('I do not know.', sources(4));
    expect(claims).toMatchObject([{ kind: 'ABSTENTION', citations: [], needsCitation: false }]);
  });
});

describe('places', () => {
  const answer = '网关超时😀先检查配置。Then restart [1]. 好了 [9]。';

  it('count what the report says, and slice the answer', () => {
    const { unit, claims } = bindAnswer(answer, sources(4));
    expect(unit).toBe('utf16');
    expect(claims.map(({ start, end }) => answer.slice(start, end))).toEqual([
      '网关超时😀先检查配置。',
      'Then restart [1].',
      '好了 [9]。',
    ]);
  });

  it('count code points for those who slice by these', () => {
    const { claims } = bindAnswer(answer, sources(4), { unit: 'code_points' });
    const points = Array.from(answer);
    expect(claims.map(({ start, end }) => points.slice(start, end).join(''))[1]).toBe('Then restart [1].');
    const [marker] = claims[2]!.unknown;
    expect(points.slice(marker!.start, marker!.end).join('')).toBe('[9]');
  });

  it('count bytes for those who slice by these', () => {
    const { unit, claims } = bindAnswer(answer, sources(4), { unit: 'utf8_bytes' });
    const bytes = Buffer.from(answer, 'utf8');
    expect(unit).toBe('utf8_bytes');
    expect(claims.map(({ start, end }) => bytes.subarray(start, end).toString('utf8'))[1]).toBe(
      'Then restart [1].',
    );
    const [marker] = claims[2]!.unknown;
    expect(bytes.subarray(marker!.start, marker!.end).toString('utf8')).toBe('[9]');
  });
});

describe('markers of the evidence cite nothing', () => {
  const paper = {
    citations: [{ citationId: 'S1', snippet: 'The pool was doubled in the second trial [2]. It helped.' }],
  };

  it('where an answer copies one along with its words', () => {
    const { claims } = bindAnswer('As was said: The pool was doubled in the second trial [2].', {
      citations: [...paper.citations, { citationId: 'S2', snippet: 'other' }],
    });
    expect(claims).toMatchObject([{ citations: [], copied: [{ text: '[2]' }], needsCitation: true }]);
  });

  it('also where the passage begins with it', () => {
    const context = {
      citations: [{ citationId: 'S1', snippet: '[1] The pool was doubled in the second trial.' }],
    };
    const { claims } = bindAnswer('Yes. [1] The pool was doubled in the second trial.', context);
    expect(claims.flatMap(({ citations }) => citations)).toEqual([]);
  });

  it('and the answer’s own marker of that number does', () => {
    expect(bound('The pool was doubled [1].', paper)).toEqual([cited('S1')]);
  });
});

describe('hostile answers', () => {
  it('of more than the limit are refused before they are looked at', () => {
    const started = process.cpuUsage();
    let refusal: unknown;
    try {
      bindAnswer('[1]. '.repeat(2 * 1024 * 1024), sources(4));
    } catch (error) {
      refusal = error;
    }
    expect(isProoflineError(refusal, 'PL_INPUT_INVALID')).toBe(true);
    expect(cpuSince(started)).toBeLessThan(200);
  });

  it('of more claims than the limit are refused', () => {
    expect(() => bindAnswer('a. '.repeat(51_000), sources(4))).toThrow(/more than 50000 claims/);
  });

  it.each([
    ['brackets', '[', 1_000_000],
    ['markers', '[1-99]', 170_000],
    ['markers of many', '[1,2,3,4]', 110_000],
    ['unknown markers', '[77]', 250_000],
  ])('of a million characters of %s take little time', (_, part, times) => {
    const started = process.cpuUsage();
    const { claims } = bindAnswer(part.repeat(times), sources(1000), { unit: 'utf8_bytes' });
    expect(claims).toHaveLength(1);
    expect(cpuSince(started)).toBeLessThan(5000);
  });

  it('of broken characters are read as what is shown of them', () => {
    expect(bound('\ud800 is broken [1].')).toEqual([cited('S1')]);
  });
});
