import { createHash } from 'node:crypto';

/**
 * The document id of a file: its path made readable (`etcd/etcdNoLeader.md` → `etcd-etcdNoLeader-md-8f14e45f`),
 * of letters, digits and `-` only, so that it survives an agent's report. The digits tell apart paths that read
 * the same, and stay as long as the path does.
 */
export function slugOf(path: string): string {
  const readable = path
    .replace(/[^A-Za-z0-9]+/g, '-')
    .slice(-80)
    .replace(/^-+|-+$/g, '');
  // Where letters were lost, the digits have to tell more apart.
  const digits = /^[\x20-\x7e]*$/.test(path) ? 8 : 16;
  const digest = createHash('sha256').update(path).digest('hex').slice(0, digits);
  return readable === '' ? `doc-${digest}` : `${readable}-${digest}`;
}
