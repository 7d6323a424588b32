import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tryGuard } from '../../src/cli/try/guard.js';
import { demoStory, demoSummary } from '../../src/cli/render/demo.js';
import { paintFor } from '../../src/cli/render/page.js';
import { textWidth } from '../../src/cli/render/safe-text.js';
import type { JsonObject } from '../../src/contracts/json.js';
import { readDraft } from '../../src/guard/draft.js';
import { defaultGuardLimits } from '../../src/guard/limits.js';
import { examplesFolder } from '../../src/demo/examples-folder.js';
import { detailOf } from '../../src/demo/promise.js';
import { demoReportJson } from '../../src/demo/report-json.js';
import { runDemo, type DemoDraft, type DemoReport } from '../../src/demo/run-demo.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';

let report: DemoReport;

beforeAll(async () => {
  report = await runDemo({ examples: examplesFolder(), folder: null }, (played) => Promise.resolve(played));
});

afterAll(removeTempFolders);

function draftOf(played: DemoReport, file: string): DemoDraft {
  return played.runs.flatMap((run) => run.drafts).find((draft) => draft.scripted.file === file)!;
}

function draftFile(file: string) {
  const text = readFileSync(join(examplesFolder(), 'drafts', file), 'utf8');
  const reading = readDraft(text, defaultGuardLimits);
  if (!('draft' in reading)) throw new Error(`${file} is malformed`);
  return reading.draft;
}

/** A copy of the examples with one draft changed. */
function changed(file: string, change: (text: string) => string): string {
  const folder = tempFolder();
  cpSync(examplesFolder(), folder, { recursive: true });
  const path = join(folder, 'drafts', file);
  writeFileSync(path, change(readFileSync(path, 'utf8')));
  return folder;
}

