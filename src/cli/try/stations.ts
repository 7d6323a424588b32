import { ProoflineError } from '../../contracts/errors.js';
import { fieldGuesser } from '../../guard/field-names.js';

/** A rule as `proofline try` runs it: JSON in, JSON out. An input that it cannot use throws PL_INPUT_INVALID. */
export type TryStation = (input: unknown) => unknown;

type Evidence = 'map' | 'postprocess' | 'pack' | 'lookup-result' | 'project';

const evidence = (name: Evidence) => async (): Promise<TryStation> =>
  (await import('./evidence.js')).evidenceStations[name];

/** The rules that can be tried, each loaded when it is. */
const stations: Readonly<Record<string, () => Promise<TryStation>>> = {
  map: evidence('map'),
  postprocess: evidence('postprocess'),
  pack: evidence('pack'),
  'lookup-result': evidence('lookup-result'),
  project: evidence('project'),
  guard: async () => {
    const { tryGuard } = await import('./guard.js');
    return (input) => tryGuard(input);
  },
  assemble: async () => {
    const { loadCounters, tryAssemble } = await import('./assemble.js');
    const counters = await loadCounters();
    return (input) => tryAssemble(input, counters);
  },
  quote: async () => (await import('./quote.js')).tryQuote,
  evaluate: async () => (await import('./evaluate.js')).tryEvaluate,
  review: async () => (await import('./review.js')).tryReview,
  judge: async () => (await import('./judge.js')).tryJudge,
};

export const stationNames: readonly string[] = Object.keys(stations);

/** @throws ProoflineError PL_INPUT_INVALID for a name that is none, with the one that was probably meant. */
export function loadStation(name: string): Promise<TryStation> {
  const load = Object.hasOwn(stations, name) ? stations[name] : undefined;
  if (load !== undefined) return load();
  const near = fieldGuesser(stationNames)(name);
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  const problem = `${JSON.stringify(name)} is no rule to try${hint} (${stationNames.join(', ')})`;
  throw new ProoflineError('PL_INPUT_INVALID', { problem });
}
