import { imageOf, type ServiceName } from './images.js';

/** Where a service runs. */
export type Place =
  | { readonly kind: 'container'; readonly image: string }
  | { readonly kind: 'process' }
  /** Nowhere: whoever needs it is left out, and says why. */
  | { readonly kind: 'missing'; readonly reason: string };

/** What this machine has. Each answers why it has not got it, or null. */
export interface Machine {
  readonly engineMissing: () => Promise<string | null>;
  readonly imageMissing: (image: string) => Promise<string | null>;
  readonly processMissing: () => Promise<string | null>;
  /** Tells whoever runs the tests one line. */
  readonly say: (line: string) => void;
}

/**
 * A container where a Docker engine answers and has, or gets, the image; else a process of this machine. The variable
 * PROOFLINE_TEST_SERVICES allows only one of them: `docker` or `local`.
 */
export async function choosePlace(
  name: ServiceName,
  machine: Machine,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<Place> {
  const wanted = environment['PROOFLINE_TEST_SERVICES'] ?? '';
  if (!['', 'docker', 'local'].includes(wanted))
    throw new Error(`PROOFLINE_TEST_SERVICES is ${JSON.stringify(wanted)}: it can be docker or local`);
  if (wanted === 'local') return locally(await machine.processMissing());
  const image = imageOf(name, environment);
  const noEngine = await machine.engineMissing();
  const noContainer = noEngine ?? (await machine.imageMissing(image));
  if (noContainer === null) return { kind: 'container', image };
  if (wanted === 'docker') return { kind: 'missing', reason: noContainer };
  if (noEngine === null) machine.say(`${name}: ${noContainer}; it runs without Docker.`);
  return locally(await machine.processMissing());
}

function locally(reason: string | null): Place {
  return reason === null ? { kind: 'process' } : { kind: 'missing', reason };
}
