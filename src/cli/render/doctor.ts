import type { Check } from '../../doctor/check.js';
import { counted, WIDTH } from './advice.js';
import { labelled, wrapped, type Paint } from './page.js';

const TONES = { ok: 'good', warn: 'unsure', fail: 'bad' } as const;
const STATUS = 6;
const NAME = 10;

/** Every finding with what to do about it, and in the end how it stands. */
export function doctorPage(checks: readonly Check[], paint: Paint): readonly string[] {
  return [...checks.flatMap((check) => checkLines(check, paint)), '', summary(checks, paint)];
}

function checkLines({ name, status, finding, fix }: Check, paint: Paint): readonly string[] {
  const [first = '', ...rest] = wrapped(finding, WIDTH - STATUS - NAME);
  const indent = ' '.repeat(STATUS + NAME);
  return [
    `${paint(TONES[status], status)}${' '.repeat(STATUS - status.length)}${name.padEnd(NAME)}${first}`,
    ...rest.map((line) => indent + line),
    ...(fix === null ? [] : labelled(`${indent}→ `, fix, WIDTH)),
  ];
}

function summary(checks: readonly Check[], paint: Paint): string {
  const fails = checks.filter(({ status }) => status === 'fail').length;
  const warns = checks.filter(({ status }) => status === 'warn').length;
  if (fails > 0) return paint('bad', `${counted(fails, 'finding')} in the way, ${warns} to look at`);
  return warns > 0
    ? paint('unsure', `nothing in the way, ${warns} to look at`)
    : paint('good', 'all is well');
}
