/**
 * Runs the commands of README.md as they are written, in order, and fails when one of them does.
 *
 * A command ends with exit code 0, or with N where its line says `# exit code N`. One whose line says
 * `# stop with Ctrl-C` is stopped as a person would, once it says that it is ready.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

process.chdir(resolve(import.meta.dirname, '..'));

const READY = /^running /m;
const LIMIT_MS = 40 * 60_000;

function commandsOf(markdown) {
  const blocks = [...markdown.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map((match) => match[1]);
  return blocks.flatMap((block) => block.split('\n').filter((line) => line.trim() !== ''));
}

function run(line) {
  const [command, comment = ''] = line.split(/\s+#\s/, 2);
  const expected = Number(/exit code (\d+)/.exec(comment)?.[1] ?? 0);
  const untilStopped = comment.includes('stop with Ctrl-C');
  process.stdout.write(`\n$ ${line}\n`);
  return new Promise((done, fail) => {
    // A group of its own, so that Ctrl-C reaches all of it, as in a terminal.
    const child = spawn('bash', ['-c', command], { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const limit = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), LIMIT_MS);
    let stopping = false;
    const pass = (target) => (chunk) => {
      target.write(chunk);
      if (!untilStopped || stopping || !READY.test(chunk.toString())) return;
      stopping = true;
      process.kill(-child.pid, 'SIGINT');
    };
    child.stdout.on('data', pass(process.stdout));
    child.stderr.on('data', pass(process.stderr));
    child.on('close', (code) => {
      clearTimeout(limit);
      if (code === expected || (untilStopped && stopping)) done();
      else fail(new Error(`README.md: "${command}" ended with ${code}, not with ${expected}`));
    });
  });
}

for (const line of commandsOf(readFileSync('README.md', 'utf8'))) await run(line);
