import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { queryTerms } from '../../src/retrieval/local/query-terms.js';
import { searchLimits } from '../../src/retrieval/local/limits.js';
import { indexTokens, piecesOf, wordTokens } from '../../src/retrieval/local/words.js';

describe('the tokens of a word', () => {
  it.each([
    ['Leader', ['leader']],
    ['etcdNoLeader', ['etcdnoleader', 'etcd', 'no', 'leader']],
    ['etcdGRPCRequestsSlow', ['etcdgrpcrequestsslow', 'etcd', 'grpc', 'requests', 'slow']],
    ['wal_fsync_seconds', ['wal_fsync_seconds', 'wal', 'fsync', 'seconds']],
    ['alertmanager.yaml', ['alertmanager_yaml', 'alertmanager', 'yaml']],
    ["cluster's", ['cluster']],
    ["can't", ['cant']],
    ['1,500', ['1500']],
    ['4.10', ['4_10']],
    ['10ms', ['10ms']],
    ['k8s', ['k8s']],
    ['Ünïcode', ['ünïcode']],
    ['x'.repeat(100), ['x'.repeat(64)]],
  ])('%s', (word, tokens) => {
    expect(wordTokens(word)).toEqual(tokens);
  });
});

describe('the tokens of a text', () => {
  it('are its words, and the pairs of its Han and kana', () => {
    expect(indexTokens('网关超时, see Gateway-Timeout!')).toBe('网关 关超 超时 时 see gateway timeout');
    expect(indexTokens('ガイド')).toBe('ガイ イド ド');
  });

  it('are the same in full-width and half-width letters', () => {
    expect(indexTokens('ＧＰＵ　ｶﾞ')).toBe(indexTokens('gpu ガ'));
  });

  it('hold nothing that the tokenizer of SQLite would split or drop', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        for (const token of indexTokens(text)
          .split(' ')
          .filter((t) => t !== '')) {
          expect(token).not.toMatch(/[\0-/:-@[-^`{-\x7f]/);
        }
      }),
    );
  });
});

test('words are cut where Intl.Segmenter cuts them', () => {
  const segmenter = new Intl.Segmenter('und', { granularity: 'word' });
  const characters = fc.constantFrom(..."abzAZ019__..,,::''--  \t\n()/@#\"éß;·".split(''));
  fc.assert(
    fc.property(fc.array(characters, { maxLength: 60 }), (list) => {
      const text = list.join('').normalize('NFKC');
      const expected = [...segmenter.segment(text)].filter((s) => s.isWordLike).map((s) => s.segment);
      expect([...piecesOf(text)].map((piece) => piece.text)).toEqual(expected);
    }),
    { numRuns: 2000 },
  );
});

describe('the terms of a query', () => {
  /** An index that knows these pairs, each in as many chunks. */
  const knows = (pairs: Record<string, number>) => (phrase: string) => pairs[phrase.replace(/"/g, '')] ?? 0;
  const terms = (query: string, pairs: Record<string, number> = {}) =>
    queryTerms(query, knows(pairs)).map((term) => term.text);

  it('are distinct, in order, without the words that only ask', () => {
    expect(terms('what does the etcd member do when etcd has no leader?')).toEqual([
      'etcd',
      'member',
      'no',
      'leader',
    ]);
    expect(terms('怎么配置默认的模型')).toEqual(['配置', '默认', '模型']);
  });

  it('are all of its words where it has no others', () => {
    expect(terms('What is it?')).toEqual(['what', 'is', 'it']);
    expect(terms('怎么办')).not.toEqual([]);
    expect(terms(' ?! ')).toEqual([]);
  });

  it('pair the characters that the segmenter leaves alone as the index knows them', () => {
    expect(terms('网关超时', { 网关: 5, 关超: 1, 超时: 9 })).toEqual(['网关', '超时']);
    expect(terms('网关超时', { 关超: 100 })).toEqual(['关超']);
    expect(terms('网关超时')).toHaveLength(2);
  });

  it('ask for a word of Han by its pairs in a row, for one character by what begins with it', () => {
    const phrases = queryTerms('上下文', () => 0).map((term) => term.phrase);
    expect(phrases).toEqual(['"上下 下文"']);
    expect(queryTerms('猫', () => 0)).toEqual([{ text: '猫', phrase: '"猫" *' }]);
  });

  it('are no more than the limit, of no more text than the limit', () => {
    const many = Array.from({ length: 500 }, (_, n) => `term${n}`).join(' ');
    expect(terms(many)).toHaveLength(searchLimits.maxTerms);
    expect(terms(`${'the '.repeat(2000)}late`)).not.toContain('late');
  });

  it('never break a phrase, whatever the query', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (query) => {
        for (const { phrase } of queryTerms(query, () => 0)) expect(phrase).toMatch(/^"[^"]+"( \*)?$/);
      }),
    );
  });
});
