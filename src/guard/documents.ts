import type { Analysis, Draft } from '../contracts/generated.js';
import { mentionsIn, type Mention } from './coordinates.js';
import type { RunLedger } from './ledger.js';
import type { PairBudget } from './near-misses.js';
import { analysisReach, callsByAnalysis, statementReach, type Reach } from './reach.js';
import { firstPlaces } from './structure.js';
import { shownName, violation, type RuleViolation } from './violations.js';
import { WhereaboutsSearch } from './whereabouts.js';

/**
 * DOCUMENT_NOT_SHOWN: coordinates that none of the lookups that count showed, in the order of places. Decided
 * only where all of these lookups can be read.
 */
export function documentRules(draft: Draft, ledger: RunLedger, budget: PairBudget): RuleViolation[] {
  const search = new WhereaboutsSearch(ledger, budget);
  const calls = callsByAnalysis(draft);
  const { conclusion, actionPlan } = draft;
  const statements = [
    ...(conclusion === null ? [] : [{ statement: conclusion, path: '/conclusion/text' }]),
    ...actionPlan.map((statement, i) => ({ statement, path: `/action_plan/${i}/text` })),
  ];
  return [
    ...draft.analysis.flatMap((analysis, i) => {
      const reach = analysisReach(analysis, ledger);
      return reach === null ? [] : analysisRules(analysis, `/analysis/${i}`, reach, search);
    }),
    ...statements.flatMap(({ statement, path }) => {
      // Most statements name no coordinate, and what they reach need not be gathered.
      const mentions = mentionsIn(statement.text);
      const reach = mentions.length === 0 ? null : statementReach(statement, calls, ledger);
      return reach === null ? [] : textRules(mentions, path, reach, search);
    }),
  ];
}

function analysisRules(
  analysis: Analysis,
  path: string,
  reach: Reach,
  search: WhereaboutsSearch,
): RuleViolation[] {
  const found = textRules(mentionsIn(analysis.text), `${path}/text`, reach, search);
  const check = (id: string, place: string): void => {
    if (!reach.shown.has(id)) found.push(idNotShown(id, place, reach, search));
  };
  for (const [j, id] of firstPlaces(analysis.documentIds)) check(id, `${path}/document_ids/${j}`);
  for (const [j, quote] of analysis.quotes.entries())
    check(quote.documentId, `${path}/quotes/${j}/document_id`);
  return found;
}

function idNotShown(id: string, path: string, reach: Reach, search: WhereaboutsSearch): RuleViolation {
  const { words, detail } = search.find({ id }, reach);
  return violation(
    'DOCUMENT_NOT_SHOWN',
    path,
    { id: shownName(id), why: words },
    { document_id: id, ...detail },
  );
}

/** One violation for each distinct coordinate, at the first place where it does not end a shown id. */
function textRules(
  mentions: readonly Mention[],
  path: string,
  reach: Reach,
  search: WhereaboutsSearch,
): RuleViolation[] {
  const named = new Set<string>();
  const found: RuleViolation[] = [];
  for (const mention of mentions) {
    if (named.has(mention.coordinate) || reach.shown.at(mention) !== undefined) continue;
    named.add(mention.coordinate);
    found.push(mentionNotShown(mention, path, reach, search));
  }
  return found;
}

function mentionNotShown(
  mention: Mention,
  path: string,
  reach: Reach,
  search: WhereaboutsSearch,
): RuleViolation {
  const { coordinate, start, end, written } = mention;
  const { words, detail } = search.find({ mention }, reach);
  return violation(
    'DOCUMENT_NOT_SHOWN',
    path,
    { id: shownName(written), why: words },
    { coordinate, written, span: { start, end }, ...detail },
  );
}
