import { spawn } from 'node:child_process';
import { accessSync, constants, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { ProoflineError } from '../contracts/errors.js';

/** Other programs that pass records through topics, run one after the other on the same broker. */

export interface Peers {
  /** Holds programs: executable files, and `.mjs` files for Node. */
  readonly folder: string;
  readonly bootstrap: string;
  readonly records: number;
  readonly partitions: number;
}

const HOPS = 3;

/** What they print, line by line, each with the program's name before it. */
export async function* runPeers(peers: Peers, signal: AbortSignal): AsyncGenerator<string> {
  for (const program of programsIn(peers.folder)) {
    const [command, ...before] = program.endsWith('.mjs') ? [process.execPath, program] : [program];
    const args = [...before, String(peers.records), String(peers.partitions), String(HOPS)];
    const env = { ...process.env, BOOTSTRAP: peers.bootstrap };
    const child = spawn(command, args, { env, signal, stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = new Promise<string>((done) => {
      child.on('error', (error) => done(error.message));
      child.on('exit', (code, by) => done(code === 0 ? '' : `it ended with ${by ?? code ?? 'nothing'}`));
    });
    const name = basename(program);
    for await (const line of createInterface({ input: child.stdout })) yield `${name}: ${line}`;
    const problem = await ended;
    if (problem !== '') yield `${name}: ${problem}`;
  }
}

function programsIn(folder: string): readonly string[] {
  const programs = filesOf(folder).filter((file) => file.endsWith('.mjs') || isExecutable(file));
  if (programs.length === 0)
    throw new ProoflineError('PL_INPUT_INVALID', {
      problem: `${folder} holds no program: no executable file, and no .mjs`,
    });
  return programs;
}

function filesOf(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ name }) => resolve(join(folder, name)));
  } catch (error) {
    throw new ProoflineError('PL_INPUT_INVALID', {
      problem: `${folder} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    });
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