describe('the demo, played on the real line', () => {
  test('catches every lie of the forged draft, each with its code and its reason', () => {
    const { answer } = draftOf(report, 'forged.json');
    const caught = answer.verdict.violations.map((violation) => {
      const { why, reason, cites } = detailOf(violation);
      return [violation.code, violation.path, cites, why, reason].filter((part) => part !== undefined);
    });
    expect(answer.verdict.status).toBe('REJECTED');
    expect(caught).toEqual([
      ['TOOL_CALL_UNKNOWN', '/analysis/1/tool_call_ids/0', 'call_traces'],
      ['KIND_CLAIMS_EVIDENCE', '/analysis/4/tool_call_ids/0', 'call_mesh'],
      ['KIND_DENIES_EVIDENCE', '/analysis/5/tool_call_ids/0', 'call_pool'],
      [
        'DOCUMENT_NOT_SHOWN',
        '/analysis/0/document_ids/1',
        'gateway-timeout-md-cd0a5db9#chunk-2',
        'DROPPED',
        'DOC_CAP',
      ],
      [
        'DOCUMENT_NOT_SHOWN',
        '/analysis/2/document_ids/0',
        'order-service-sizing-md-5d1e88f0#chunk-2',
        'NEVER_RETRIEVED',
      ],
      ['DOCUMENT_NOT_SHOWN', '/analysis/3/text', 'gateway-incidents-md-7ab3c019#chunk-4', 'NEVER_RETRIEVED'],
    ]);
    expect(answer.reviewed.decision).toBe('REPAIR');
    expect(answer.verified).toBeNull();
  });

  test('says where in the sentence an invented coordinate stands', () => {
    const { verdict } = draftOf(report, 'forged.json').answer;
    const inText = verdict.violations.find(({ path }) => path === '/analysis/3/text')!;
    const { span } = JSON.parse(inText.detailJson) as { span: { start: number; end: number } };
    expect(verdict.draft!.analysis[3]!.text.slice(span.start, span.end)).toBe('#chunk-4');
  });

  test('publishes the true draft with what it cites', () => {
    const { verdict, reviewed, verified } = draftOf(report, 'true.json').answer;
    expect([verdict.status, reviewed.status, reviewed.decision]).toEqual(['PASSED', 'SUPPORTED', 'PUBLISH']);
    expect(reviewed.findings).toEqual([]);
    expect(verified).toMatchObject({
      outcome: 'VERIFIED',
      draftId: 'draft-true',
      attempt: 2,
      replaces: null,
    });
    const cited = verified!.analyses.flatMap(({ citations }) => citations.filter(({ cited: is }) => is));
    expect(cited.map(({ documentId }) => documentId)).toEqual([
      'gateway-timeout-md-cd0a5db9#chunk-1',
      'connection-pool-md-57adcb16#chunk-0',
    ]);
  });

  test('sends the overstated draft back, whose citations are all true', () => {
    const { verdict, reviewed, verified } = draftOf(report, 'overstated.json').answer;
    expect([verdict.status, verdict.lookups[0]!.relevanceLevel]).toEqual(['PASSED', 'REFERENCE']);
    expect([reviewed.status, reviewed.decision, verified]).toEqual(['OVERSTATED', 'REPAIR', null]);
    expect(reviewed.findings.map(({ path, reason }) => [path, reason])).toEqual([
      ['/analysis/0/text', 'ABSOLUTE_NOT_SHOWN: the evidence has nothing like "always"'],
      ['/conclusion/text', 'CERTAINTY_RAISED: "proven" where the evidence says only "may"'],
    ]);
  });

  test('publishes the honest report of nothing, without a conclusion', () => {
    const { verdict, reviewed, verified } = draftOf(report, 'no-evidence.json').answer;
    expect([verdict.status, reviewed.status, reviewed.decision]).toEqual(['PASSED', 'ABSTAINED', 'PUBLISH']);
    expect(verified).toMatchObject({ outcome: 'VERIFIED', draft: { conclusion: null } });
    expect(verified!.lookups.map(({ evidenceStatus }) => evidenceStatus)).toEqual(['NO_EVIDENCE']);
  });

  test('keeps what it promises', () => {
    expect(report.kept).toBe(true);
    expect(report.runs.flatMap((run) => run.drafts).flatMap((draft) => draft.broken)).toEqual([]);
  });
});

describe('the example drafts', () => {
  test.each(['true.json', 'overstated.json', 'no-evidence.json'])(
    '%s cites only lookups that were made and documents that they showed',
    (file) => {
      const run = report.runs.find(({ drafts }) => drafts.some((draft) => draft.scripted.file === file))!;
      const shown = new Map(
        run.lookups.map(({ view }) => [view!.toolCallId, view!.evidence.map((item) => item.documentId)]),
      );
      for (const { toolCallIds, documentIds } of draftFile(file).analysis) {
        expect([...shown.keys()]).toEqual(expect.arrayContaining([...toolCallIds]));
        expect(toolCallIds.flatMap((id) => shown.get(id)!)).toEqual(expect.arrayContaining([...documentIds]));
      }
    },
  );

  test('the forged one cites a passage of a document of which two others were shown', () => {
    const { view, entry } = report.runs[0]!.lookups[0]!;
    const dropped = entry.dropped.map(({ evidenceKey, reason }) => `${evidenceKey} ${reason}`);
    expect(view!.evidence).toHaveLength(2);
    expect(dropped).toContain('gateway-timeout-md-cd0a5db9#chunk-2 DOC_CAP');
  });
});

