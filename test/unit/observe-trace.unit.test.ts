import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createTraceIds, runTraceId } from '../../src/observe/trace-ids.js';
import { startTracing, type TracingOptions } from '../../src/observe/tracing.js';
import { formatTraceparent, isTraceparent, parseTraceparent } from '../../src/station/traceparent.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const collectors = new Set<Server>();

afterEach(() => {
  vi.unstubAllEnvs();
  for (const server of collectors) {
    server.close();
    server.closeAllConnections();
  }
  collectors.clear();
});

describe('a traceparent', () => {
  test.each([
    [`00-${TRACE}-${PARENT}-01`, 1],
    [`00-${TRACE}-${PARENT}-00`, 0],
    // Bits and versions that we do not know are no reason to lose the trace.
    [`cc-${TRACE}-${PARENT}-ff`, 255],
  ])('given %s, is read', (text, flags) => {
    expect(parseTraceparent(text)).toEqual({ traceId: TRACE, spanId: PARENT, flags });
  });

  test.each([
    undefined,
    '',
    `ff-${TRACE}-${PARENT}-01`,
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE}-${PARENT}-1`,
    `00-${TRACE}-${PARENT}-01-`,
    ` 00-${TRACE}-${PARENT}-01`,
    `00-${TRACE}-${PARENT}-0\u0000`,
    `00-${TRACE.toUpperCase()}-${PARENT}-01`,
    'x'.repeat(10_000_000),
  ])('given anything else, is none', (text) => {
    expect(isTraceparent(text)).toBe(false);
    expect(parseTraceparent(text)).toBeNull();
  });

  test('is written as it was read', () => {
    const text = `00-${TRACE}-${PARENT}-01`;
    expect(formatTraceparent(parseTraceparent(text)!)).toBe(text);
  });
});

describe('ids of traces', () => {
  test('follow from line and run, and are well formed', () => {
    expect(runTraceId('line', 'run-1')).toMatch(/^[0-9a-f]{32}$/);
    expect(runTraceId('line', 'run-1')).toBe(runTraceId('line', 'run-1'));
    expect(runTraceId('line', 'run-1')).not.toBe(runTraceId('line', 'run-2'));
    expect(runTraceId('other line', 'run-1')).not.toBe(runTraceId('line', 'run-1'));
  });

  test('of a run hold for the next trace alone; a trace of nobody has a random one', () => {
    const ids = createTraceIds(() => 'line');
    ids.begin('run-1');
    expect(ids.generateTraceId()).toBe(runTraceId('line', 'run-1'));
    const [one, other] = [ids.generateTraceId(), ids.generateTraceId()];
    expect(one).toMatch(/^[0-9a-f]{32}$/);
    expect(one).not.toBe(other);
    expect(ids.generateSpanId()).toMatch(/^[0-9a-f]{16}$/);
    const many = new Set(Array.from({ length: 5000 }, () => ids.generateSpanId()));
    expect(many.size).toBe(5000);
  });
});

describe('tracing', () => {
  const counted = { exported: 0, failed: 0 };
  const options = (env: TracingOptions['env']): TracingOptions => ({
    env,
    scope: () => 'line',
    onExported: (spans, taken) => void (counted[taken ? 'exported' : 'failed'] += spans),
  });

  test.each([
    {},
    { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_SDK_DISABLED: 'true' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_TRACES_EXPORTER: 'none' },
  ])('given %o, is off', async (env) => expect(await startTracing(options(env))).toBeNull());

  test('given a collector, sends it the spans by the time it has stopped', async () => {
    const received: string[] = [];
    const url = await collect((body) => received.push(body));
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test' };
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    const before = counted.exported;
    const tracing = (await startTracing(options(env)))!;
    tracing.ids.begin('run-1');
    tracing.tracer.startSpan('retrieve').end();
    await tracing.stop();
    expect(received).toHaveLength(1);
    expect(received[0]).toContain(runTraceId('line', 'run-1'));
    expect(received[0]).toContain('"proofline"');
    expect(received[0]).toContain('deployment.environment');
    expect(counted.exported - before).toBe(1);
  });

  test('given a collector that takes no connection, or never answers, holds nobody up', async () => {
    const silent = await collect(() => undefined, { answers: false });
    for (const url of ['http://127.0.0.1:1', silent]) {
      vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', url);
      const tracing = (await startTracing(options({ OTEL_EXPORTER_OTLP_ENDPOINT: url })))!;
      const begun = performance.now();
      for (let i = 0; i < 10_000; i++) tracing.tracer.startSpan('retrieve').end();
      expect(performance.now() - begun).toBeLessThan(2000);
      await tracing.stop();
      expect(performance.now() - begun).toBeLessThan(6000);
    }
  });
});

/** An OTLP collector, of which only the bodies that it gets are of interest. */
async function collect(onBody: (body: string) => void, { answers = true } = {}): Promise<string> {
  const server = createServer((incoming, response) => {
    const parts: Buffer[] = [];
    incoming.on('data', (part: Buffer) => parts.push(part));
    incoming.on('end', () => {
      onBody(Buffer.concat(parts).toString('utf8'));
      if (answers) response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  collectors.add(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
