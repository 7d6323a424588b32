import { createCodec, type Codec } from '../contracts/codec.js';
import type { RegistrySettings } from './exchange.js';
import { createRegistryClient } from './registry-client.js';
import { createRegistryIds } from './registry-ids.js';
import { checkSubjects } from './subjects.js';

export interface RegistryCodecOptions extends RegistrySettings {
  /** What the names of the line's topics begin with. */
  readonly topicPrefix: string;
  /** How long an id that the registry does not know is not asked about again. Default 30 s. */
  readonly unknownForMs?: number;
}

const UNKNOWN_FOR_MS = 30_000;

/**
 * A codec that writes the registry's ids, and reads those and the local ones. Nothing is registered here.
 * @throws ProoflineError PL_SCHEMAS_UNREGISTERED, PL_REGISTRY_DOWN, PL_REGISTRY_REFUSED.
 */
export async function openRegistryCodec(options: RegistryCodecOptions): Promise<Codec> {
  const client = createRegistryClient(options);
  const own = await checkSubjects(client, options.topicPrefix);
  const { unknownForMs = UNKNOWN_FOR_MS } = options;
  return createCodec(createRegistryIds({ client, own, unknownForMs, now: () => performance.now() }));
}
