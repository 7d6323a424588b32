import { chooseService } from './choose-service.js';
import { postgresUrl, type PostgresServiceOptions } from './postgres-config.js';
import { startPostgresContainer } from './postgres-container.js';
import { postgresMissingLocally, startPostgresLocally } from './postgres-local.js';
import type { Service } from './service.js';

export interface PostgresService extends Service {
  /** `postgresql://proofline:…@host:port/proofline`: an empty database and its owner, who may make others. */
  readonly url: string;
}

const chosen = chooseService<PostgresServiceOptions>('postgres', {
  processMissing: postgresMissingLocally,
  startProcess: startPostgresLocally,
  startContainer: startPostgresContainer,
});

/** Why PostgreSQL cannot be had on this machine; null where it can. Fetches it when it is not there yet. */
export const postgresMissing = chosen.missing;

/** A PostgreSQL of its own, with an empty database. What is committed survives `kill` and `restart`. */
export async function startPostgres(options: PostgresServiceOptions = {}): Promise<PostgresService> {
  const service = await chosen.start(options);
  return { ...service, url: postgresUrl(service.host, service.port) };
}
