import { expect, test } from 'vitest';
import { tryReview } from '../../src/cli/try/review.js';
import { writeAgentView } from '../../src/evidence/agent-view.js';
import { draft, view } from '../support/guard.js';

const excerpt = 'Gateway timeouts may be caused by an exhausted connection pool.';

function entry(other: Record<string, unknown> = {}) {
  const evidence = [{ documentId: 'gw#chunk-1', source: null, title: null, breadcrumb: null, excerpt }];
  const agentView = writeAgentView(view('c1', ['gw#chunk-1'], { evidence }));
  return { run_id: 'r1', tool_call_id: 'c1', state: 'READY', agent_view: agentView, ...other };
}

function saying(text: string): string {
  return draft({
    analysis: [{ id: 'a1', kind: 'NORMAL', text, tool_call_ids: ['c1'], document_ids: ['gw#chunk-1'] }],
  });
}

function review(draftJson: string, entries: readonly unknown[] = [entry()]) {
  return tryReview({ draft_json: draftJson, evidence: { run_id: 'r1', entries } });
}

test('a draft within the evidence', () => {
  expect(review(saying('Gateway timeouts may come from the connection pool'))).toEqual({
    status: 'ABSTAINED',
    findings: [],
  });
});

test('findings are JSON with the names of the contract', () => {
  expect(review(saying('This proves that the gateway connection pool is exhausted'))).toEqual({
    status: 'OVERSTATED',
    findings: [
      {
        path: '/analysis/0/text',
        status: 'OVERSTATED',
        reason: 'CERTAINTY_RAISED: "proves" where the evidence says only "may"',
        draft_span: { start: 5, end: 11 },
        evidence_spans: [{ tool_call_id: 'c1', document_id: 'gw#chunk-1', start: 17, end: 20 }],
        decided_by: 'RULES',
      },
    ],
  });
});

test.each([
  ['another run', entry({ run_id: 'r2' })],
  ['a lookup that is pending', entry({ state: 'PENDING', agent_view: null })],
  ['a lookup that is not cited, whatever its view is', entry({ tool_call_id: 'c2', agent_view: '{}' })],
])('%s shows nothing', (_, other) => {
  const { status } = review(saying('Gateway timeouts may come from the connection pool'), [other]);
  expect(status).toBe('NOT_EVALUATED');
});

test.each([
  ['no object', null, 'the input'],
  ['no draft', { evidence: { run_id: 'r1', entries: [] } }, 'draft_json'],
  ['a draft that is not JSON', { draft_json: '{', evidence: { run_id: 'r1', entries: [] } }, 'draft_json'],
  ['no evidence', { draft_json: draft() }, 'evidence'],
  [
    'a view that is none',
    { draft_json: draft(), evidence: { run_id: 'r1', entries: [entry({ agent_view: '{}' })] } },
    'the view of c1',
  ],
  [
    'two entries of one call',
    { draft_json: draft(), evidence: { run_id: 'r1', entries: [entry(), entry()] } },
    'two entries',
  ],
])('%s: the input is refused by name', (_, input, problem) => {
  expect(() => tryReview(input)).toThrow(problem);
  expect(() => tryReview(input)).toThrow(expect.objectContaining({ code: 'PL_INPUT_INVALID' }));
});
