import type { JsonObject } from '../../contracts/json.js';
import { LABEL } from './advice.js';
import type { Paint } from './page.js';
import { safeText } from './safe-text.js';
import { verdictWords, violationLines, type ShownViolation } from './verdict.js';

/** What the renderer reads of the verdict of `check`. */
interface CheckedJson {
  readonly status: string;
  readonly violations: readonly ShownViolation[];
  readonly unsigned?: boolean;
  readonly fault_is_ours?: boolean;
  readonly read: readonly { readonly tool_call_id: string; readonly signature_check?: string }[];
}

/** The guard's verdict on a report and its evidence, for a person. */
export function verdictPage(
  verdict: JsonObject,
  { keysGiven }: { readonly keysGiven: boolean },
  paint: Paint,
): readonly string[] {
  const { status, violations, read, fault_is_ours: ours } = verdict as unknown as CheckedJson;
  const calls = read.map((each) => safeText(each.tool_call_id)).join(', ');
  return [
    `${'guard'.padEnd(LABEL)}${verdictWords(status, violations.length, paint)}`,
    `${'read'.padEnd(LABEL)}${calls === '' ? 'no lookup is cited' : calls}`,
    ...signatureLines(verdict as unknown as CheckedJson, keysGiven, paint),
    ...(ours === true ? [`${'note'.padEnd(LABEL)}the evidence is at fault, not the report`] : []),
    ...violationLines(violations, paint),
  ];
}

function signatureLines({ unsigned }: CheckedJson, keysGiven: boolean, paint: Paint): readonly string[] {
  const label = 'signed'.padEnd(LABEL);
  if (unsigned !== true)
    return [`${label}${paint('good', 'every entry that was read is signed and unchanged')}`];
  const why = keysGiven
    ? 'an entry has no signature or digest'
    : 'signatures were not verified; --keys DIR does';
  return [`${label}${paint('unsure', why)}`];
}
