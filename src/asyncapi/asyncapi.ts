import { avroSchemas } from '../contracts/generated.js';
import { camelCase } from '../contracts/names.js';
import { localSchemaId } from '../contracts/schema-ids.js';
import { topicNames, topics, type TopicName } from '../contracts/topics.js';
import { stationInputs, stationNames } from '../line/station-names.js';
import { VERSION } from '../version.js';
import { headersSchema } from './headers.js';

/**
 * The topics of the line as an AsyncAPI 3 document: what each carries, under which key and headers, who sends it and
 * who receives it. Everything in it follows from the table of topics, the Avro schemas and the stations' inputs.
 */

/** The format of a payload, as AsyncAPI 3 names it. */
export const AVRO_FORMAT = 'application/vnd.apache.avro+json;version=1.9.0';

const KAFKA_BINDING = '0.5.0';
const DAY_MS = 24 * 60 * 60 * 1000;

/** Who reads a topic beside the stations. */
const outsideReaders: Partial<Record<TopicName, readonly string[]>> = {
  'projected.v1': ['agents'],
  'verdict.v1': ['agents'],
  'reviewed.v1': ['agents'],
  'repair-requested.v1': ['agents'],
  'verified.v1': ['agents', 'publishers'],
  'dead-letter.v1': ['people'],
};

const keys = {
  run: 'The run_id, so that all events of a run share a partition.',
  'run/call': 'run_id/tool_call_id. The partition is that of the run_id alone.',
  origin:
    'The key of the record that could not be processed, as it was; the partition is that of the run_id.',
  'dead-letter': 'The event_id of the dead letter; the partition is that of the run_id.',
} as const;

type Json = Readonly<Record<string, unknown>>;

/** @param prefix what the topics' names begin with on the bus */
export function asyncApi(prefix = 'proofline.'): Json {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Proofline',
      version: VERSION,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/vnd.apache.avro',
    channels: byTopic((topic) => channel(topic, prefix)),
    operations: Object.fromEntries(topicNames.flatMap(operationsOf)),
    components: {
      messages: byTopic(message),
      messageTraits: { cloudEvent: { headers: headersSchema(prefix) } },
    },
  };
}

const DESCRIPTION = `The topics of a Proofline line. Every operation says who does it: agents and publishers are yours, everything else is the line's.

Values are 0x00, a four-byte schema id (big-endian) and the Avro binary. The partition of a record is (murmur2(UTF-8 run_id) & 0x7fffffff) mod the number of partitions, and a record on another one is refused. Readers MUST read with isolation.level=read_committed and drop what comes again under the same event_id.`;

function byTopic(make: (topic: TopicName) => Json): Json {
  return Object.fromEntries(topicNames.map((topic) => [channelName(topic), make(topic)]));
}

/** `lookup-requested.v1` is the channel `lookupRequestedV1`. */
function channelName(topic: TopicName): string {
  return camelCase(topic.replaceAll(/[-.]/g, '_'));
}

function channel(topic: TopicName, prefix: string): Json {
  const { cleanup, retentionDays, maxBytes, contract } = topics[topic];
  const name = channelName(topic);
  return {
    address: `${prefix}${topic}`,
    title: avroSchemas[topic].name,
    summary: avroSchemas[topic].doc,
    description: CONTRACTS[contract],
    messages: { [name]: { $ref: `#/components/messages/${name}` } },
    bindings: {
      kafka: {
        topic: `${prefix}${topic}`,
        topicConfiguration: {
          'cleanup.policy': [cleanup],
          ...(cleanup === 'delete'
            ? { 'retention.ms': retentionDays === null ? -1 : retentionDays * DAY_MS }
            : {}),
        },
        bindingVersion: KAFKA_BINDING,
      },
    },
    'x-proofline-contract': contract,
    'x-proofline-max-record-bytes': maxBytes,
  };
}

const CONTRACTS = {
  frozen: 'Frozen: the schema never changes; a new one is a new topic.',
  internal: 'Internal to the line: the schema evolves backward compatibly.',
} as const;

function message(topic: TopicName): Json {
  return {
    name: topic,
    title: avroSchemas[topic].name,
    summary: avroSchemas[topic].doc,
    contentType: 'application/vnd.apache.avro',
    traits: [{ $ref: '#/components/messageTraits/cloudEvent' }],
    payload: { schemaFormat: AVRO_FORMAT, schema: avroSchemas[topic] },
    bindings: {
      kafka: {
        key: { type: 'string', description: keys[topics[topic].key] },
        schemaIdLocation: 'payload',
        schemaIdPayloadEncoding: 'confluent',
        bindingVersion: KAFKA_BINDING,
      },
    },
    'x-proofline-local-schema-id': localSchemaId(topic),
  };
}

function operationsOf(topic: TopicName): (readonly [string, Json])[] {
  const stations = stationNames.filter((name) =>
    (stationInputs[name] as readonly TopicName[]).includes(topic),
  );
  const readers = [...stations, ...(outsideReaders[topic] ?? [])];
  return [
    ...topics[topic].writers.map((who) => operation(who, 'send', topic)),
    ...readers.map((who) => operation(who, 'receive', topic)),
  ];
}

function operation(who: string, action: 'send' | 'receive', topic: TopicName): readonly [string, Json] {
  const name = channelName(topic);
  const says = action === 'send' ? 'write' : 'read';
  const channelRef = `#/channels/${name}`;
  return [
    `${who}.${action}.${name}`,
    {
      action,
      title: `${who} ${says} ${topic}`,
      channel: { $ref: channelRef },
      messages: [{ $ref: `${channelRef}/messages/${name}` }],
      tags: [{ name: who }],
      ...(action === 'receive' ? { bindings: { kafka: groupBinding(who) } } : {}),
    },
  ];
}

function groupBinding(who: string): Json {
  const description = `The consumer group of ${who}; isolation.level is read_committed.`;
  return { groupId: { type: 'string', description }, bindingVersion: KAFKA_BINDING };
}
