import type { Draft, Finding, ReviewStatus } from '../../contracts/generated.js';

const WORST_FIRST: readonly ReviewStatus[] = ['UNSUPPORTED', 'OVERSTATED', 'NOT_EVALUATED'];

/** Status of a draft: its worst finding's; ABSTAINED where nothing is wrong and it concludes nothing. */
export function draftStatus(findings: readonly Finding[], conclusion: Draft['conclusion']): ReviewStatus {
  const worst = WORST_FIRST.find((status) => findings.some((finding) => finding.status === status));
  return worst ?? (conclusion === null ? 'ABSTAINED' : 'SUPPORTED');
}
