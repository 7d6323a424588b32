import type { BusReader } from '../bus/bus.js';
import type { Codec } from '../contracts/codec.js';

/** The reader, which lets the codec learn what decoding its records needs before it hands them out. */
export function learning(reader: BusReader, codec: Codec): BusReader {
  return {
    ...reader,
    async read(topic, partition, from, limit) {
      const records = await reader.read(topic, partition, from, limit);
      await codec.learn(records.map(({ value }) => value));
      return records;
    },
  };
}
