// In a project of your own: from 'proofline/client'.
import type { Received, VerifiedDraft } from 'proofline/client';

/**
 * A verified report as Markdown with numbered citations. Everything that a citation shows is the line's snapshot of
 * what the model was shown, never the model's retelling of it.
 */

/** From HTTP or from Kafka: they differ in how they write instants. */
export type Report = Received<VerifiedDraft> | VerifiedDraft;

interface Source {
  readonly number: number;
  readonly documentId: string;
  readonly title: string | null;
  readonly quotes: string[];
}

/** @param report with `outcome` VERIFIED and a draft */
export function reportMarkdown(report: Report): string {
  const { draft, runId } = report;
  if (draft === null) throw new Error(`the outcome of ${runId} has no draft`);
  const sources = sourcesOf(report);
  const marks = new Map(report.analyses.map(({ id, citations }) => [id, marksOf(citations, sources)]));
  const markOf = (ids: readonly string[]): string => {
    const numbers = new Set(ids.flatMap((id) => marks.get(id) ?? []));
    return [...numbers].map((number) => `[${number}]`).join('');
  };
  return sections([
    `# Report of run ${escaped(runId)}`,
    draft.conclusion === null
      ? 'The evidence was not enough for a conclusion.'
      : `${escaped(draft.conclusion.text)} ${markOf(draft.conclusion.basedOnAnalysisIds)}`.trimEnd(),
    section(
      '## Analysis',
      draft.analysis.map(({ id, text, kind, toolCallIds }) =>
        kind === 'NORMAL'
          ? `- ${escaped(text)} ${markOf([id])}`.trimEnd()
          : `- ${escaped(text)} (asked: ${toolCallIds.map((call) => `“${queryOf(report, call)}”`).join(', ')})`,
      ),
    ),
    section(
      '## What to do',
      draft.actionPlan.map(({ text, basedOnAnalysisIds }, i) =>
        `${i + 1}. ${escaped(text)} ${markOf(basedOnAnalysisIds)}`.trimEnd(),
      ),
    ),
    section(
      '## Limitations',
      draft.limitations.map((text) => `- ${escaped(text)}`),
    ),
    section('## Sources', [...sources.values()].map(sourceLine)),
    section('## Proof', proofLines(report)),
  ]);
}

/** The documents that the analyses cite, numbered in the order in which they are cited first. */
function sourcesOf({ analyses, lookups, quotes }: Report): Map<string, Source> {
  const items = new Map(
    lookups.flatMap((lookup) => lookup.items.map((item) => [item.documentId, item] as const)),
  );
  const sources = new Map<string, Source>();
  for (const { documentId, cited } of analyses.flatMap(({ citations }) => citations)) {
    if (!cited || sources.has(documentId)) continue;
    const title = items.get(documentId)?.title ?? null;
    sources.set(documentId, { number: sources.size + 1, documentId, title, quotes: [] });
  }
  for (const { documentId, start, end } of quotes) {
    const excerpt = items.get(documentId)?.excerpt;
    if (excerpt !== undefined && start !== null && end !== null)
      sources.get(documentId)?.quotes.push(excerpt.slice(start, end));
  }
  return sources;
}

function marksOf(
  citations: Report['analyses'][number]['citations'],
  sources: ReadonlyMap<string, Source>,
): number[] {
  return citations.flatMap(({ documentId, cited }) => (cited ? (sources.get(documentId)?.number ?? []) : []));
}

function queryOf({ lookups }: Report, toolCallId: string): string {
  return escaped(lookups.find((lookup) => lookup.toolCallId === toolCallId)?.query ?? toolCallId);
}

function sourceLine({ number, documentId, title, quotes }: Source): string {
  const name = title === null ? '' : `${escaped(title)}, `;
  return [
    `${number}. ${name}${escaped(documentId)}`,
    ...quotes.map((quote) => `   > ${escaped(quote)}`),
  ].join('\n');
}

/** Where everything behind the report is found again: `proofline trail RUN`. */
function proofLines({ draftId, attempt, verdictEventId, decidedBy, person }: Report): string[] {
  const by = person === null ? decidedBy : `${decidedBy} (${escaped(person.by)}: ${escaped(person.reason)})`;
  return [
    `- draft ${escaped(draftId ?? '')}, attempt ${attempt ?? 1}`,
    `- verdict ${escaped(verdictEventId ?? '')}, released by ${by}`,
  ];
}

function section(heading: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${heading}\n\n${lines.join('\n')}`;
}

function sections(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

const LINE_BREAKS_AND_CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
/** Hidden characters that turn the direction of text around. */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;
/** What Markdown or HTML takes for its own wherever it stands, `://` and `@` for the links that it makes of them. */
const MARKUP = /[\\`*{}[\]<>|~&$@]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|:(?=\/\/)|(?<=www)\./giu;

/** Text of others on one line, shown as it is: it can be no heading, no link, no HTML and no citation. */
export function escaped(text: string): string {
  return text
    .replace(LINE_BREAKS_AND_CONTROLS, ' ')
    .replace(TURNS, '')
    .trim()
    .replace(MARKUP, (character) => `\\${character}`)
    .replace(/^[#+=-]/, (character) => `\\${character}`)
    .replace(/^(\d+)([.)])/, '$1\\$2');
}
