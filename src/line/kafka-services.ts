import type { Config, KafkaConfig } from '../config/config.js';
import { createCodec, type Codec } from '../contracts/codec.js';
import { ProoflineError } from '../contracts/errors.js';

/** What a line in Kafka needs, as the configuration says; where the audit is, its own opening says. */
export interface KafkaServices {
  readonly kafka: KafkaConfig;
  readonly redisUrl: string;
  /** Two lines may share a Redis as they may share a Kafka. */
  readonly redisPrefix: string;
}

/**
 * @param keepsAudit false where the audit goes elsewhere
 * @throws ProoflineError PL_CONFIG_INVALID naming every address that is not set.
 */
export function kafkaServices(config: Config, keepsAudit = true): KafkaServices {
  const { kafka, redisUrl, auditUrl, topicPrefix } = config;
  if (kafka !== null && redisUrl !== null && (auditUrl !== null || !keepsAudit))
    return { kafka, redisUrl, redisPrefix: topicPrefix };
  const needed = {
    KAFKA_BROKERS: kafka,
    REDIS_URL: redisUrl,
    ...(keepsAudit ? { AUDIT_URL: auditUrl } : {}),
  };
  const missing = Object.entries(needed).filter(([, value]) => value === null);
  const problems = missing.map(([name]) => `\n  PROOFLINE_${name} is not set; a line in Kafka needs it`);
  throw new ProoflineError('PL_CONFIG_INVALID', { problems: problems.join('') });
}

/** With the ids of the registry, where there is one. @throws ProoflineError as `openRegistryCodec`. */
export async function openCodec({ schemaRegistry, topicPrefix }: Config): Promise<Codec> {
  if (schemaRegistry === null) return createCodec();
  const { openRegistryCodec } = await import('../registry/registry-codec.js');
  return openRegistryCodec({ ...schemaRegistry, topicPrefix });
}
