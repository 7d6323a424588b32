/**
 * A process of its own that uses an index file: `retrieval-index-child.ts MODE FILE FOLDER`.
 * `index` indexes the folder and prints `file N` before each file and `done` at the end. `search` searches the
 * file read-only, over and over, and prints `found N` and, when an answer is not what it should be, `wrong`.
 */
import { openLocalIndex } from '../../src/retrieval/local/local-index.js';

const [mode, file = '', folder = ''] = process.argv.slice(2);

async function index(): Promise<void> {
  const local = openLocalIndex(file);
  console.log('open');
  await local.indexFolder(folder, { onProgress: ({ filesDone }) => console.log(`file ${filesDone}`) });
  console.log('done');
  await local.close();
}

async function searchForEver(): Promise<void> {
  const local = openLocalIndex(file, { readOnly: true });
  console.log('open');
  for (let i = 0; ; i++) {
    const outcome = await local.search({ query: 'gateway', mode: 'hybrid', filters: {}, topK: 10 });
    if (outcome.kind !== 'hits') console.log(`wrong ${JSON.stringify(outcome)}`);
    else if (i % 10 === 0) console.log(`found ${outcome.hits.length}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

await (mode === 'index' ? index() : searchForEver());
