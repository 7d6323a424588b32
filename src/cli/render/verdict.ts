import type { JsonObject } from '../../contracts/json.js';
import { violationTable, type ViolationCode } from '../../guard/violations.js';
import { counted, WIDTH } from './advice.js';
import { wrapped, type Paint } from './page.js';
import { safeCut, safeText } from './safe-text.js';

/** One violation, from a record or from a verdict that was never one. */
export interface ShownViolation {
  readonly code: string;
  readonly path: string;
  readonly message: string;
  readonly detail: JsonObject;
}

/** `REJECTED, 2 violations`. */
export function verdictWords(status: string, violations: number, paint: Paint): string {
  const count = violations === 0 ? '' : `, ${counted(violations, 'violation')}`;
  return `${paint(status === 'PASSED' ? 'good' : 'bad', safeText(status))}${count}`;
}

const INDENT = '      ';

/** Each violation with its place in the table, its path, what is wrong, and what was probably meant. */
export function violationLines(violations: readonly ShownViolation[], paint: Paint): readonly string[] {
  return violations.flatMap((violation) => {
    const { code, path, message } = violation;
    const where = path === '' ? 'the whole draft' : path;
    const meant = meantInstead(violation);
    return [
      '',
      `  ${labelOf(code).padEnd(4)}${paint('bad', safeText(code))}  ${paint('faint', safeCut(where, 200))}`,
      ...wrapped(message, WIDTH - INDENT.length).map((line) => INDENT + line),
      ...(meant === null ? [] : [`${INDENT}did you mean ${safeCut(meant, 160)}?`]),
    ];
  });
}

/** Numbers of the last rule before each group's first. */
const BEFORE = { A: 0, B: 10, C: 18 } as const;

/** `B8`; nothing for rules of other sets, which have no numbers. */
function labelOf(code: string): string {
  if (!Object.hasOwn(violationTable, code)) return '';
  const { group, number } = violationTable[code as ViolationCode];
  return `${group}${number - BEFORE[group]}`;
}

/** Only where the message does not say it already. */
function meantInstead({ message, detail }: ShownViolation): string | null {
  const meant = detail['did_you_mean'] ?? detail['nearest'];
  return typeof meant === 'string' && !message.includes(meant) ? meant : null;
}
