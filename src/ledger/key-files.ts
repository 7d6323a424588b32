import { createPrivateKey, createPublicKey, hash, randomBytes } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { ProoflineError } from '../contracts/errors.js';

/** One Ed25519 key as a PEM file: KEYID.pub.pem (SPKI) or KEYID.key.pem (PKCS #8, mode 0600). */

export type KeyKind = 'public' | 'private';

export interface KeyFile {
  /** Name inside the folder. */
  readonly file: string;
  readonly kind: KeyKind;
  /** From the name; the key inside must have the same. */
  readonly keyId: string;
}

/** A PEM file of one Ed25519 key is about 120 bytes. */
const MAX_BYTES = 16_384;

const SUFFIX: Readonly<Record<KeyKind, string>> = { public: '.pub.pem', private: '.key.pem' };
const LABEL: Readonly<Record<KeyKind, string>> = { public: 'PUBLIC KEY', private: 'PRIVATE KEY' };

function keyFileName(keyId: string, kind: KeyKind): string {
  return `${keyId}${SUFFIX[kind]}`;
}

/** The first 16 hex digits of the SHA-256 of the raw 32 bytes of the public key. */
export function keyIdOf(publicKey: KeyObject): string {
  const { x } = publicKey.export({ format: 'jwk' });
  return hash('sha256', Buffer.from(x ?? '', 'base64url')).slice(0, 16);
}

/** The key files of a folder by name. Other files, also our own unfinished ones (they begin with a dot), do not count. */
export function keyFilesIn(folder: string): KeyFile[] {
  return readdirSync(folder)
    .filter((file) => !file.startsWith('.'))
    .flatMap(keyFileNamed)
    .sort((a, b) => (a.file < b.file ? -1 : 1));
}

function keyFileNamed(file: string): KeyFile[] {
  const kinds: readonly KeyKind[] = ['public', 'private'];
  return kinds
    .filter((kind) => file.endsWith(SUFFIX[kind]))
    .map((kind) => ({ file, kind, keyId: file.slice(0, -SUFFIX[kind].length) }));
}

/** The key in the file. PL_KEY_INVALID where it is not the one that its name promises, or others may read it. */
export function readKeyFile(folder: string, { file, kind, keyId }: KeyFile): KeyObject {
  const path = join(folder, file);
  const key = parseKey(readSmallFile(path, kind), kind, path);
  const found = keyIdOf(kind === 'private' ? createPublicKey(key) : key);
  if (found !== keyId) throw keyInvalid(path, `the key inside has the id ${found}: rename the file after it`);
  return key;
}

function readSmallFile(path: string, kind: KeyKind): string {
  try {
    const stat = statSync(path);
    if (!stat.isFile() || stat.size > MAX_BYTES) throw keyInvalid(path, 'it is no small file');
    if (kind === 'private') refuseLaxMode(path, stat.mode);
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof ProoflineError) throw error;
    throw keyInvalid(path, `it cannot be read (${systemCode(error)})`, error);
  }
}

/** Windows has no such mode bits: there the folder's own access list protects the key. */
function refuseLaxMode(path: string, mode: number): void {
  if (process.platform === 'win32' || (mode & 0o077) === 0) return;
  const octal = (mode & 0o777).toString(8).padStart(4, '0');
  throw keyInvalid(path, `with mode ${octal} others than its owner may use it: run chmod 600 on it`);
}

/** The Ed25519 key in the PEM text. `name` is what the error calls it: PL_KEY_INVALID, never with the text. */
export function parseKey(pem: string, kind: KeyKind, name: string): KeyObject {
  const text = pem.trim();
  // Node would also make a public key of a private one or of a certificate.
  if (!text.startsWith(`-----BEGIN ${LABEL[kind]}-----`))
    throw keyInvalid(name, `it does not begin with -----BEGIN ${LABEL[kind]}-----`);
  let key: KeyObject;
  try {
    key = kind === 'public' ? createPublicKey(text) : createPrivateKey(text);
  } catch (error) {
    throw keyInvalid(name, 'the PEM text is damaged', error);
  }
  const type = key.asymmetricKeyType ?? 'unknown';
  if (type !== 'ed25519') throw keyInvalid(name, `it is a key of type ${type}`);
  return key;
}

/** Writes the key under its name: whole or not at all, also when the machine stops in the middle. */
export function writeKeyFile(folder: string, keyId: string, kind: KeyKind, key: KeyObject): void {
  const pem = key.export({ format: 'pem', type: kind === 'public' ? 'spki' : 'pkcs8' });
  const file = keyFileName(keyId, kind);
  const unfinished = join(folder, `.${file}.${randomBytes(6).toString('hex')}`);
  try {
    writeDurably(unfinished, pem, kind === 'private' ? 0o600 : 0o644);
    renameSync(unfinished, join(folder, file));
    syncFolder(folder);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw folderUnusable(folder, `${file} cannot be written`, error);
  }
}

function writeDurably(path: string, text: string | Buffer, mode: number): void {
  const file = openSync(path, 'wx', mode);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Deletes the file, durably. */
export function deleteKeyFile(folder: string, file: string): void {
  try {
    rmSync(join(folder, file), { force: true });
    syncFolder(folder);
  } catch (error) {
    throw folderUnusable(folder, `${file} cannot be deleted`, error);
  }
}

/** A rename or removal lasts once the folder itself is on the disk. (Windows has no such call.) */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

export function keyInvalid(file: string, problem: string, cause?: unknown): ProoflineError {
  return new ProoflineError('PL_KEY_INVALID', { file, problem }, { cause });
}

export function folderUnusable(folder: string, problem: string, cause: unknown): ProoflineError {
  const full = systemCode(cause) === 'ENOSPC';
  const params = { folder, problem: `${problem} (${systemCode(cause)})` };
  return new ProoflineError(full ? 'PL_DISK_FULL' : 'PL_DATA_FOLDER_UNUSABLE', params, { cause });
}

/** The operating system's word for what went wrong (ENOENT, EACCES), else the error's text. */
export function systemCode(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
