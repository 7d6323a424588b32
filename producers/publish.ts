import type { Draft, VerifiedDraft } from '../src/contracts/generated.js';

/** What a publisher does with the outcomes of runs. */

/** A report that was proven. It can be published without checking it again. */
export type VerifiedReport = VerifiedDraft & { readonly outcome: 'VERIFIED'; readonly draft: Draft };

export interface Publisher {
  /**
   * Publishes the report as its run's one, in place of whatever there is. MUST be idempotent: after a crash what was
   * published comes again.
   */
  publish(report: VerifiedReport): Promise<void> | void;
  /**
   * The run ended without a report, as far as is known: a better one may still come, with `replaces` = this one's
   * event_id. There is nothing to publish, and what was published of the run stays: a FALLBACK never takes the place
   * of a report.
   */
  fallback?(outcome: VerifiedDraft): Promise<void> | void;
}

/** The handler of `verified.v1` for `messageReader`, `eachMessage` and `consume`. */
export function publishVerified(publisher: Publisher): (verified: VerifiedDraft) => Promise<void> {
  return async (verified) => {
    if (isReport(verified)) await publisher.publish(verified);
    else await publisher.fallback?.(verified);
  };
}

/** False for a FALLBACK, and for an outcome that this version does not know: what is not proven is not published. */
export function isReport(verified: VerifiedDraft): verified is VerifiedReport {
  return verified.outcome === 'VERIFIED' && verified.draft !== null;
}
