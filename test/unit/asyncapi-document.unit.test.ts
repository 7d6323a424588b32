import { fromFile, Parser, type SchemaParser } from '@asyncapi/parser';
import avro from 'avsc';
import { beforeAll, describe, expect, it } from 'vitest';
import { AVRO_FORMAT, asyncApi } from '../../src/asyncapi/asyncapi.js';
import { topicNames, topics } from '../../src/contracts/topics.js';
import { stationInputs } from '../../src/line/station-names.js';
import { cli } from '../support/cli-run.js';

/** The parser knows no Avro of its own: avsc says whether a payload is a schema. */
const avroParser: SchemaParser = {
  getMimeTypes: () => [AVRO_FORMAT],
  validate({ data, path }) {
    try {
      avro.Type.forSchema(data as avro.Schema);
      return [];
    } catch (error) {
      return [{ message: String(error), path }];
    }
  },
  parse: ({ data }) => data as ReturnType<SchemaParser['parse']>,
};

const parser = new Parser();
parser.registerSchemaParser(avroParser);

async function problemsOf(document: unknown): Promise<string[]> {
  const diagnostics = await parser.validate(JSON.stringify(document));
  // 1 is a warning; hints about a newer AsyncAPI, servers and contacts are none.
  return diagnostics
    .filter(({ severity }) => [0, 1].includes(severity))
    .map(({ message, path }) => `${path.join('/')}: ${message}`);
}

describe('the AsyncAPI document', () => {
  let api: NonNullable<Awaited<ReturnType<Parser['parse']>>['document']>;

  beforeAll(async () => {
    const { document, diagnostics } = await fromFile(parser, 'docs/asyncapi.json').parse();
    if (document === undefined) throw new Error(JSON.stringify(diagnostics));
    api = document;
  });

  it('is valid AsyncAPI 3, each payload a valid Avro schema', async () => {
    expect(await problemsOf(asyncApi())).toEqual([]);
    expect(api.version()).toBe('3.0.0');
  });

  it('is refused when a payload is no Avro schema, so that the check means something', async () => {
    const broken = JSON.parse(JSON.stringify(asyncApi())) as {
      components: { messages: Record<string, { payload: { schema: { type: string } } }> };
    };
    broken.components.messages['verdictV1']!.payload.schema.type = 'no such type';
    expect((await problemsOf(broken)).join()).toContain('verdictV1');
  });

  it('has every topic, with its message, key and headers', () => {
    const addresses = api
      .channels()
      .all()
      .map((channel) => channel.address());
    expect(addresses).toEqual(topicNames.map((name) => `proofline.${name}`));
    for (const channel of api.channels().all()) {
      const [message] = channel.messages().all();
      expect(message?.schemaFormat()).toBe(AVRO_FORMAT);
      expect(Object.keys(message?.headers()?.properties() ?? {})).toEqual(
        expect.arrayContaining(['ce_id', 'ce_type', 'traceparent']),
      );
      expect(message?.bindings().get('kafka')?.value()).toMatchObject({ key: { type: 'string' } });
    }
  });

  it('says of every topic who sends it and, of what the stations read, who receives it', () => {
    const said = api
      .operations()
      .all()
      .map((operation) => operation.id());
    for (const name of topicNames) {
      const senders = said.filter((id) => id?.includes('.send.') && id.endsWith(`.${channelOf(name)}`));
      expect(senders).toHaveLength(topics[name].writers.length);
    }
    for (const [station, inputs] of Object.entries(stationInputs))
      for (const input of inputs) expect(said).toContain(`${station}.receive.${channelOf(input)}`);
    expect(said).toContain('publishers.receive.verifiedV1');
  });

  it('is printed by the command, with the topics as they are named here', async () => {
    const { out, code } = await cli(['schemas', 'asyncapi', '--json'], {
      env: { PROOFLINE_TOPIC_PREFIX: 'mine.' },
    });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual(JSON.parse(JSON.stringify(asyncApi('mine.'))));
  });
});

function channelOf(topic: string): string {
  return topic.replace(/[-.](\w)/g, (_, letter: string) => letter.toUpperCase());
}