describe('examples/evidence.json', () => {
  /** The fields of the ledger that are the same each time. */
  function evidenceOf(run: JsonObject): JsonObject {
    const { run_id, entries } = run['evidence'] as { run_id: string; entries: JsonObject[] };
    const kept = ['run_id', 'tool_call_id', 'state', 'agent_view', 'agent_view_sha256', 'blocks', 'dropped'];
    const fields = [...kept, 'cuts', 'no_evidence_basis'];
    const entry = (whole: JsonObject) => Object.fromEntries(fields.map((name) => [name, whole[name]]));
    return { run_id, entries: entries.map(entry) };
  }

  test('is what the ledger of the first run holds', async () => {
    const [run] = demoReportJson(report)['runs'] as JsonObject[];
    const text = `${JSON.stringify(evidenceOf(run!), null, 2)}\n`;
    await expect(text).toMatchFileSnapshot('../../examples/evidence.json');
  });

  test.each(['forged.json', 'true.json'])('gives %s the verdict that it got on the line', (file) => {
    const evidence = JSON.parse(readFileSync(join(examplesFolder(), 'evidence.json'), 'utf8')) as unknown;
    const draft_json = readFileSync(join(examplesFolder(), 'drafts', file), 'utf8');
    const verdict = tryGuard({ evidence, draft_json, submitted_at: '2026-01-01T00:00:00Z' });
    const onLine = draftOf(report, file).answer.verdict;
    const places = (violations: readonly { readonly code: string; readonly path: string }[]) =>
      violations.map(({ code, path }) => `${code} ${path}`);
    expect(verdict['status']).toBe(onLine.status);
    expect(places(verdict['violations'] as { code: string; path: string }[])).toEqual(
      places(onLine.violations),
    );
  });
});

describe('the story', () => {
  const plain = paintFor({ colours: false });

  test('names every code, path and cited id of every lie', () => {
    const story = demoStory(report, plain).join('\n');
    for (const violation of draftOf(report, 'forged.json').answer.verdict.violations) {
      for (const part of [violation.code, violation.path, detailOf(violation).cites])
        expect(story).toContain(part);
    }
  });

  test('fits a terminal of 100 columns', () => {
    const lines = [...demoStory(report, plain), ...demoSummary(report, plain)];
    expect(lines.filter((line) => textWidth(line) > 100)).toEqual([]);
    expect(lines.length).toBeLessThan(85);
  });

  test('is the same in colours', () => {
    const coloured = demoStory(report, paintFor({ colours: true })).join('\n');
    expect(coloured).toContain('\u001b[');
    expect(coloured.replace(/\u001b\[\d+m/g, '')).toBe(demoStory(report, plain).join('\n'));
  });
});

describe('a demo whose drafts are not what they should be', () => {
  test('a true draft with a wrong document id breaks the promise, and says in what', async () => {
    const examples = changed('true.json', (text) =>
      text.replace('md-57adcb16#chunk-0', 'md-57adcb16#chunk-7'),
    );
    const played = await runDemo({ examples, folder: null }, (it) => Promise.resolve(it));
    expect(played.kept).toBe(false);
    expect(draftOf(played, 'true.json').broken).toEqual([
      'the verdict is REJECTED, not PASSED',
      'caught, but no lie: /analysis/1/document_ids/0 DOCUMENT_NOT_SHOWN MALFORMED',
      'the review is null, not SUPPORTED',
      'the decision is REPAIR, not PUBLISH',
      'published is false, not true',
    ]);
    expect(demoSummary(played, paintFor({ colours: false })).join('\n')).toContain(
      'true.json: the verdict is REJECTED, not PASSED',
    );
  });

  test('a forged draft that lies in one place less breaks it too', async () => {
    const examples = changed('forged.json', (text) => text.replace('call_traces', 'call_pool'));
    const played = await runDemo({ examples, folder: null }, (it) => Promise.resolve(it));
    expect(played.kept).toBe(false);
    expect(draftOf(played, 'forged.json').broken).toEqual([
      'not caught: /analysis/1/tool_call_ids/0 TOOL_CALL_UNKNOWN',
    ]);
  });

  test('a draft that is missing is told by its file', async () => {
    const examples = changed('true.json', (text) => text);
    rmSync(join(examples, 'drafts', 'true.json'));
    await expect(runDemo({ examples, folder: null }, () => Promise.resolve())).rejects.toMatchObject({
      code: 'PL_INPUT_INVALID',
    });
  });
});
