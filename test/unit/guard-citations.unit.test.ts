import { describe, expect, it } from 'vitest';
import { sha256 } from '../../src/contracts/digest.js';
import { writeAgentView } from '../../src/evidence/agent-view.js';
import type { EvidenceEntry, GuardInput } from '../../src/guard/entries.js';
import { analysis, bare, draft, found, judge, LATER, NOW, ready, view } from '../support/guard.js';

/** The verdict on one analysis that cites these calls. */
function citing(
  calls: readonly string[],
  entries: readonly EvidenceEntry[],
  other: Partial<GuardInput> = {},
) {
  return judge(draft({ analysis: [analysis({ tool_call_ids: calls })] }), entries, other);
}

const at = (code: string, j = 0): string => `${code} /analysis/0/tool_call_ids/${j}`;
const SIGNED_BY_NOBODY = { signature: 'ABSENT', agentViewSha256: null } as const;

describe('given a call that the run did not make', () => {
  it('when nobody did, then it is unknown', () => {
    expect(found(citing(['c9'], []))).toEqual([at('TOOL_CALL_UNKNOWN')]);
  });

  it.each(['__proto__', 'constructor', 'hasOwnProperty', ''])('then %j is a call like any other', (id) => {
    expect(found(citing([id], [ready('c1', ['d'])]))).toEqual([at('TOOL_CALL_UNKNOWN')]);
    expect(citing([id], [ready(id, ['d'])]).status).toBe('PASSED');
  });

  it('when an entry of another run is at hand, then it is foreign', () => {
    const result = citing(['c1'], [ready('c1', ['d'], { runId: 'r2' })]);
    expect(found(result)).toEqual([at('TOOL_CALL_FOREIGN_RUN')]);
    expect(result.read).toMatchObject([{ foundRunId: 'r2', state: 'READY', signatureCheck: 'VALID' }]);
  });

  it('when several other runs have it, then which one is named does not hang on the order', () => {
    const theirs = ['r3', 'r2', 'r4'].map((runId) => ready('c1', ['d'], { runId }));
    const foundRunIds = [theirs, theirs.toReversed()].map((e) => citing(['c1'], e).read[0]?.foundRunId);
    expect(foundRunIds).toEqual(['r4', 'r4']);
  });

  it('when the index of call ids has another run, then it is foreign', () => {
    const result = citing(['c1'], [], { foreignCalls: new Map([['c1', 'r7']]) });
    expect(found(result)).toEqual([at('TOOL_CALL_FOREIGN_RUN')]);
    expect(result.read).toEqual([
      {
        toolCallId: 'c1',
        foundRunId: 'r7',
        state: null,
        agentViewSha256: null,
        expiresAt: null,
        signatureCheck: 'ABSENT',
        partition: 3,
        offset: 41,
      },
    ]);
  });

  it('when the index only has the run itself, then it is unknown', () => {
    const result = citing(['c1'], [], { foreignCalls: new Map([['c1', 'r1']]) });
    expect(found(result)).toEqual([at('TOOL_CALL_UNKNOWN')]);
  });

  it('when the run has it too, then the other run does not matter', () => {
    const entries = [ready('c1', ['x'], { runId: 'r2' }), ready('c1', ['d'])];
    expect(citing(['c1'], entries).status).toBe('PASSED');
  });

  it('when a call of the run is one edit away, then the detail names it', () => {
    const entries = [bare('call_ab', 'PENDING'), ready('call_abc', ['d']), ready('call_zz', ['d'])];
    const nearest = (id: string): unknown => citing([id], entries).violations[0]?.detail['nearest'];
    expect(nearest('call_abd')).toBe('call_abc');
    expect(nearest('call_abcd')).toBe('call_abc');
    expect(nearest('call_a')).toBe('call_ab');
    expect(nearest('cal_zz')).toBe('call_zz');
    expect(nearest('call_ba')).toBeUndefined();
    expect(nearest('nothing like it')).toBeUndefined();
    expect(
      citing(['call_z'], entries, { foreignCalls: new Map([['call_z', 'r2']]) }).violations,
    ).toMatchObject([{ code: 'TOOL_CALL_FOREIGN_RUN', detail: { nearest: 'call_zz' } }]);
  });
});

