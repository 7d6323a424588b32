import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.js';
import { openLocalLine } from '../../src/line/local-line.js';
import { serveLine } from '../../src/line/socket-server.js';
import { cli, type CliOptions } from '../support/cli-run.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';

afterAll(removeTempFolders);

let data: string;

/** A run with a lookup, a context and what a draft used. */
beforeAll(async () => {
  data = join(tempFolder(), 'data');
  expect((await run(['index', 'examples/docs'])).code).toBe(0);
  expect((await run(['lookup', 'gateway timeout', '--run', 'r1', '--call', 'c1'])).code).toBe(0);
  expect((await run(['assemble', '--run', 'r1', '--call', 'c1', '--query', 'why?'])).code).toBe(0);
  expect((await run([...USAGE, '--cost', '0.0042', '--currency', 'USD'])).code).toBe(0);
});

const USAGE = ['trace', 'usage', 'r1', 'd1', '--model', 'm-1', '--input-tokens', '1200'];
const run = (argv: readonly string[], options?: CliOptions) => cli(['--data', data, ...argv], options);

describe('proofline trace', () => {
  test('tells a person of every hit, of contexts and of what was used', async () => {
    const { code, out } = await run(['trace', 'r1']);
    expect(code).toBe(0);
    expect(out).toMatch(/lookup c1 {2}READY/);
    expect(out).toMatch(/took .* in all: retrieve .*, postprocess .*, project .*, assemble /);
    expect(out).toMatch(/kept as 1 +gateway-timeout/);
    expect(out).toMatch(/dropped DOC_CAP +gateway-timeout/);
    expect(out).toContain('labelled_sources');
    expect(out).toContain('1200 tokens in, cost 0.0042 USD');
  });

  test('has the texts of the hits where they are asked for', async () => {
    expect((await run(['trace', 'r1', '--json'])).out).not.toContain('"content"');
    const { out } = await run(['trace', 'r1', '--texts', '--json']);
    const { lookups } = JSON.parse(out) as { lookups: { retrieved_hits: { content: string }[] }[] };
    expect(lookups[0]?.retrieved_hits[0]?.content).toContain('504');
  });

  test('writes spans as one line', async () => {
    const { out } = await run(['trace', 'r1', '--format', 'openinference']);
    expect(out.trim().split('\n')).toHaveLength(1);
    const again = await run(['trace', 'r1', '--format', 'openinference']);
    expect(again.out).toBe(out);
    expect(out).toContain('"retrieval.documents.0.document.id"');
    expect((await run(['trace', 'r1', '--format', 'otel'])).out).toContain('"gen_ai.retrieval.documents"');
  });

  test.each<[string, readonly string[], number, RegExp]>([
    ['a format that is none', ['trace', 'r1', '--format', 'zipkin'], 2, /openinference or otel/],
    ['a run that nobody knows', ['trace', 'r9'], 2, /PL_NOT_FOUND/],
    ['nowhere to push to', ['trace', 'r1', '--push'], 3, /OTEL_EXPORTER_OTLP_ENDPOINT/],
    ['nothing that was used', ['trace', 'usage', 'r1', 'd1'], 2, /nothing of what was used/],
    ['a cost that is none', [...USAGE, '--cost', 'free'], 2, /cost: must be a decimal number/],
    ['a count that is none', ['trace', 'usage', 'r1', 'd1', '--input-tokens', '1.5'], 2, /--input-tokens/],
    ['an id that is none', ['trace', 'usage', 'r1', 'd 1', '--model', 'm'], 2, /PL_ID_INVALID/],
  ])('refuses %s', async (_, argv, code, words) => {
    const refused = await run(argv);
    expect(refused.code).toBe(code);
    expect(refused.err).toMatch(words);
  });

  test('pushes spans to a collector, and says when it does not take them', async () => {
    const collector = await openCollector();
    const before = process.env['OTEL_EXPORTER_OTLP_ENDPOINT'];
    // The exporter reads the variables of its process.
    process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = collector.url;
    try {
      const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
      const { code, out } = await run(['trace', 'r1', '--format', 'otel', '--push', '--json'], { env });
      expect(code).toBe(0);
      const { pushed } = JSON.parse(out) as { pushed: number };
      const spans = collector.taken.flatMap(spansIn);
      expect(spans).toHaveLength(pushed);
      expect(spans.map(({ name }) => name)).toContain('retrieval');
      collector.answerWith(400);
      const refused = await run(['trace', 'r1', '--push'], { env });
      expect(refused.code).toBe(3);
      expect(refused.err).toContain('PL_COLLECTOR_DOWN');
    } finally {
      if (before === undefined) delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT'];
      else process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = before;
      await collector.close();
    }
  });
});

describe('proofline trail', () => {
  test('tells of contexts and of what was used', async () => {
    const { out } = await run(['trail', 'r1']);
    expect(out).toMatch(/context [0-9a-f]{32}/);
    expect(out).toMatch(/generation of draft d1 {2}filled in/);
    expect(out).not.toContain('also noted');
    const json = JSON.parse((await run(['trail', 'r1', '--json'])).out) as Record<string, unknown>;
    expect(json['generations']).toMatchObject([{ draft_id: 'd1', cost: '0.0042' }]);
    expect(json['contexts']).toMatchObject([{ tool_call_ids: ['c1'] }]);
  });
});

describe('beside a running line', () => {
  test('contexts are made and usage is filled in by the line that runs', async () => {
    const line = await openLocalLine({ config: readConfig({}, { data }).config });
    const server = await serveLine(line, data);
    try {
      const argv = ['assemble', '--run', 'r1', '--call', 'c1', '--query', 'why?', '--json'];
      const made = await run([...argv, '--tokens', '60']);
      expect(made.code).toBe(0);
      const context = JSON.parse(made.out) as { text: string; citations: object[]; budget: object };
      expect(context.budget).toEqual({ tokens: 60, encoding: 'cl100k_base' });
      const packed = await run([...argv, '--packed']);
      expect((JSON.parse(packed.out) as { text: string }).text).toMatch(/^\[Evidence 1\]\nsource: /);
      expect((await run([...argv, '--packed', '--tokens', '60'])).code).toBe(2);
      const refused = await run(['assemble', '--run', 'r1', '--call', 'c9', '--query', 'why?']);
      expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('PL_CONTEXT_REFUSED')]);
      expect((await run([...USAGE, '--cost', '0.0050'])).out).toContain('for draft d1');
    } finally {
      await server.close();
      await line.close();
    }
  });
});

function spansIn(body: string): { name: string }[] {
  const { resourceSpans } = JSON.parse(body) as {
    resourceSpans: { scopeSpans: { spans: { name: string }[] }[] }[];
  };
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}

interface Collector {
  readonly url: string;
  readonly taken: readonly string[];
  answerWith(status: number): void;
  close(): Promise<void>;
}

async function openCollector(): Promise<Collector> {
  const taken: string[] = [];
  let status = 200;
  const server: Server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      if (status === 200) taken.push(body);
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    taken,
    answerWith: (next) => void (status = next),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
