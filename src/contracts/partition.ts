/**
 * Which partition a run lies on: (murmur2(UTF-8 run_id) & 0x7fffffff) mod N, the default of Kafka's Java
 * client and of kafkajs, and librdkafka's murmur2_random.
 */

const SEED = 0x9747b28c;
const M = 0x5bd1e995;

/** murmur2 as Kafka's Java client computes it, as a signed 32-bit integer. */
export function murmur2(data: Uint8Array): number {
  let h = SEED ^ data.length;
  const whole = data.length & ~3;
  for (let i = 0; i < whole; i += 4) {
    let k =
      (data[i] ?? 0) | ((data[i + 1] ?? 0) << 8) | ((data[i + 2] ?? 0) << 16) | ((data[i + 3] ?? 0) << 24);
    k = Math.imul(k, M);
    k ^= k >>> 24;
    h = Math.imul(h, M) ^ Math.imul(k, M);
  }
  const rest = data.length - whole;
  if (rest === 3) h ^= (data[whole + 2] ?? 0) << 16;
  if (rest >= 2) h ^= (data[whole + 1] ?? 0) << 8;
  if (rest >= 1) h = Math.imul(h ^ (data[whole] ?? 0), M);
  h ^= h >>> 13;
  h = Math.imul(h, M);
  return h ^ (h >>> 15);
}

export function partitionOf(runId: string, partitions: number): number {
  return (murmur2(Buffer.from(runId, 'utf8')) & 0x7fffffff) % partitions;
}
