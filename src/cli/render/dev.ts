import type { LineHealth } from '../../line/line-client.js';
import { adviceLines, counted, LABEL, type Typed } from './advice.js';
import type { Paint } from './page.js';
import { safeText } from './safe-text.js';

/** What runs, for the person who started it, and what to try. */
export function devPage(
  health: LineHealth,
  { socket, url }: { readonly socket: string; readonly url: string },
  paint: Paint,
  typed: Typed,
): readonly string[] {
  const { version, folder, partitions, key_id: keyId } = health;
  const row = (label: string, text: string): string => `${label.padEnd(LABEL)}${safeText(text)}`;
  return [
    `${paint('good', 'running')}   proofline ${version}; Ctrl-C stops it`,
    row('data', `${folder}, ${partitions} partitions, entries are signed by key ${keyId}`),
    row('search', searchWords(health)),
    row('socket', socket),
    row('gateway', `${url}/v1, to read at ${url}/docs`),
    '',
    ...adviceLines(adviceOf(health, typed), paint, 'try'),
  ];
}

function searchWords({ retrieval: { kind, index } }: LineHealth): string {
  if (kind === 'py-rag') return 'py-rag, at PROOFLINE_PYRAG_URL';
  if (index === null) return 'nothing is indexed yet, so no lookup can be answered';
  const of = index.folder === null ? '' : ` of ${index.folder}`;
  return `the local index${of}: ${counted(index.documents, 'document')}, ${counted(index.chunks, 'passage')}`;
}

function adviceOf({ retrieval: { kind, index } }: LineHealth, typed: Typed) {
  const doctor = { command: typed('doctor'), why: 'see whether everything is well' };
  if (kind === 'local' && index === null)
    return [{ command: typed('index DIR'), why: 'index your documents (.md, .mdx, .txt, .html)' }, doctor];
  return [{ command: typed('lookup "…"'), why: 'ask something, in another terminal' }, doctor];
}
