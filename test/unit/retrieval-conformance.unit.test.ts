import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Hit } from '../../src/contracts/generated.js';
import { mapHits } from '../../src/evidence/map-hits.js';
import type { KnowledgeQuery } from '../../src/retrieval/knowledge-search.js';
import { openLocalIndex } from '../../src/retrieval/local/local-index.js';
import { memorySearch } from '../../src/retrieval/memory.js';
import { createPyRag } from '../../src/retrieval/py-rag/py-rag.js';
import { describeKnowledgeSearch } from '../conformance/knowledge-search.js';
import { playJson, pyRagAnswer, pyRagHit, startPyRagServer } from '../support/py-rag-server.js';
import type { Play } from '../support/py-rag-server.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';

const found: KnowledgeQuery = { query: 'gateway timeout', mode: 'hybrid', filters: {}, topK: 10 };
const notFound: KnowledgeQuery = { ...found, query: 'sourdough bread' };
const refused: KnowledgeQuery = { ...found, filters: { author: 'me' } };
const passages = ['A gateway timeout: look at the upstream first.', 'The gateway answers after its timeout.'];
const pyRagHits = passages.map((text, chunk) => pyRagHit('gateway', chunk, text));

function mappedHits(): readonly Hit[] {
  const mapped = mapHits(pyRagAnswer(found.query, pyRagHits));
  if ('error' in mapped) throw new Error(mapped.error.message);
  return mapped.hits;
}

describeKnowledgeSearch('memory', () =>
  Promise.resolve({
    search: memorySearch((query) => (query.query === found.query ? mappedHits() : [])),
    found,
    notFound,
    refused: null,
    dispose: () => Promise.resolve(),
  }),
);

describeKnowledgeSearch('local', async () => {
  const folder = tempFolder();
  mkdirSync(join(folder, 'docs'));
  for (const [index, text] of passages.entries())
    writeFileSync(join(folder, 'docs', `gateway-${index}.md`), `# Gateway ${index}\n\n${text}\n`);
  const search = openLocalIndex(join(folder, 'index.db'));
  await search.indexFolder(join(folder, 'docs'));
  const dispose = () => {
    removeTempFolders();
    return Promise.resolve();
  };
  return { search, found, notFound, refused, dispose };
});

const playPyRag: Play = (response, request) => {
  const { query, top_k, filters } = request.body as { query: string; top_k: number; filters: object };
  if (Object.keys(filters).length > 0) playJson({ detail: 'no such filter' }, 422)(response, request);
  else
    playJson(pyRagAnswer(query, query === found.query ? pyRagHits.slice(0, top_k) : []))(response, request);
};

describeKnowledgeSearch('py-rag', async () => {
  const server = await startPyRagServer(playPyRag);
  const search = createPyRag({ url: server.url });
  return { search, found, notFound, refused, dispose: () => server.close() };
});
