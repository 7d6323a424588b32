import { afterEach, describe, expect, it } from 'vitest';
import { verdictPage } from '../../src/cli/render/check.js';
import { tryGuard } from '../../src/cli/try/guard.js';
import { writeAgentView } from '../../src/evidence/agent-view.js';
import { analysis, draft, view } from '../support/guard.js';
import { hitOf } from '../support/evidence.js';
import { closeLines, openTestLine, type TestLine } from '../support/line.js';
import { hits, scripted } from '../support/line-search.js';
import { readCli } from '../support/read-cli.js';
import { removeTempFolders } from '../support/temp-folder.js';

afterEach(async () => {
  await closeLines();
  removeTempFolders();
});

const GATEWAY = 'For the gateway timeout check the upstream configuration first. Never restart the gateway.';
const DISK = 'A full disk stops the broker: free the oldest segments, then restart the broker.';

async function askedLine(): Promise<TestLine> {
  const line = openTestLine({
    search: scripted(({ query }) =>
      hits([
        query === 'disk'
          ? hitOf({ evidenceKey: 'ops#chunk-1', content: DISK })
          : hitOf({ evidenceKey: 'gw#chunk-1', content: GATEWAY }),
      ]),
    ),
  });
  await line.ask({ query: 'gateway timeout' });
  await line.ask({ toolCallId: 'call-2', query: 'disk' });
  await line.idle();
  return line;
}

const report = (text: string): string => {
  const claim = 'For the gateway timeout check the upstream configuration first.';
  const quotes = [{ document_id: 'gw#chunk-1', text }];
  return draft({
    analysis: [analysis({ text: claim, tool_call_ids: ['call-1'], quotes })],
    conclusion: { text: claim, based_on_analysis_ids: ['a1'] },
  });
};

describe('a line that is handed a draft with quotes', () => {
  it('publishes it with where they stand, and its trail shows the words in place', async () => {
    const line = await askedLine();
    await line.handIn({ draftJson: report('check the  upstream configuration') });
    await line.idle();

    const [verified] = await line.messages('verified.v1');
    expect(verified).toMatchObject({ outcome: 'VERIFIED', quotes: [{ rung: 'FOLDED', start: 24, end: 56 }] });
    const { out } = await readCli(line.folder, ['trail', 'run-1']);
    expect(out).toContain('FOLDED gw#chunk-1 of call-1, units 24 to 56 of its excerpt');
    expect(out).toContain('For the gateway timeout [check the upstream configuration] first. Never restart');
    expect(out).toContain('quotes-1');
  });

  it('asks for a repair where words are of another lookup of the run, which it did not cite', async () => {
    const line = await askedLine();
    await line.handIn({ draftJson: report('free the oldest segments') });
    await line.idle();

    const [verdict] = await line.messages('verdict.v1');
    expect(verdict).toMatchObject({
      status: 'REJECTED',
      violations: [{ code: 'QUOTE_MISATTRIBUTED', path: '/analysis/0/quotes/0/text' }],
    });
    expect(JSON.parse(verdict!.violations[0]!.detailJson)).toMatchObject({ shown_by: 'call-2' });
    const [reviewed] = await line.messages('reviewed.v1');
    expect(reviewed).toMatchObject({ decision: 'REPAIR' });
  });
});

describe('check', () => {
  const base = view('call-1', ['gw#chunk-1']);
  const agentView = writeAgentView({
    ...base,
    evidence: base.evidence.map((item) => ({ ...item, excerpt: GATEWAY })),
  });
  const page = (text: string): string => {
    const entry = { run_id: 'r1', tool_call_id: 'call-1', state: 'READY', agent_view: agentView };
    const verdict = tryGuard({
      evidence: { run_id: 'r1', entries: [entry] },
      draft_json: report(text),
      submitted_at: '2026-11-30T10:00:00Z',
    });
    return verdictPage(verdict, { keysGiven: false }, (_, words) => words).join('\n');
  };

  it('shows the quoted words in place, the claim beside them, and what to be wary of', () => {
    const lines = [
      'quote     EXACT gw#chunk-1 of call-1, units 70 to 89 of its excerpt',
      '          …the upstream configuration first. Never [restart the gateway].',
      '          a negation stands right before it',
      '          for: For the gateway timeout check the upstream configuration first.',
    ];
    expect(page('restart the gateway')).toContain(lines.join('\n'));
  });

  it('shows what was probably meant by words that are not there', () => {
    const out = page('check the upstream configurations first');
    expect(out).toContain('QUOTE_NOT_FOUND  /analysis/0/quotes/0/text');
    expect(out).toContain('did you mean check the upstream configuration first');
  });
});
