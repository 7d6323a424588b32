import { setMaxListeners } from 'node:events';
import type { Hit } from '../../src/contracts/generated.js';
import type { KnowledgeQuery, KnowledgeSearch, SearchOutcome } from '../../src/retrieval/knowledge-search.js';
import { down } from '../../src/retrieval/outcomes.js';
import { hitOf } from './evidence.js';

/** A retriever that answers as a test tells it to, and remembers what it was asked. */
export interface ScriptedSearch extends KnowledgeSearch {
  readonly asked: readonly KnowledgeQuery[];
  /** Changes the answers from now on. */
  answer(script: Script): void;
}

export type Script = (query: KnowledgeQuery) => SearchOutcome | Promise<SearchOutcome>;

/** Without a script, it finds one document that is named after the query. */
export function scripted(script: Script = ({ query }) => hits([hitAbout(query)])): ScriptedSearch {
  const asked: KnowledgeQuery[] = [];
  let current = script;
  return {
    name: 'scripted',
    asked,
    answer: (next) => void (current = next),
    async search(query, { signal } = {}) {
      asked.push(query);
      if (signal === undefined) return current(query);
      setMaxListeners(0, signal);
      signal.throwIfAborted();
      return Promise.race([current(query), rejectedOnAbort(signal)]);
    },
    close: () => Promise.resolve(),
  };
}

function rejectedOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

export function hits(found: readonly Hit[], trace: object = {}): SearchOutcome {
  return { kind: 'hits', hits: found, trace: { ...trace } };
}

/** One document about a query: its text and its identity tell which one. */
export function hitAbout(query: string, content = `To solve ${query}, check the upstream first.`): Hit {
  const documentId = `doc-${query.replaceAll(/\W/g, '-')}`;
  return hitOf({ documentId, evidenceKey: `${documentId}#chunk-0`, chunkIndex: 0, content });
}

export const isDown = (retryAfterMs: number | null = null): SearchOutcome => down('refused', retryAfterMs);
