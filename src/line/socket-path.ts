import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { ProoflineError } from '../contracts/errors.js';
import { dataFolder } from './data-folder.js';

/**
 * The kernel takes about 104 bytes of a socket's path. A data folder that lies deeper has its socket in a private
 * folder below the temporary one, and writes down where.
 */
const LONGEST_PATH = 100;

/** Where the real place is written down. */
function noteOf(socket: string): string {
  return `${socket}.path`;
}

/** Where the line of a data folder, which must exist, listens. */
export function socketPathToListen(folder: string): string {
  const socket = resolve(dataFolder(folder).socket);
  if (Buffer.byteLength(socket) <= LONGEST_PATH) return socket;
  const short = join(privateFolder(), `${digestOf(folder)}.sock`);
  if (Buffer.byteLength(short) > LONGEST_PATH) {
    const problem = `the path of its socket is longer than ${LONGEST_PATH} bytes, and so is ${dirname(short)}`;
    throw new ProoflineError('PL_DATA_FOLDER_UNUSABLE', { folder, problem });
  }
  writeFileSync(noteOf(socket), short, { mode: 0o600 });
  return short;
}

/** Where a command looks for the line of a data folder; null where none can be. */
export function socketPathToConnect(folder: string): string | null {
  const socket = resolve(dataFolder(folder).socket);
  const place = Buffer.byteLength(socket) <= LONGEST_PATH ? socket : readNote(socket);
  return place !== null && existsSync(place) && isOurs(place) ? place : null;
}

function readNote(socket: string): string | null {
  try {
    return readFileSync(noteOf(socket), 'utf8');
  } catch {
    return null;
  }
}

function digestOf(folder: string): string {
  return createHash('sha256').update(realpathSync(folder)).digest('hex').slice(0, 16);
}

/** Others may write to the temporary folder: only a folder of our own, closed to them, is taken. */
function privateFolder(): string {
  const folder = join(tmpdir(), `proofline-${userInfo().uid}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  if (found.isDirectory() && isOurs(folder) && (found.mode & 0o077) === 0) return folder;
  const problem = 'it must be a folder of yours that nobody else may open';
  throw new ProoflineError('PL_DATA_FOLDER_UNUSABLE', { folder, problem });
}

/** Nothing is handed to a socket that somebody else put there. */
function isOurs(place: string): boolean {
  return process.getuid === undefined || lstatSync(place).uid === process.getuid();
}
