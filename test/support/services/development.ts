import type { ServiceName } from './images.js';
import { kafkaMissing, startKafka } from './kafka.js';
import { postgresMissing, startPostgres } from './postgres.js';
import { redisMissing, startRedis } from './redis.js';
import { registryMissing, startRegistry } from './registry.js';
import type { Service } from './service.js';

/** A service for trying things by hand, and the variables by which Proofline finds it. */
export interface DevelopmentService {
  readonly service: Service;
  readonly variables: Readonly<Record<string, string>>;
}

interface Kind {
  readonly missing: () => Promise<string | null>;
  readonly start: () => Promise<DevelopmentService>;
}

export const developmentServices: Readonly<Record<ServiceName, Kind>> = {
  kafka: {
    missing: kafkaMissing,
    async start() {
      const service = await startKafka({ fullJit: true });
      const variables = { PROOFLINE_KAFKA_BROKERS: service.address, PROOFLINE_KAFKA_REPLICATION: '1' };
      return { service, variables };
    },
  },
  redis: {
    missing: redisMissing,
    async start() {
      const service = await startRedis();
      return { service, variables: { PROOFLINE_REDIS_URL: service.url } };
    },
  },
  registry: {
    missing: registryMissing,
    async start() {
      const service = await startRegistry();
      return { service, variables: { PROOFLINE_SCHEMA_REGISTRY_URL: service.url } };
    },
  },
  postgres: {
    missing: postgresMissing,
    async start() {
      const service = await startPostgres();
      return { service, variables: { PROOFLINE_AUDIT_URL: service.url } };
    },
  },
};
