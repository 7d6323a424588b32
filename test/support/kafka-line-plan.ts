import type { SearchOutcome } from '../../src/retrieval/knowledge-search.js';
import { answerTo } from './line-kill-plan.js';

/** What the retriever of the tests' processes says to a query: what the plan says, or more than a record can hold. */
export function plannedAnswer(query: string): { readonly ms: number; readonly outcome: SearchOutcome } {
  const planned = answerTo(query);
  if (query.startsWith('nothing')) return { ms: 0, outcome: { kind: 'hits', hits: [], trace: {} } };
  const size = SIZES.find(({ name }) => query.startsWith(name));
  if (size === undefined || planned.outcome.kind !== 'hits') return planned;
  const hits = planned.outcome.hits.map((hit) => ({ ...hit, content: size.content() }));
  return { ms: 0, outcome: { ...planned.outcome, hits } };
}

const MIB = 1024 * 1024;

const SIZES: readonly { readonly name: string; readonly content: () => string }[] = [
  // No record of raw hits can hold it.
  { name: 'immense', content: () => 'x'.repeat(5 * MIB) },
  // Raw hits can, but not the JSON text of the next station, in which each character takes six.
  { name: 'swelling', content: () => `\u0001a`.repeat(MIB) },
  // Only a topic whose limit somebody has lowered cannot.
  { name: 'big', content: () => 'big '.repeat(50_000) },
];
