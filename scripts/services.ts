/**
 * Starts the real services that Proofline runs on, for trying things by hand: prints their addresses and keeps them
 * until Ctrl-C. What they hold is gone with them.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { developmentServices, type DevelopmentService } from '../test/support/services/development.js';
import { withVariables } from '../test/support/services/environment-file.js';
import type { ServiceName } from '../test/support/services/images.js';

const ALL = Object.keys(developmentServices) as ServiceName[];
const HELP = `Starts the real services that Proofline runs on and keeps them until Ctrl-C.

  npm run services                       ${ALL.join(', ')}
  npm run services -- kafka redis        only these
  npm run services -- --env .env.local   also writes their addresses into that file; its other lines stay

Each runs in a container where a Docker engine answers, else as a process of this machine;
PROOFLINE_TEST_SERVICES=local or =docker allows only one of them. What they hold is gone when they end.
`;
const USAGE = 2;
const CANNOT_RUN = 3;

interface Wanted {
  readonly names: readonly ServiceName[];
  /** The file that gets the addresses. */
  readonly file: string | null;
}

// A Ctrl-C while they start must not leave anything behind either.
const interrupted = new Promise<void>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
});
// Nothing else keeps this process alive.
const alive = setInterval(() => undefined, 1000);
process.exitCode = await main(readArguments());
clearInterval(alive);

function readArguments(): Wanted | number {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { help: { type: 'boolean', short: 'h' }, env: { type: 'string' } },
    });
    if (values.help === true) {
      process.stdout.write(HELP);
      return 0;
    }
    const names = positionals.map((name) => {
      const known = ALL.find((each) => each === name);
      if (known === undefined) throw new Error(`There is no service ${JSON.stringify(name)}.`);
      return known;
    });
    return { names: names.length === 0 ? ALL : [...new Set(names)], file: values.env ?? null };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${HELP}`);
    return USAGE;
  }
}

/** The exit code. */
async function main(wanted: Wanted | number): Promise<number> {
  if (typeof wanted === 'number') return wanted;
  let possible = true;
  for (const name of wanted.names) {
    const missing = await developmentServices[name].missing();
    if (missing === null) continue;
    possible = false;
    process.stderr.write(`${name} cannot be started here: ${missing}\n`);
  }
  return possible ? keep(wanted) : CANNOT_RUN;
}

async function keep({ names, file }: Wanted): Promise<number> {
  const started = await Promise.allSettled(names.map((name) => developmentServices[name].start()));
  const running = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const failures = started.flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : []));
  try {
    if (failures.length === 0) {
      tell(running, file);
      await interrupted;
    } else process.stderr.write(`${failures.join('\n')}\n`);
  } finally {
    await Promise.all(running.map(({ service }) => service.stop()));
  }
  return failures.length === 0 ? 0 : 1;
}

function tell(running: readonly DevelopmentService[], file: string | null): void {
  const variables = Object.assign({}, ...running.map((each) => each.variables)) as Record<string, string>;
  if (file !== null) {
    const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
    writeFileSync(file, withVariables(before, variables), { mode: 0o600 });
  }
  process.stdout.write(withVariables('', variables));
  const logs = running.map(({ service }) => service.folder).join(' ');
  process.stderr.write(`\nTheir folders, with their logs: ${logs}\nCtrl-C ends everything.\n`);
}
