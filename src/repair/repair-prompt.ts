import { instantText } from '../guard/instant.js';
import { findingLines } from './finding-lines.js';
import type { Mendable, RepairInput } from './findings.js';
import { sentences, type Language } from './languages.js';
import { quotedData } from './quoted-data.js';
import { shownLines } from './shown-lines.js';

/** UTF-16 units that a prompt has at most. */
export const MAX_PROMPT_CHARS = 16_000;

/** Of these, for what is to be mended and for what was shown; the fixed sentences fit into the rest. */
const FINDINGS_CHARS = 9_000;
const SHOWN_CHARS = 5_000;
const ID_CHARS = 128;

/**
 * What the model is told: every fault with its place, what is wrong and what mends it; what its lookups really showed;
 * how often and until when it may try. Nothing in it is new evidence, and all words of others stand in it as data.
 */
export function repairPrompt(
  { verdict, attemptsLeft, deadline }: RepairInput,
  listed: readonly Mendable[],
  more: number,
  language: Language,
): string {
  const say = sentences[language];
  const faults = fittingFaults(listed, language);
  const untold = listed.length - faults.length + more;
  return [
    say.heading(quotedData(verdict.draftId, ID_CHARS), verdict.attempt),
    say.next(verdict.attempt + 1, attemptsLeft),
    ...(deadline === null ? [] : [say.deadline(instantText(deadline))]),
    say.data,
    '',
    say.toMend(listed.length + more),
    ...faults.map((fault, i) => `${i + 1}. ${fault}`),
    ...(untold === 0 ? [] : [say.notListed(untold)]),
    '',
    ...shownLines(verdict.shown, say, SHOWN_CHARS),
    '',
    say.rules,
  ].join('\n');
}

function fittingFaults(listed: readonly Mendable[], language: Language): string[] {
  const faults: string[] = [];
  let left = FINDINGS_CHARS;
  for (const mendable of listed) {
    const fault = findingLines(mendable, sentences[language], language).join('\n');
    if (fault.length > left) break;
    left -= fault.length + 5;
    faults.push(fault);
  }
  return faults;
}