describe('given a call of the run', () => {
  it.each([
    ['PENDING', 'TOOL_CALL_PENDING'],
    ['FAILED', 'TOOL_CALL_FAILED'],
    ['UNREADABLE', 'LEDGER_PROJECTION_INVALID'],
  ] as const)('when its entry is %s, then %s, even when expired and unsigned', (state, code) => {
    expect(found(citing(['c1'], [bare('c1', state)]))).toEqual([at(code)]);
    expect(found(citing(['c1'], [bare('c1', state, { ...SIGNED_BY_NOBODY, expiresAt: 0 })]))).toEqual([
      at(code),
    ]);
  });

  it('when the draft came on the instant of expiry or later, then it had expired', () => {
    const expiresAt = (ms: number | null) => found(citing(['c1'], [ready('c1', ['d'], { expiresAt: ms })]));
    expect(expiresAt(NOW)).toEqual([at('TOOL_CALL_EXPIRED')]);
    expect(expiresAt(NOW - 1)).toEqual([at('TOOL_CALL_EXPIRED')]);
    expect(expiresAt(NOW + 1)).toEqual([]);
    expect(expiresAt(null)).toEqual([]);
    const detail = citing(['c1'], [ready('c1', ['d'], { expiresAt: NOW })]).violations[0]?.detail;
    expect(detail).toEqual({ tool_call_id: 'c1', expires_at: '2026-11-30T10:00:00.000Z' });
  });

  it('when it had expired, then that it is broken does not matter', () => {
    const entry = ready('c1', ['d'], { expiresAt: NOW, signature: 'INVALID', agentView: 'nonsense' });
    expect(found(citing(['c1'], [entry]))).toEqual([at('TOOL_CALL_EXPIRED')]);
  });

  it.each([
    ['its signature does not match', { signature: 'INVALID' }],
    ['it is not signed', { signature: 'ABSENT' }],
    ['it has no digest', { agentViewSha256: null }],
    ['the digest is of another text', { agentViewSha256: sha256('another') }],
    [
      'the text is of another digest',
      { agentView: '{}', agentViewSha256: ready('c1', ['d']).agentViewSha256 },
    ],
    ['the text was taken away', { agentView: null }],
  ] as const)('when %s, then its integrity is broken', (_, other) => {
    const result = citing(['c1'], [ready('c1', ['d'], other)]);
    expect(found(result)).toEqual([at('LEDGER_INTEGRITY_BROKEN')]);
    expect(result.faultIsOurs).toBe(true);
  });

  it.each([
    ['one field too many', JSON.stringify({ ...JSON.parse(writeAgentView(view('c1', ['d']))), score: 1 })],
    ['a count that is off', writeAgentView(view('c1', ['d'], { returnedCount: 2 }))],
    ['a status that does not fit', writeAgentView(view('c1', ['d'], { evidenceStatus: 'NO_EVIDENCE' }))],
    ['another tool_call_id', writeAgentView(view('c2', ['d']))],
    ['other bytes', `${writeAgentView(view('c1', ['d']))} `],
    ['no JSON', 'nonsense'],
  ])('when its view has %s, then it is no readable evidence', (_, agentView) => {
    const result = citing(['c1'], [ready('c1', ['d'], { agentView })]);
    expect(found(result)).toEqual([at('LEDGER_PROJECTION_INVALID')]);
    expect(result.faultIsOurs).toBe(true);
  });

  it('when its view is both broken and unreadable, then its integrity comes first', () => {
    const entry = ready('c1', ['d'], { agentView: 'nonsense', agentViewSha256: sha256('another') });
    expect(found(citing(['c1'], [entry]))).toEqual([at('LEDGER_INTEGRITY_BROKEN')]);
  });
});

