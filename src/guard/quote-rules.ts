import {
  checkQuote,
  type ExplainBudget,
  type QuoteFault,
  type QuoteSource,
} from '../citation/check-quote.js';
import { prepareQuote } from '../citation/prepared-quote.js';
import { QUOTE_RULES, quoteViolationTable } from '../citation/quote-violations.js';
import { shownText, type ShownText } from '../citation/shown-text.js';
import type { Analysis, Draft, Quote, QuoteOutcome } from '../contracts/generated.js';
import type { Sha256 } from '../text/text.js';
import type { RuleSetFindings } from './guard.js';
import type { ReadableLookup, RunLedger } from './ledger.js';
import { analysisReach, type Reach } from './reach.js';
import { filled, shownName, type RuleViolation } from './violations.js';

/** What checking the quotes of one draft shares: each excerpt is folded and digested once. */
interface QuoteChecks {
  readonly ledger: RunLedger;
  readonly budget: ExplainBudget;
  readonly shown: (excerpt: string) => ShownText;
  readonly sha256: (excerpt: string) => string;
}

/**
 * The rule set `quotes-1`: every quote of an analysis whose lookups could all be read, in the order of places. A quote
 * of a document that they did not show is left to DOCUMENT_NOT_SHOWN. Null where the draft quotes nothing.
 * @param hintUnits UTF-16 units that are read at most to explain why quotes fail.
 */
export function quoteRules(
  draft: Draft,
  ledger: RunLedger,
  sha256: Sha256,
  hintUnits: number,
): RuleSetFindings | null {
  if (draft.analysis.every((analysis) => analysis.quotes.length === 0)) return null;
  const checks = {
    ledger,
    budget: { left: hintUnits },
    shown: remembered(shownText),
    sha256: remembered(sha256),
  };
  const violations: RuleViolation[] = [];
  const quotes: QuoteOutcome[] = [];
  for (const [i, analysis] of draft.analysis.entries()) {
    for (const [path, quote, reach] of checkable(analysis, `/analysis/${i}`, ledger)) {
      const { outcome, violation } = checkOne(quote, path, reach, checks);
      quotes.push(outcome);
      if (violation !== null) violations.push(violation);
    }
  }
  return { ruleSet: QUOTE_RULES, violations, quotes };
}

function checkable(analysis: Analysis, path: string, ledger: RunLedger): [string, Quote, Reach][] {
  const reach = analysis.quotes.length === 0 ? null : analysisReach(analysis, ledger);
  if (reach === null) return [];
  return analysis.quotes.flatMap((quote, j) =>
    reach.shown.has(quote.documentId) ? [[`${path}/quotes/${j}`, quote, reach]] : [],
  );
}

function checkOne(
  quote: Quote,
  path: string,
  reach: Reach,
  checks: QuoteChecks,
): { readonly outcome: QuoteOutcome; readonly violation: RuleViolation | null } {
  const { documentId } = quote;
  const sources = sourcesOf(quote, reach, checks);
  const checked = checkQuote(prepareQuote(quote), sources, othersThan(quote, reach, checks), checks.budget);
  if ('violation' in checked)
    return { outcome: notFound(path, documentId), violation: quoteViolation(checked, path, documentId) };
  const { match, source } = checked;
  const { rung, start, end, ambiguous, afterNegation, places } = match;
  const { toolCallId } = source;
  const excerptSha256 = checks.sha256(source.shown.text);
  return {
    outcome: {
      path,
      rung,
      toolCallId,
      documentId,
      start,
      end,
      excerptSha256,
      ambiguous,
      afterNegation,
      places,
    },
    violation: null,
  };
}

/** What the cited lookups showed of the document; the same excerpt again adds nothing. */
function sourcesOf({ documentId }: Quote, { lookups }: Reach, checks: QuoteChecks): QuoteSource[] {
  const sources = new Map<string, QuoteSource>();
  for (const lookup of lookups) {
    for (const item of lookup.view.evidence) {
      if (item.documentId !== documentId || sources.has(item.excerpt)) continue;
      sources.set(item.excerpt, sourceOf(lookup, item, checks));
    }
  }
  return [...sources.values()];
}

type Item = ReadableLookup['view']['evidence'][number];

function sourceOf(
  { toolCallId, entry }: ReadableLookup,
  { documentId, excerpt }: Item,
  checks: QuoteChecks,
): QuoteSource {
  return {
    toolCallId,
    documentId,
    shown: checks.shown(excerpt),
    whole() {
      const block = entry.blocks.find((each) => each.documentId === documentId && each.content !== excerpt);
      return block === undefined ? null : checks.shown(block.content);
    },
  };
}

/** The other items of the lookups cited, then all that the rest of the run showed. */
function* othersThan(
  { documentId }: Quote,
  { lookups, calls }: Reach,
  checks: QuoteChecks,
): Generator<QuoteSource> {
  for (const lookup of lookups) {
    for (const item of lookup.view.evidence)
      if (item.documentId !== documentId) yield sourceOf(lookup, item, checks);
  }
  for (const lookup of checks.ledger.readable()) {
    if (calls.has(lookup.toolCallId)) continue;
    for (const item of lookup.view.evidence) yield sourceOf(lookup, item, checks);
  }
}

function notFound(path: string, documentId: string): QuoteOutcome {
  const nowhere = { rung: null, toolCallId: null, start: null, end: null, excerptSha256: null };
  return { path, documentId, ...nowhere, ambiguous: false, afterNegation: false, places: [] };
}

function quoteViolation(fault: QuoteFault, path: string, documentId: string): RuleViolation {
  const { violation: code, other, detail } = fault;
  const fragment = detail['fragment'];
  const message = filled(quoteViolationTable[code].message, {
    document: shownName(documentId),
    other: shownName(other?.documentId ?? ''),
    call: shownName(other?.toolCallId ?? ''),
    fragment: typeof fragment === 'string' ? `: the part ${shownName(fragment)} beside an ellipsis` : '',
  });
  return {
    code,
    path: `${path}/text`,
    message,
    detail: { document_id: documentId, ...detail },
    ledgerFault: false,
  };
}

function remembered<T>(compute: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    let value = known.get(text);
    if (value === undefined) known.set(text, (value = compute(text)));
    return value;
  };
}
