import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { docsFolder } from '../support/docs-folder.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait.js';

/** The command as a process of its own: its streams and its signals are real. */

interface Started {
  readonly process: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly out: () => string;
  readonly err: () => string;
  /** The exit code; null when a signal ended it. */
  readonly ended: Promise<number | null>;
}

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const started = new Set<Started>();

function start(...argv: readonly string[]): Started {
  const child = spawn(process.execPath, ['--import', 'tsx', main, ...argv], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const one = { process: child, out: () => out, err: () => err, ended };
  started.add(one);
  return one;
}

afterEach(async () => {
  for (const { process: child } of started) child.kill('SIGKILL');
  await Promise.all([...started].map((one) => one.ended));
  started.clear();
  removeTempFolders();
});

const SLOW_MS = 60_000;

async function runs(one: Started): Promise<void> {
  await waitUntil(`it runs: ${one.err()}`, () => one.out().includes('\nsocket '), SLOW_MS);
}

describe('the process', () => {
  it(
    'reads standard input, writes standard output and answers with its exit code',
    { timeout: SLOW_MS },
    async () => {
      const one = start('try', 'project', '--input', '-');
      one.process.stdin.end('{"lookup_result":"{}","tool_call_id":"c"}');
      expect(await one.ended).toBe(0);
      expect(JSON.parse(one.out())).toMatchObject({ error: { code: 'PL_PROJECTION_INPUT' } });
      expect(await start('lokup').ended).toBe(2);
    },
  );

  it('does not mind that nobody reads its output', { timeout: SLOW_MS }, async () => {
    const one = start('try', 'map', '--input', '-');
    one.process.stdout.destroy();
    one.process.stdin.end(`${JSON.stringify({ hits: [], evidence_status: 'no_evidence' })}\n`.repeat(5000));
    expect(await one.ended).toBe(0);
    expect(one.err()).toBe('');
  });

  it(
    'stops when asked, and at once when killed; what it leaves is no hindrance',
    { timeout: SLOW_MS },
    async () => {
      const data = join(tempFolder(), 'data');
      const docs = docsFolder(tempFolder());
      const killed = start('--data', data, 'dev', '--docs', docs);
      await runs(killed);
      killed.process.kill('SIGKILL');
      expect(await killed.ended).toBeNull();
      expect(existsSync(join(data, 'proofline.sock'))).toBe(true);

      const asked = start('--data', data, 'dev', '--docs', docs);
      await runs(asked);
      asked.process.kill('SIGTERM');
      expect(await asked.ended).toBe(0);
      expect(asked.err()).toBe('stopped\n');
      expect(existsSync(join(data, 'proofline.sock'))).toBe(false);
    },
  );
});
