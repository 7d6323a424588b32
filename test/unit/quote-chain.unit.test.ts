import { describe, expect, it } from 'vitest';
import { brokenLink, offsetChain, type OffsetChain } from '../../src/citation/offset-chain.js';
import { tryGuard } from '../../src/cli/try/guard.js';
import { sha256 } from '../../src/contracts/digest.js';
import type { QuoteOutcome } from '../../src/contracts/generated.js';
import { writeAgentView } from '../../src/evidence/agent-view.js';
import { analysis, draft, judge, ready, view } from '../support/guard.js';

const EXCERPT = '网关 "超时"\n先检查 upstream 配置，再看日志';
const CHUNK = `${EXCERPT}。后面的内容被截断了。`;
const base = view('c1', ['a#chunk-0', 'gw#chunk-1']);
const [first, second] = base.evidence;
const agentView = writeAgentView({
  ...base,
  // An excerpt that looks like what stands before one.
  evidence: [
    { ...first!, excerpt: 'text with "excerpt":" inside and \\"excerpt\\":\\"' },
    { ...second!, excerpt: EXCERPT },
  ],
});
const entry = ready('c1', [], { agentView, blocks: [{ documentId: 'gw#chunk-1', content: CHUNK }] });
const QUOTE = '"超时" 先检查 upstream 配置';

function found(text = QUOTE): QuoteOutcome {
  const quotes = [{ document_id: 'gw#chunk-1', text }];
  const [outcome] = judge(draft({ analysis: [analysis({ quotes })] }), [entry]).quotes;
  return outcome!;
}

const texts = { chunk: CHUNK, agentView, quote: QUOTE };
const chain = offsetChain(found(), texts, sha256) as OffsetChain;

describe('the offsets of quoted words', () => {
  it('run from the chunk to the draft, each found again by slicing', () => {
    const words = '"超时"\n先检查 upstream 配置';
    expect(CHUNK.slice(chain.chunk!.start, chain.chunk!.end)).toBe(words);
    expect(EXCERPT.slice(chain.excerpt.start, chain.excerpt.end)).toBe(words);
    const written = agentView.slice(chain.agentView.start, chain.agentView.end);
    expect(JSON.parse(`"${written}"`)).toBe(words);
    const bytes = Buffer.from(agentView).subarray(chain.agentView.startByte, chain.agentView.endByte);
    expect(bytes.toString()).toBe(written);
    expect(chain.draft).toEqual({ path: '/analysis/0/quotes/0', rung: 'FOLDED', sha256: sha256(QUOTE) });
    expect(brokenLink(chain, EXCERPT, texts, sha256)).toBeNull();
  });

  it('name the link that does not hold', () => {
    const check = (of: OffsetChain, excerpt = EXCERPT, more: Partial<typeof texts> = {}) =>
      brokenLink(of, excerpt, { ...texts, ...more }, sha256);
    expect(check(chain, `${EXCERPT}。`)).toBe('EXCERPT');
    expect(check(chain, EXCERPT, { chunk: EXCERPT })).toBe('CHUNK');
    expect(check(chain, EXCERPT, { agentView: `${agentView} ` })).toBe('AGENT_VIEW');
    expect(check(chain, EXCERPT, { quote: `${QUOTE}。` })).toBe('DRAFT');
    const moved = { ...chain, agentView: { ...chain.agentView, start: chain.agentView.start + 1 } };
    expect(check(moved)).toBe('AGENT_VIEW');
    const wrongRung = { ...chain, draft: { ...chain.draft, rung: 'EXACT' } };
    expect(check(wrongRung)).toBe('DRAFT');
  });

  it('are not bytes: bytes taken for UTF-16 units break the link', () => {
    const { startByte, endByte } = chain.agentView;
    expect(startByte).toBeGreaterThan(chain.agentView.start);
    const mistaken = { ...chain, agentView: { ...chain.agentView, start: startByte, end: endByte } };
    expect(brokenLink(mistaken, EXCERPT, texts, sha256)).toBe('AGENT_VIEW');
  });

  it('have no chunk where it is not at hand, and no chain where the quote was not found', () => {
    expect(offsetChain(found(), { ...texts, chunk: null }, sha256)?.chunk).toBeNull();
    expect(offsetChain(found(), { ...texts, chunk: 'another text' }, sha256)?.chunk).toBeNull();
    expect(offsetChain(found('not in there'), texts, sha256)).toBeNull();
    expect(offsetChain(found(), { ...texts, agentView: '{}' }, sha256)).toBeNull();
  });

  it('come with the guard by hand, beside the words in place', () => {
    const evidence = {
      run_id: 'r1',
      entries: [
        {
          run_id: 'r1',
          tool_call_id: 'c1',
          state: 'READY',
          agent_view: agentView,
          blocks: [{ document_id: 'gw#chunk-1', content: CHUNK }],
        },
      ],
    };
    const quotes = [{ document_id: 'gw#chunk-1', text: QUOTE }];
    const draftJson = draft({ analysis: [analysis({ quotes })] });
    const verdict = tryGuard({ evidence, draft_json: draftJson, submitted_at: '2026-11-30T10:00:00Z' });
    expect(verdict['quotes']).toMatchObject([
      {
        rung: 'FOLDED',
        excerpt_sha256: chain.excerpt.sha256,
        in_place: { before: '网关 ', words: '"超时"\n先检查 upstream 配置', after: '，再看日志' },
        chain: { agent_view: { start_byte: chain.agentView.startByte }, chunk: { sha256: sha256(CHUNK) } },
      },
    ]);
  });
});
