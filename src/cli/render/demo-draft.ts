import type {
  EvidenceSpan,
  Finding,
  GuardVerdict,
  RepairRequested,
  VerifiedDraft,
  Violation,
} from '../../contracts/generated.js';
import { detailOf } from '../../demo/promise.js';
import type { DemoDraft } from '../../demo/run-demo.js';
import type { SubmissionAnswer } from '../../line/doors.js';
import { counted } from './advice.js';
import { column, labelled, type Paint, type Tone } from './page.js';
import { safeText } from './safe-text.js';

/** One draft of the demo: what became of it, every lie in it, and what was published. */

/** Columns of a line. */
const WIDTH = 100;

export function draftStory({ scripted, answer }: DemoDraft, paint: Paint): readonly string[] {
  const { verdict, reviewed, verified, repair } = answer;
  return [
    `  ${paint('strong', `DRAFT ${scripted.file}`)}  ${scripted.title}`,
    `  ${markOf(answer, paint)} ${paint(toneOf(answer), outcomeOf(answer))}`,
    ...verdict.violations.flatMap((violation, i) => lieStory(violation, i + 1, verdict, paint)),
    ...reviewed.findings.flatMap((finding) => findingStory(finding, verdict, paint)),
    ...(isPublished(verified) ? publishedStory(verified) : []),
    ...(repair === null ? [] : repairStory(repair)),
  ];
}

export function markOf(answer: SubmissionAnswer, paint: Paint): string {
  const tone = toneOf(answer);
  return paint(tone, tone === 'good' ? '✓' : tone === 'bad' ? '✗' : '!');
}

function toneOf({ verdict, verified }: SubmissionAnswer): Tone {
  if (isPublished(verified)) return 'good';
  return verdict.status === 'PASSED' ? 'unsure' : 'bad';
}

function isPublished(verified: VerifiedDraft | null): verified is VerifiedDraft {
  return verified?.outcome === 'VERIFIED';
}

const AFTERWARDS = {
  PUBLISH: 'it is published',
  REPAIR: 'it goes back to the agent, nothing is published',
  HOLD: 'a person has to decide, nothing is published',
  FALLBACK: 'a fixed text goes out in its place',
  STALE: 'it comes too late, nothing is published',
} as const;

/** The guard's verdict, the review's finding, and what follows. */
function outcomeOf({ verdict, reviewed }: SubmissionAnswer): string {
  const count = verdict.violationCount;
  const guard = count === 0 ? verdict.status : `${verdict.status}, ${count} violations`;
  const review = reviewed.status === null ? '' : ` · review: ${reviewed.status}`;
  return `guard: ${guard}${review} · ${reviewed.decision}: ${AFTERWARDS[reviewed.decision]}`;
}

function lieStory(
  violation: Violation,
  number: number,
  verdict: GuardVerdict,
  paint: Paint,
): readonly string[] {
  return [
    `    ${number} ${paint('bad', column(violation.code, 21))} ${paint('faint', safeText(violation.path))}`,
    ...saysStory(violation.path, verdict),
    ...labelled('      cites  ', reasonOf(violation), WIDTH),
  ];
}

/** What is cited and why it does not hold, in fewer words than the violation's message has. */
function reasonOf(violation: Violation): string {
  const { cites = '', why, reason, nearest } = detailOf(violation);
  switch (violation.code) {
    case 'TOOL_CALL_UNKNOWN':
      return `${cites}, a lookup that was never made`;
    case 'KIND_CLAIMS_EVIDENCE':
      return `${cites} as evidence, but it found nothing`;
    case 'KIND_DENIES_EVIDENCE':
      return `${cites} as proof that there is nothing, but it found evidence`;
    case 'DOCUMENT_NOT_SHOWN':
      return `${cites}: ${whereabouts(why, reason, nearest)}`;
    default:
      return violation.message;
  }
}

function whereabouts(why = '', reason = '', nearest = ''): string {
  if (why === 'NEVER_RETRIEVED') return `${why}, no lookup found it`;
  if (why === 'DROPPED') return `${why} (${reason}), the agent never saw it`;
  return `${why} ${nearest}`.trim();
}

function saysStory(path: string, verdict: GuardVerdict): readonly string[] {
  const text = textAt(path, verdict);
  return text === null ? [] : labelled('      says   ', `"${text}"`, WIDTH);
}

/** The text of the analysis or conclusion that the path leads into, as the guard parsed it. */
function textAt(path: string, { draft }: GuardVerdict): string | null {
  const [, list, index] = path.split('/');
  if (list === 'conclusion') return draft?.conclusion?.text ?? null;
  return (list === 'analysis' ? draft?.analysis[Number(index)]?.text : undefined) ?? null;
}

function findingStory(finding: Finding, verdict: GuardVerdict, paint: Paint): readonly string[] {
  const [code = '', ...words] = finding.reason.split(': ');
  return [
    `      ${paint('unsure', column(code, 21))} ${paint('faint', safeText(finding.path))}`,
    ...saysStory(finding.path, verdict),
    ...labelled('      but    ', words.join(': '), WIDTH),
    ...finding.evidenceSpans.slice(0, 1).flatMap((span) => evidenceStory(span, verdict)),
  ];
}

/** The line of the evidence that a finding points at. */
function evidenceStory(span: EvidenceSpan, { lookups }: GuardVerdict): readonly string[] {
  const { toolCallId, documentId, start } = span;
  const shown = lookups.find((lookup) => lookup.toolCallId === toolCallId)?.items ?? [];
  const excerpt = shown.find((item) => item.documentId === documentId)?.excerpt ?? '';
  const line = excerpt.slice(excerpt.lastIndexOf('\n', start) + 1).split('\n', 1)[0] ?? '';
  return line === '' ? [] : labelled('      shown  ', `"${line.replace(/^[-*] /, '')}"`, WIDTH);
}

/** What the agent is told. The prompt itself is long, and in the record. */
function repairStory({ findings, more, attemptsLeft }: RepairRequested): readonly string[] {
  const faults = counted(findings.length + more, 'fault');
  const words = `the agent is told ${faults} and what mends each; ${counted(attemptsLeft, 'attempt')} left`;
  return labelled('      then   ', words, WIDTH);
}

function publishedStory({ draft, analyses, lookups }: VerifiedDraft): readonly string[] {
  const conclusion = draft?.conclusion?.text ?? null;
  const texts = conclusion === null ? (draft?.analysis ?? []).map(({ text }) => text) : [conclusion];
  const cited = analyses.flatMap(({ citations }) => citations.filter((citation) => citation.cited));
  const empty = lookups.filter((lookup) => lookup.evidenceStatus === 'NO_EVIDENCE');
  return [
    ...texts.flatMap((text) => labelled('      says   ', `"${text}"`, WIDTH)),
    ...(conclusion === null ? ['      and    concludes nothing'] : []),
    ...cited.flatMap(({ documentId, toolCallId }) =>
      labelled('      cites  ', `${documentId}, shown by ${toolCallId}`, WIDTH),
    ),
    ...empty.flatMap(({ toolCallId }) =>
      labelled('      cites  ', `${toolCallId}, which found nothing`, WIDTH),
    ),
  ];
}
