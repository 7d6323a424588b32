import { chooseService } from './choose-service.js';
import { startRegistryContainer } from './registry-container.js';
import { registryMissingLocally, startRegistryLocally } from './registry-local.js';
import { registryUrl } from './registry-url.js';
import type { Service } from './service.js';

export interface RegistryService extends Service {
  /** The root of the Confluent-compatible API: `http://host:port/apis/ccompat/v7`. */
  readonly url: string;
}

const chosen = chooseService<undefined>('registry', {
  processMissing: registryMissingLocally,
  startProcess: startRegistryLocally,
  startContainer: startRegistryContainer,
});

/** Why a schema registry cannot be had on this machine; null where it can. Fetches it when it is not there yet. */
export const registryMissing = chosen.missing;

/** A schema registry of its own. It keeps everything in memory: a restart empties it. */
export async function startRegistry(): Promise<RegistryService> {
  const service = await chosen.start(undefined);
  return { ...service, url: registryUrl(service.host, service.port) };
}
