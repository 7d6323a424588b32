import { describe, expect, it } from 'vitest';
import { tryGuard } from '../../src/cli/try/guard.js';
import { sha256 } from '../../src/contracts/digest.js';
import { writeAgentView } from '../../src/evidence/agent-view.js';
import { analysis, draft, view } from '../support/guard.js';

const agentView = writeAgentView(view('c1', ['gw#chunk-1']));
const entry = { run_id: 'r1', tool_call_id: 'c1', state: 'READY', agent_view: agentView };

function input(entries: readonly unknown[] = [entry], draftJson = draft()): unknown {
  return {
    evidence: { run_id: 'r1', entries },
    draft_json: draftJson,
    submitted_at: '2026-11-30T18:00:00+08:00',
  };
}

const problemOf = (value: unknown): string => {
  try {
    tryGuard(value);
  } catch (error) {
    return `${(error as { code: string }).code} ${(error as Error).message}`;
  }
  return 'none';
};

describe('the guard by hand', () => {
  it('answers with the verdict as JSON has it', () => {
    const expiresAt = '2026-11-30T10:00:00.001Z';
    const answer = tryGuard(input([{ ...entry, expires_at: expiresAt }]));
    expect(JSON.parse(JSON.stringify(answer))).toEqual(answer);
    expect(answer).toMatchObject({
      status: 'PASSED',
      rule_sets: ['core-20'],
      draft_sha256: sha256(draft()),
      draft: { analysis: [{ id: 'a1', tool_call_ids: ['c1'] }], action_plan: [], conclusion: null },
      violations: [],
      violation_count: 0,
      lookups: [
        { tool_call_id: 'c1', agent_view_sha256: sha256(agentView), items: [{ document_id: 'gw#chunk-1' }] },
      ],
      shown: [{ tool_call_id: 'c1', items: [{ document_id: 'gw#chunk-1' }] }],
      analyses: [{ id: 'a1', citations: [{ document_id: 'gw#chunk-1', cited: false }] }],
      quotes: [],
      read: [
        {
          tool_call_id: 'c1',
          found_run_id: 'r1',
          state: 'READY',
          expires_at: expiresAt,
          signature_check: 'ABSENT',
        },
      ],
      fault_is_ours: false,
      unsigned: true,
    });
  });

  it('prints every violation whole, its detail an object', () => {
    const id = 'x'.repeat(3000);
    const answer = tryGuard(input([entry], draft({ analysis: [analysis({ document_ids: [id] })] })));
    expect(answer['violations']).toEqual([
      {
        code: 'DOCUMENT_NOT_SHOWN',
        path: '/analysis/0/document_ids/0',
        message: expect.stringContaining('did not show') as string,
        detail: { document_id: id, why: 'NEVER_RETRIEVED' },
      },
    ]);
  });

  it('takes drops, cuts, blocks, unreadable entries and fields that it does not know', () => {
    const dropped = [{ evidence_key: 'no#chunk-7', document_id: 'no', original_rank: 9, reason: 'DOC_CAP' }];
    const entries = [
      {
        ...entry,
        dropped,
        cuts: [{ code: 'QUERY_CUT' }],
        blocks: [{ document_id: 'd', content: 'c' }],
        more: 1,
      },
      { run_id: 'r1', tool_call_id: 'torn', state: 'UNREADABLE' },
    ];
    const text = draft({
      analysis: [analysis({ document_ids: ['no#chunk-7'] }), analysis({ id: 'a2', tool_call_ids: ['torn'] })],
    });
    expect(tryGuard(input(entries, text))['violations']).toMatchObject([
      { code: 'DOCUMENT_NOT_SHOWN', detail: { why: 'DROPPED', reason: 'DOC_CAP' } },
      { code: 'LEDGER_PROJECTION_INVALID' },
    ]);
  });

  it('takes any ids, also those that no door would', () => {
    const weird = {
      ...entry,
      tool_call_id: '__proto__ \ud800',
      agent_view: writeAgentView(view('__proto__ \ufffd', ['d'])),
    };
    const text = draft({ analysis: [analysis({ tool_call_ids: ['__proto__ \ud800'] })] });
    expect(tryGuard(input([weird], text))['status']).toBe('PASSED');
  });

  it('hands the entry as it stands to whoever checks signatures', () => {
    const signed = { ...entry, signature: { key_id: 'k', value: 'v' }, agent_view_sha256: sha256(agentView) };
    const seen: unknown[] = [];
    const answer = tryGuard(input([signed]), (given) => {
      seen.push(given);
      return 'VALID';
    });
    expect(seen).toEqual([signed]);
    expect(answer).toMatchObject({ status: 'PASSED', unsigned: false, read: [{ signature_check: 'VALID' }] });
    expect(tryGuard(input([signed]), () => 'INVALID')['violations']).toMatchObject([
      { code: 'LEDGER_INTEGRITY_BROKEN' },
    ]);
  });

  it('refuses two entries of one run and call, but not of two runs', () => {
    expect(problemOf(input([entry, { ...entry, state: 'PENDING' }]))).toMatch(
      /^PL_INPUT_INVALID .*two entries/,
    );
    expect(problemOf(input([entry, { ...entry, run_id: 'r2' }]))).toBe('none');
  });

  it.each([
    ['nothing', undefined, 'the input'],
    ['null', null, 'the input'],
    ['no evidence', { draft_json: '', submitted_at: '2026-11-30T10:00:00Z' }, 'evidence'],
    ['a draft that is no text', { ...(input() as object), draft_json: {} }, 'draft_json'],
    ['no instant', { ...(input() as object), submitted_at: 'yesterday' }, 'submitted_at'],
    ['a state that nobody knows', input([{ ...entry, state: 'DONE' }]), 'evidence.entries.0.state'],
    ['an entry that is none', input([null]), 'evidence.entries.0'],
    ['an expiry that is no instant', input([{ ...entry, expires_at: 5 }]), 'evidence.entries.0.expires_at'],
    ['a view that is no text', input([{ ...entry, agent_view: {} }]), 'evidence.entries.0.agent_view'],
  ])('refuses %s and says where', (_, value, place) => {
    expect(problemOf(value)).toContain(`PL_INPUT_INVALID The input cannot be used: ${place}:`);
  });
});
