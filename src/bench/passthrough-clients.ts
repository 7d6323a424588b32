import kafkajs from 'kafkajs';
import type { KafkaConnection } from '../bus/kafka/client.js';

/** The clients of the passthrough, as kafkajs makes them: in their processes nothing of it is corrected. */

const { Kafka, logLevel } = kafkajs;

export type Client = InstanceType<typeof Kafka>;
export type Producer = ReturnType<Client['producer']>;
type Consumer = ReturnType<Client['consumer']>;

export function passthroughKafka({ brokers, ssl, sasl }: KafkaConnection): Client {
  return new Kafka({
    ...(ssl === undefined ? {} : { ssl }),
    ...(sasl === undefined ? {} : { sasl }),
    brokers: [...brokers],
    clientId: 'passthrough',
    logLevel: logLevel.NOTHING,
    retry: { initialRetryTime: 20, retries: 8 },
  });
}

/** Clients that are open, to be closed together. */
export interface Clients {
  keep<T extends Producer | Consumer | ReturnType<Client['admin']>>(client: T): Promise<T>;
  close(): Promise<void>;
}

export function createClients(): Clients {
  const open: { disconnect(): Promise<void> }[] = [];
  return {
    async keep(client) {
      await client.connect();
      open.push(client);
      return client;
    },
    async close() {
      await Promise.all(open.map((client) => client.disconnect()));
    },
  };
}
