import type { PersonRef, ReviewDecision } from '../contracts/generated.js';
import { cutText } from '../text/text.js';

const BY_CHARS = 200;
const REASON_CHARS = 2000;

/** Who decided and why, as records say it: a name and a reason of any length would make records that no topic takes. */
export function personOf({ by, reason }: PersonRef): PersonRef {
  return { by: cutText(by, BY_CHARS), reason: cutText(reason, REASON_CHARS) };
}

/**
 * Whether what review answered is what this decision asked for. All decisions about one verdict have the same event id,
 * and the first counts: another one may have been the opposite, by the same name and for the same reason. One that came
 * when the draft was no longer held published nothing.
 */
export function isCounted(
  asked: Pick<ReviewDecision, 'decision' | 'by' | 'reason'>,
  answered: { readonly decision: string; readonly person: PersonRef | null },
): boolean {
  if (answered.person === null) return false;
  const { by, reason } = personOf(asked);
  const isSamePerson = answered.person.by === by && answered.person.reason === reason;
  return isSamePerson && (asked.decision === 'APPROVE') === (answered.decision === 'PUBLISH');
}
