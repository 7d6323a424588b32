import type { DemoDraft, DemoLookup, DemoReport, DemoRun } from '../../demo/run-demo.js';
import { evidenceLimits } from '../../evidence/limits.js';
import { draftStory, markOf } from './demo-draft.js';
import { column, type Paint } from './page.js';
import { safeText } from './safe-text.js';

/**
 * The demo as a story for a person. Every id, grade, code and reason in it is read from the line's records; only
 * the words around them are ours.
 */

export function demoStory(report: DemoReport, paint: Paint): readonly string[] {
  const { index, runs } = report;
  const reports = runs.flatMap((run) => run.drafts).length;
  return [
    paint(
      'strong',
      `An agent asks a knowledge base and hands in ${reports} reports. Which may be published?`,
    ),
    'The guard asks whether every citation is real, the review whether a report says more than its',
    'evidence. This is the real line, on this machine; no model and no network are used.',
    '',
    `${paint('strong', 'INDEX')}  ${index.documents} runbooks, English and Chinese: ${index.chunks} passages in ${index.milliseconds} ms`,
    ...runs.flatMap((run) => ['', ...runStory(run, paint)]),
  ];
}

/** What came of every draft, a line each; and, where that is not what was promised, in what it differs. */
export function demoSummary({ runs, kept }: DemoReport, paint: Paint): readonly string[] {
  const drafts = runs.flatMap((run) => run.drafts);
  return [
    paint('strong', 'IN SHORT'),
    ...drafts.map((draft) => summaryLine(draft, paint)),
    ...(kept ? [] : ['', paint('bad', 'This is not what the demo promises:')]),
    ...drafts.flatMap(({ scripted, broken }) =>
      broken.map((problem) => paint('bad', safeText(`  ${scripted.file}: ${problem}`))),
    ),
  ];
}

function summaryLine({ scripted, answer }: DemoDraft, paint: Paint): string {
  const { verdict, reviewed, verified } = answer;
  const found = verdict.violationCount > 0 ? `${verdict.violationCount} violations` : (reviewed.status ?? '');
  const end = verified?.outcome === 'VERIFIED' ? 'published' : 'not published';
  const columns = [column(scripted.file, 18), column(verdict.status, 10), column(found, 14)];
  return `  ${markOf(answer, paint)} ${columns.join(' ')} ${column(reviewed.decision, 9)} ${end}`;
}

function runStory({ scripted, lookups, drafts }: DemoRun, paint: Paint): readonly string[] {
  return [
    `${paint('strong', `RUN ${scripted.runId}`)}  ${scripted.title}`,
    ...lookups.flatMap((lookup) => lookupStory(lookup, paint)),
    ...drafts.flatMap((draft) => ['', ...draftStory(draft, paint)]),
  ];
}

/** Columns of a lookup's id and grade. */
const NAME = 13;
/** Columns of a document's id. */
const ID = 41;

function lookupStory({ query, projected, view, entry }: DemoLookup, paint: Paint): readonly string[] {
  const grade = view?.relevanceLevel ?? view?.evidenceStatus ?? projected.state;
  const rows = [
    ...(view?.evidence ?? []).map((item) => row('shown', item.documentId, lastHeading(item.breadcrumb))),
    ...entry.dropped.map((drop) => paint('faint', row('left out', drop.evidenceKey, wordsOf(drop.reason)))),
  ];
  if (rows.length === 0)
    rows.push(safeText(`nothing shown: ${projected.noEvidenceBasis ?? projected.failure?.code ?? ''}`));
  return [
    `  ${column(projected.toolCallId, NAME)}"${safeText(query)}"`,
    ...rows.map((text, i) => `  ${i === 0 ? paint('strong', column(grade, NAME)) : ' '.repeat(NAME)}${text}`),
  ];
}

function row(what: string, id: string, note: string): string {
  return `${column(what, 9)} ${column(id, ID)}  ${safeText(note)}`;
}

function lastHeading(breadcrumb: string | null): string {
  return breadcrumb?.split(' > ').at(-1) ?? '';
}

/** What a reason means, where its name does not say it. */
const REASONS: Readonly<Record<string, string>> = {
  DOC_CAP: `${evidenceLimits.maxBlocksPerDocument} passages a document`,
  TOTAL_CAP: `${evidenceLimits.maxBlocks} passages in all`,
};

function wordsOf(reason: string): string {
  const words = Object.hasOwn(REASONS, reason) ? REASONS[reason] : undefined;
  return words === undefined ? reason : `${reason}: ${words}`;
}