describe('given a trial, where entries may be unsigned', () => {
  const trial = { allowUnsigned: true };

  it('when digest and signature are missing, then it is evidence, and the result says unsigned', () => {
    const result = citing(['c1'], [ready('c1', ['d'], SIGNED_BY_NOBODY)], trial);
    expect(result).toMatchObject({ status: 'PASSED', unsigned: true });
  });

  it('when everything is signed, then the result does not say unsigned', () => {
    expect(citing(['c1'], [ready('c1', ['d']), bare('c2', 'PENDING')], trial).unsigned).toBe(false);
  });

  it('when a digest or signature is there, then it must match', () => {
    for (const other of [
      { signature: 'INVALID' },
      { signature: 'ABSENT', agentViewSha256: sha256('x') },
    ] as const) {
      expect(found(citing(['c1'], [ready('c1', ['d'], other)], trial))).toEqual([
        at('LEDGER_INTEGRITY_BROKEN'),
      ]);
    }
  });

  it('when a READY entry has neither digest nor view, then it is no readable evidence', () => {
    const entry = ready('c1', ['d'], { ...SIGNED_BY_NOBODY, agentView: null });
    expect(found(citing(['c1'], [entry], trial))).toEqual([at('LEDGER_PROJECTION_INVALID')]);
  });
});

describe('given a kind', () => {
  const entries = [ready('some', ['d']), ready('none')];
  const kind = (name: string, calls: readonly string[]) =>
    found(judge(draft({ analysis: [analysis({ kind: name, tool_call_ids: calls })] }), entries));

  it('when a NORMAL analysis cites a lookup that found nothing, then it claims evidence', () => {
    expect(kind('NORMAL', ['some', 'none'])).toEqual([at('KIND_CLAIMS_EVIDENCE', 1)]);
  });

  it('when a NEGATIVE_OBSERVATION cites a lookup that found something, then it denies evidence', () => {
    expect(kind('NEGATIVE_OBSERVATION', ['some', 'none'])).toEqual([at('KIND_DENIES_EVIDENCE', 0)]);
  });

  it('when the lookup has another finding, then the kind is not judged', () => {
    const expired = [ready('none', [], { expiresAt: NOW })];
    expect(found(citing(['none'], expired))).toEqual([at('TOOL_CALL_EXPIRED')]);
  });
});

describe('given a list of calls', () => {
  it('when a call is repeated, then it is checked once, at its first place', () => {
    expect(found(citing(['x', 'y', 'x', 'x'], []))).toEqual([
      at('TOOL_CALL_UNKNOWN', 0),
      at('TOOL_CALL_UNKNOWN', 1),
    ]);
  });

  it('when another analysis cites it too, then it is checked there as well', () => {
    const analyses = [analysis({ tool_call_ids: ['x'] }), analysis({ id: 'a2', tool_call_ids: ['x'] })];
    expect(found(judge(draft({ analysis: analyses }), []))).toEqual([
      'TOOL_CALL_UNKNOWN /analysis/0/tool_call_ids/0',
      'TOOL_CALL_UNKNOWN /analysis/1/tool_call_ids/0',
    ]);
  });
});

describe('whose fault it is', () => {
  const broken = ready('broken', ['d'], { signature: 'INVALID' });
  it('is ours where the ledger alone is to blame', () => {
    const unreadable = bare('torn', 'UNREADABLE');
    expect(citing(['broken', 'torn'], [broken, unreadable]).faultIsOurs).toBe(true);
  });

  it.each(['INVALID', 'ABSENT'] as const)(
    'is ours where a state comes from an entry whose signature is %s',
    (signature) => {
      const entries = [
        bare('p', 'PENDING', { signature }),
        bare('f', 'FAILED', { signature }),
        ready('x', ['d'], { signature, expiresAt: 0 }),
      ];
      expect(citing(['p', 'f', 'x'], entries).faultIsOurs).toBe(true);
      expect(citing(['p', 'f', 'x'], entries, { allowUnsigned: true }).faultIsOurs).toBe(false);
    },
  );

  it('is the draft’s where the state is signed, or anything else is wrong as well', () => {
    expect(citing(['p'], [bare('p', 'PENDING')]).faultIsOurs).toBe(false);
    expect(citing(['broken', 'nope'], [broken]).faultIsOurs).toBe(false);
    const entries = [broken];
    expect(
      judge(draft({ analysis: [analysis({ tool_call_ids: ['broken'] })], limitations: [] }), entries)
        .faultIsOurs,
    ).toBe(false);
  });

  it('is nobody’s where the draft passes', () => {
    expect(citing(['c1'], [ready('c1', ['d'], { expiresAt: LATER })]).faultIsOurs).toBe(false);
  });
});
