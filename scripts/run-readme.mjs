/**
 * Runs the commands of README.md as they are written, in order, and fails when one of them does.
 *
 * A command ends with exit code 0, or with N where its line says `# exit code N`. One whose line says
 * `# stop with Ctrl-C` is stopped as a person would, once it says that it is ready; one whose line says
 * `# keep it running` is stopped when all the others have ended. What an earlier run left behind is removed before.
 */
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';

process.chdir(resolve(import.meta.dirname, '..'));

const READY = /^running |^Ctrl-C ends everything|"msg":"ready"|answers at http|reports are written/m;
const LEFT_BEHIND = ['kafka.env', '.proofline-kafka', 'reports', 'system.json', 'tool.json'];
const LIMIT_MS = 40 * 60_000;

function commandsOf(markdown) {
  const blocks = [...markdown.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map((match) => match[1]);
  return blocks.flatMap((block) => block.split('\n').filter((line) => line.trim() !== ''));
}

/** Commands that keep running, the last one first. */
const background = [];

function run(line) {
  const [command, comment = ''] = line.split(/\s+#\s/, 2);
  const expected = Number(/exit code (\d+)/.exec(comment)?.[1] ?? 0);
  const untilStopped = comment.includes('stop with Ctrl-C');
  const keptRunning = comment.includes('keep it running');
  process.stdout.write(`\n$ ${line}\n`);
  return new Promise((done, fail) => {
    // A group of its own, so that Ctrl-C reaches all of it, as in a terminal.
    const child = spawn('bash', ['-c', command], { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const limit = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), LIMIT_MS);
    const ended = new Promise((resolve) => child.on('close', resolve));
    let ready = false;
    const pass = (target) => (chunk) => {
      target.write(chunk);
      if (!(untilStopped || keptRunning) || ready || !READY.test(chunk.toString())) return;
      ready = true;
      if (untilStopped) process.kill(-child.pid, 'SIGINT');
      else {
        clearTimeout(limit);
        background.unshift({ child, ended });
        done();
      }
    };
    child.stdout.on('data', pass(process.stdout));
    child.stderr.on('data', pass(process.stderr));
    void ended.then((code) => {
      clearTimeout(limit);
      if (code === expected || (untilStopped && ready)) done();
      else fail(new Error(`README.md: "${command}" ended with ${code}, not with ${expected}`));
    });
  });
}

async function stopBackground() {
  for (const { child, ended } of background) {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGINT');
    await ended;
  }
}

for (const left of LEFT_BEHIND) rmSync(left, { recursive: true, force: true });
try {
  for (const line of commandsOf(readFileSync('README.md', 'utf8'))) await run(line);
} finally {
  await stopBackground();
}
