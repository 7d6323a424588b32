/**
 * Makes a checkout ready: installs when node_modules does not fit package-lock.json, and builds when dist is older
 * than the sources. Does nothing, and says nothing, when there is nothing to do.
 *
 *   node scripts/prepare.mjs            install and build
 *   node scripts/prepare.mjs --install  install only
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
process.chdir(root);

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  fail(`Proofline needs Node 20.19 or newer; this is ${process.versions.node}.`);
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(3);
}

function run(what, command, args, env = {}) {
  process.stderr.write(`${what} …\n`);
  const started = Date.now();
  const { status, stdout, stderr } = spawnSync(command, args, {
    env: { ...process.env, ...env },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) fail(`${stdout}${stderr}\n${what}: failed`);
  process.stderr.write(`${what}: ${((Date.now() - started) / 1000).toFixed(0)} s\n`);
}

/** Newest modification under the given paths, in milliseconds. */
function newest(...paths) {
  let latest = 0;
  for (const path of paths) {
    if (!existsSync(path)) continue;
    const info = statSync(path);
    if (!info.isDirectory()) latest = Math.max(latest, info.mtimeMs);
    else for (const name of readdirSync(path)) latest = Math.max(latest, newest(join(path, name)));
  }
  return latest;
}

function needsInstall() {
  const marker = 'node_modules/.package-lock.json';
  return !existsSync(marker) || statSync(marker).mtimeMs < statSync('package-lock.json').mtimeMs;
}

function needsBuild() {
  return (
    newest('dist/.tsbuildinfo') <
    newest('src', 'consumers', 'producers', 'tsconfig.json', 'tsconfig.build.json')
  );
}

if (needsInstall()) {
  // Where no ready-made SQLite can be had it is compiled: with all cores, and for a short build.
  const compile = { JOBS: 'max', CFLAGS: '-O2', CXXFLAGS: '-O1', npm_config_loglevel: 'error' };
  run('installing the packages', 'npm', ['ci', '--no-audit', '--no-fund', '--prefer-offline'], compile);
}
// Types are checked by `npm run check`; here only the JavaScript is wanted, soon.
if (!process.argv.includes('--install') && needsBuild()) {
  run('building', process.execPath, [
    'node_modules/typescript/bin/tsc',
    '-p',
    'tsconfig.build.json',
    '--noCheck',
  ]);
}
