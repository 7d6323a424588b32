import type {
  EvidenceSpan,
  Finding,
  LookupSnapshot,
  VerifiedDraft,
  Violation,
} from '../../contracts/generated.js';
import { detailOf } from '../../demo/promise.js';
import type { DemoDraft, DemoLookup, DemoReport, DemoRun } from '../../demo/run-demo.js';
import { column, labelled, type Paint, type Tone } from './page.js';
import { safeText } from './safe-text.js';

/** The demo as a story for a person. Every id, code and reason in it is the records'; only the words around are ours. */

/** Columns of a line. */
const WIDTH = 100;

export function demoStory(report: DemoReport, paint: Paint): readonly string[] {
  const { index, runs } = report;
  const drafts = runs.flatMap((run) => run.drafts);
  return [
    paint('strong', 'Proofline demo: the real line, on this machine, in a folder of its own.'),
    `An agent asks a knowledge base and hands in ${drafts.length} reports. Which of them may be published?`,
    '',
    `${paint('strong', 'INDEX')}  ${index.documents} runbooks, English and Chinese, in ${index.chunks} chunks, indexed in ${index.milliseconds} ms`,
    ...runs.flatMap((run) => ['', ...runStory(run, paint)]),
  ];
}

/** What came of every draft, a line each. */
export function demoSummary({ runs, kept }: DemoReport, paint: Paint): readonly string[] {
  const drafts = runs.flatMap((run) => run.drafts);
  const broken = drafts.flatMap(({ scripted, broken: problems }) =>
    problems.map((problem) => `${scripted.file}: ${problem}`),
  );
  return [
    paint('strong', 'IN SHORT'),
    ...drafts.map((draft) => summaryLine(draft, paint)),
    ...(kept ? [] : ['', paint('bad', 'This is not what the demo promises:')]),
    ...broken.map((problem) => paint('bad', `  ${safeText(problem)}`)),
  ];
}

function summaryLine({ scripted, answer }: DemoDraft, paint: Paint): string {
  const { verdict, reviewed } = answer;
  const found =
    verdict.violationCount > 0 ? `${verdict.violationCount} lies caught` : (reviewed.status ?? '');
  const end = verified(answer.verified) ? 'published' : 'not published';
  const columns = [
    column(scripted.file, 18),
    column(verdict.status, 10),
    column(found, 15),
    column(reviewed.decision, 9),
    end,
  ];
  return `  ${mark(answer, paint)} ${columns.join(' ')}`;
}

function verified(record: VerifiedDraft | null): record is VerifiedDraft {
  return record?.outcome === 'VERIFIED';
}

function toneOf({ verdict, verified: record }: DemoDraft['answer']): Tone {
  if (verified(record)) return 'good';
  return verdict.status === 'PASSED' ? 'unsure' : 'bad';
}

function mark(answer: DemoDraft['answer'], paint: Paint): string {
  const tone = toneOf(answer);
  return paint(tone, tone === 'good' ? '✓' : tone === 'bad' ? '✗' : '!');
}

function runStory({ scripted, lookups, drafts }: DemoRun, paint: Paint): readonly string[] {
  return [
    `${paint('strong', `RUN ${scripted.runId}`)}  ${scripted.title}`,
    ...lookups.flatMap((lookup) => lookupStory(lookup, paint)),
    ...drafts.flatMap((draft) => ['', ...draftStory(draft, paint)]),
  ];
}

function lookupStory({ query, projected, view, entry }: DemoLookup, paint: Paint): readonly string[] {
  const grade = view?.relevanceLevel ?? view?.evidenceStatus ?? projected.state;
  const rows = [
    ...(view?.evidence ?? []).map((item) => row('shown', item.documentId, sectionOf(item.breadcrumb))),
    ...entry.dropped.map((drop) => paint('faint', row('left out', drop.evidenceKey, drop.reason))),
  ];
  if (rows.length === 0)
    rows.push(`nothing shown (${projected.noEvidenceBasis ?? projected.failure?.code ?? ''})`);
  return [
    `  ${column(projected.toolCallId, 13)}"${safeText(query)}"`,
    ...rows.map((text, i) => `  ${i === 0 ? paint('strong', column(grade, 13)) : ' '.repeat(13)}${text}`),
  ];
}

function row(what: string, id: string, note: string): string {
  return `${column(what, 9)} ${column(id, 38)} ${safeText(note)}`;
}

/** The last heading of a breadcrumb. */
function sectionOf(breadcrumb: string | null): string {
  return breadcrumb?.split(' > ').at(-1) ?? '';
}

function draftStory(draft: DemoDraft, paint: Paint): readonly string[] {
  const { scripted, answer } = draft;
  return [
    `  ${paint('strong', `DRAFT ${scripted.file}`)}  ${scripted.title}`,
    `  ${mark(answer, paint)} ${paint(toneOf(answer), outcomeOf(answer))}`,
    ...answer.verdict.violations.flatMap((violation, i) => lieStory(violation, i + 1, draft, paint)),
    ...answer.reviewed.findings.flatMap((finding) => findingStory(finding, draft, paint)),
    ...(verified(answer.verified) ? publishedStory(answer.verified) : []),
  ];
}

