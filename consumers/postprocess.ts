import type { EvidenceLimits } from '../src/evidence/limits.js';
import { evidenceLimits } from '../src/evidence/limits.js';
import { decidePostprocess, failTooLarge } from '../src/lookup/postprocess-rule.js';
import type { Station } from '../src/station/station.js';

/** Postprocess: governs the hits of a lookup (dedupe, limits, grade, pack) and puts its result together. Pure. */
export function postprocessStation(limits: EvidenceLimits = evidenceLimits): Station<'raw-hits.v1', null> {
  return {
    name: 'postprocess',
    inputs: ['raw-hits.v1'],
    maxRecords: 500,
    open: () =>
      Promise.resolve({
        prepare: () => Promise.resolve(null),
        decide: (hits) => decidePostprocess(hits, limits),
        tooLarge: (hits, _prepared, size) => failTooLarge(hits, size),
      }),
  };
}
