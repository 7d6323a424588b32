import * as fs from 'node:fs';

/**
 * The conformance suite imports `globSync`, which Node has from version 22 on, for a report that is not made here.
 * Before, a module that imports it does not load.
 */
export async function load(url, context, nextLoad) {
  const loaded = await nextLoad(url, context);
  if ('globSync' in fs || !url.endsWith('/@modelcontextprotocol/conformance/dist/index.js')) return loaded;
  return { ...loaded, source: String(loaded.source).replace('globSync as', 'readdirSync as') };
}
