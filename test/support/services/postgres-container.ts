import { startContainerService } from './container-service.js';
import { postgresAnswers } from './postgres-answers.js';
import { postgresArguments, postgresUrl, type PostgresServiceOptions } from './postgres-config.js';
import { freePorts } from './processes.js';
import type { Service } from './service.js';

export async function startPostgresContainer(
  image: string,
  options: PostgresServiceOptions,
): Promise<Service> {
  const [port = 0] = await freePorts(1);
  return startContainerService({
    name: 'postgres',
    image,
    port,
    containerPort: 5432,
    environment: {
      POSTGRES_USER: 'proofline',
      POSTGRES_PASSWORD: 'proofline',
      POSTGRES_DB: 'proofline',
    },
    command: ['postgres', ...postgresArguments(options.config ?? {})],
    ready: (host) => postgresAnswers(postgresUrl(host, port)),
  });
}
