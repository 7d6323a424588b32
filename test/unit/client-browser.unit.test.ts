import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { afterEach, describe, expect, it } from 'vitest';
import type * as sdk from '../../src/client/index.js';
import { closeScriptedGateways, openScriptedGateway, view } from '../support/client-gateway.js';

afterEach(closeScriptedGateways);

/** What a browser and Node have in common, as far as the client uses it. */
const shared = {
  fetch,
  crypto,
  URL,
  AbortController,
  TextDecoder,
  Uint8Array,
  setTimeout,
  clearTimeout,
  performance,
};

async function bundle() {
  const { outputFiles, metafile } = await build({
    entryPoints: ['src/client/index.ts'],
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'proofline',
  });
  return { code: outputFiles[0]!.text, inputs: Object.keys(metafile.inputs) };
}

describe('the client in a browser', () => {
  it('is bundled without a module of Node, and is small', async () => {
    const { code, inputs } = await bundle();
    expect(inputs.filter((path) => /^node:|\(disabled\)/.test(path))).toEqual([]);
    expect(Buffer.byteLength(code)).toBeLessThan(64 * 1024);
  });

  it('works where there is nothing of Node: no process, no Buffer, no require', async () => {
    const gateway = await openScriptedGateway();
    gateway.answer(view());
    const page = createContext({ ...shared });
    runInContext((await bundle()).code, page);
    expect(runInContext('typeof process + typeof Buffer + typeof require', page)).toBe('undefined'.repeat(3));
    const { createClient } = runInContext('proofline', page) as typeof sdk;
    const result = await createClient({ url: gateway.url }).createRun().lookup('q');
    expect(result.state).toBe('READY');
  });
});
