import { readFileSync, statSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { CliIo } from './io.js';
import { inputInvalid } from './input.js';

const OPTION = '--env-file';
const MAX_BYTES = 1024 * 1024;

/** The io with the variables of `--env-file FILE`, where the command line has it; the environment's own win. */
export function withEnvFile(argv: readonly string[], io: CliIo): CliIo {
  const file = fileIn(argv);
  return file === null ? io : { ...io, env: { ...variablesOf(file), ...io.env } };
}

function fileIn(argv: readonly string[]): string | null {
  const own = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  for (const [i, word] of own.entries()) {
    if (word === OPTION) return own[i + 1] ?? null;
    if (word.startsWith(`${OPTION}=`)) return word.slice(OPTION.length + 1);
  }
  return null;
}

function variablesOf(file: string): Record<string, string> {
  try {
    if (statSync(file).size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES} bytes`);
    return parseEnv(readFileSync(file, 'utf8')) as Record<string, string>;
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw inputInvalid(`${OPTION} ${file}: ${problem}`, error);
  }
}
