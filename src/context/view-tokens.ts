import { sha256 } from '../contracts/digest.js';
import type { TokenCounter } from './token-counter.js';

/** How an item of an agent view begins. In a text of the view the quotes would be escaped. */
const ITEM = '{"document_id":';

/** Parts whose tokens are remembered, by digest: a hundred bytes or so each. */
const REMEMBERED_PARTS = 10_000;

/**
 * Counts the tokens of agent views as `counter` does, for who counts all of them: the same evidence is shown again and
 * again, to one run and to others. A view is cut at the first and the last seam of each of its items; what lies between
 * two seams has as many tokens wherever it stands.
 */
export function viewTokenCounter(
  counter: TokenCounter,
  remembered = REMEMBERED_PARTS,
): (view: string) => number {
  const counted = new Map<string, number>();

  function countPart(part: string): number {
    const name = sha256(part);
    const known = counted.get(name);
    if (known !== undefined) return known;
    const count = counter.count(part);
    if (counted.size >= remembered) counted.clear();
    counted.set(name, count);
    return count;
  }

  return (view) => {
    const [first = 0, ...seams] = seamsOf(counter, view);
    // What stands before the evidence names the call: it does not come again.
    let tokens = counter.count(view.slice(0, first));
    let from = first;
    for (const seam of [...seams, view.length]) {
      tokens += countPart(view.slice(from, seam));
      from = seam;
    }
    return tokens;
  };
}

/** The first and the last seam of each item, in order. */
function seamsOf(counter: TokenCounter, view: string): number[] {
  const seams: number[] = [];
  for (let item = view.indexOf(ITEM); item >= 0;) {
    const next = view.indexOf(ITEM, item + ITEM.length);
    const end = next < 0 ? view.length : next;
    const first = seamFrom(counter, view, item + 1, end);
    if (first !== null) seams.push(first, lastSeam(counter, view, first, end));
    item = next;
  }
  return seams;
}

function seamFrom(counter: TokenCounter, text: string, from: number, end: number): number | null {
  for (let at = from; at < end; at++) if (counter.isSeam(text, at)) return at;
  return null;
}

function lastSeam(counter: TokenCounter, text: string, first: number, end: number): number {
  let at = end - 1;
  while (at > first && !counter.isSeam(text, at)) at -= 1;
  return at;
}