/** The guard's verdict, the review's finding, and what follows. */
function outcomeOf({ verdict, reviewed, verified: record }: DemoDraft['answer']): string {
  const guard =
    verdict.violationCount === 0 ? verdict.status : `${verdict.status}, ${verdict.violationCount} lies`;
  const review = reviewed.status === null ? '' : `   review: ${reviewed.status}`;
  const end = verified(record) ? ', published' : (AFTER[reviewed.decision] ?? '');
  return `guard: ${guard}${review}   decision: ${reviewed.decision}${end}`;
}

const AFTER: Readonly<Partial<Record<string, string>>> = {
  REPAIR: ', back to the agent, not published',
  HOLD: ', a person decides, not published',
  STALE: ', too late, not published',
  FALLBACK: ', a fixed text in its place',
};

function lieStory(violation: Violation, number: number, draft: DemoDraft, paint: Paint): readonly string[] {
  const says = claimAt(violation.path, draft);
  return [
    `    ${number} ${paint('bad', column(violation.code, 22))} ${paint('faint', safeText(violation.path))}`,
    ...(says === null ? [] : labelled('      says   ', `"${says}"`, WIDTH)),
    ...labelled('      cites  ', reasonOf(violation), WIDTH),
  ];
}

/** What is cited and why it does not hold, in fewer words than the violation's message has. */
function reasonOf(violation: Violation): string {
  const { cites, why, reason, nearest } = detailOf(violation);
  switch (violation.code) {
    case 'TOOL_CALL_UNKNOWN':
      return `${cites ?? ''}: there was no such lookup`;
    case 'KIND_CLAIMS_EVIDENCE':
      return `${cites ?? ''} as evidence: that lookup found nothing`;
    case 'KIND_DENIES_EVIDENCE':
      return `${cites ?? ''} as having found nothing: that lookup found evidence`;
    case 'DOCUMENT_NOT_SHOWN':
      return `${cites ?? ''}: ${whereabouts(why, reason, nearest)}`;
    default:
      return violation.message;
  }
}

function whereabouts(why = '', reason = '', nearest = ''): string {
  switch (why) {
    case 'NEVER_RETRIEVED':
      return `${why}, it is invented`;
    case 'DROPPED':
      return `${why} by ${reason}, the model never saw it`;
    default:
      return `${why} ${nearest}`.trim();
  }
}

/** The text of the draft, as it was parsed, that a path into an analysis belongs to. */
function claimAt(path: string, { answer }: DemoDraft): string | null {
  const { draft } = answer.verdict;
  const [, list, index] = path.split('/');
  if (list === 'conclusion') return draft?.conclusion?.text ?? null;
  return (list === 'analysis' ? draft?.analysis[Number(index)]?.text : undefined) ?? null;
}

function findingStory(finding: Finding, draft: DemoDraft, paint: Paint): readonly string[] {
  const says = claimAt(finding.path, draft);
  const [code = '', ...words] = finding.reason.split(': ');
  return [
    `      ${paint('unsure', column(code, 22))} ${paint('faint', safeText(finding.path))}`,
    ...(says === null ? [] : labelled('      says   ', `"${says}"`, WIDTH)),
    ...labelled('      but    ', words.join(': '), WIDTH),
    ...finding.evidenceSpans.slice(0, 1).flatMap((span) => evidenceStory(span, draft)),
  ];
}

/** The line of the evidence that a finding points at. */
function evidenceStory({ toolCallId, documentId, start }: EvidenceSpan, draft: DemoDraft): readonly string[] {
  const lookup = draft.answer.verdict.lookups.find((each) => each.toolCallId === toolCallId);
  const excerpt = lookup?.items.find((item) => item.documentId === documentId)?.excerpt ?? '';
  const from = excerpt.lastIndexOf('\n', start) + 1;
  const line = excerpt.slice(from).split('\n', 1)[0] ?? '';
  return line === '' ? [] : labelled('      shown  ', `"${line}" (${documentId})`, WIDTH);
}

function publishedStory({ draft, analyses, lookups }: VerifiedDraft): readonly string[] {
  const conclusion = draft?.conclusion ?? null;
  return [
    ...labelled(
      '      says   ',
      conclusion === null ? 'no conclusion, for there was no evidence' : `"${conclusion.text}"`,
      WIDTH,
    ),
    ...analyses.flatMap(({ id, citations }) => {
      const cited = citations.filter((citation) => citation.cited);
      return cited.map(
        (citation) =>
          `      cites  ${column(citation.documentId, 38)} shown by ${citation.toolCallId} (${id})`,
      );
    }),
    ...lookups
      .filter(foundNothing)
      .map((lookup) => `      cites  ${column(lookup.toolCallId, 38)} which found nothing`),
  ];
}

function foundNothing({ evidenceStatus }: LookupSnapshot): boolean {
  return evidenceStatus === 'NO_EVIDENCE';
}
