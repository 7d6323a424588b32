import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ProoflineError, isProoflineError } from '../contracts/errors.js';
import {
  deleteKeyFile,
  folderUnusable,
  keyFilesIn,
  keyIdOf,
  keyInvalid,
  parseKey,
  readKeyFile,
  systemCode,
  writeKeyFile,
} from './key-files.js';
import type { KeyFile, KeyKind } from './key-files.js';

/** Signs ledger entries with the one private key. */
export interface Signer {
  /** First 16 hex digits of the SHA-256 of the raw public key. */
  readonly keyId: string;
  /** Ed25519 signature of the text's UTF-8 bytes, base64url without padding. */
  sign(text: string): string;
}

/** The keys at hand: at most one that signs, any number that verify. */
export interface Keyring {
  /** Null in a keyring that only verifies. */
  readonly signer: Signer | null;
  publicKey(keyId: string): KeyObject | undefined;
  /** All keys that verify, sorted. */
  keyIds(): string[];
  /** Looks into the folder again, for keys that were added meanwhile. Where it throws, the keyring stays as it was. */
  reload(): void;
}

export interface KeyringOptions {
  /** Make the folder and a private key where there is none. The caller makes sure that no other process does so at the same time. */
  readonly create: boolean;
  /** Only verify: needs no private key and does not read one. */
  readonly verifyOnly?: boolean;
}

/** One key file of a folder, for people. */
export interface KeyInfo {
  readonly file: string;
  readonly keyId: string;
  readonly kind: KeyKind;
  /** Why it cannot be used; null where it can. */
  readonly problem: string | null;
}

/**
 * The keys of a folder: KEYID.pub.pem files and one KEYID.key.pem, whose public key counts also without a file of
 * its own.
 *
 * PL_KEY_MISSING without a private key (with `create` one is made); PL_KEY_INVALID names the file that is not what
 * its name says or that others may read, or all private keys where there are several; PL_NOT_FOUND where only
 * verifying was asked and there is no public key; PL_DATA_FOLDER_UNUSABLE or PL_DISK_FULL for the folder itself.
 */
export function openKeyring(folder: string, { create, verifyOnly = false }: KeyringOptions): Keyring {
  if (create && !verifyOnly && privateFiles(folder).length === 0) makeKey(folder);
  const load = () => (verifyOnly ? loadPublic(folder) : loadAll(folder));
  let keys = load();
  return {
    get signer() {
      return keys.signer;
    },
    publicKey: (keyId) => keys.publicKeys.get(keyId),
    keyIds: () => [...keys.publicKeys.keys()].sort(),
    reload: () => {
      keys = load();
    },
  };
}

/**
 * A new private key in a folder that has none; its id. The folder is made when it is not there. PL_INPUT_INVALID
 * where there is a private key already.
 */
export function createKey(folder: string): string {
  const [existing] = privateFiles(folder);
  if (existing !== undefined) {
    const problem = `${join(folder, existing.file)} is there already; rotate the key to replace it`;
    throw new ProoflineError('PL_INPUT_INVALID', { problem });
  }
  return makeKey(folder);
}

/**
 * Replaces the private key; the id of the new one. The old one stays as a public key, so that what it signed can
 * still be verified, and its private half is deleted. Also ends a rotation that was interrupted and left two private keys.
 * PL_KEY_MISSING where there is nothing to replace.
 */
export function rotateKey(folder: string): string {
  const old = privateFiles(folder);
  if (old.length === 0) throw new ProoflineError('PL_KEY_MISSING', { folder });
  for (const file of old) {
    const publicKey = createPublicKey(readKeyFile(folder, file));
    writeKeyFile(folder, file.keyId, 'public', publicKey);
  }
  const keyId = makeKey(folder);
  for (const { file } of old) deleteKeyFile(folder, file);
  return keyId;
}

/** Adds somebody's public key, given as PEM text (SPKI); its id. PL_KEY_INVALID where it is no such key. */
export function importPublicKey(folder: string, pemText: string): string {
  const key = parseKey(pemText, 'public', 'The given text');
  const keyId = keyIdOf(key);
  makeFolder(folder);
  writeKeyFile(folder, keyId, 'public', key);
  return keyId;
}

/** What is in the folder, usable or not; nothing where there is no folder. */
export function listKeys(folder: string): KeyInfo[] {
  return filesIn(folder).map((file) => ({ ...file, problem: problemOf(folder, file) }));
}

/** The signer of one Ed25519 private key, wherever it was kept. */
export function signerOf(privateKey: KeyObject): Signer {
  return {
    keyId: keyIdOf(createPublicKey(privateKey)),
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString('base64url'),
  };
}

interface Keys {
  readonly signer: Signer | null;
  readonly publicKeys: ReadonlyMap<string, KeyObject>;
}

function loadAll(folder: string): Keys {
  const [file, ...more] = privateFiles(folder);
  if (file === undefined) throw new ProoflineError('PL_KEY_MISSING', { folder });
  if (more.length > 0) throw severalPrivateKeys(folder, [file, ...more]);
  const privateKey = readKeyFile(folder, file);
  const publicKeys = readPublicKeys(folder);
  publicKeys.set(file.keyId, createPublicKey(privateKey));
  return { signer: signerOf(privateKey), publicKeys };
}

function loadPublic(folder: string): Keys {
  const publicKeys = readPublicKeys(folder);
  if (publicKeys.size === 0) throw new ProoflineError('PL_NOT_FOUND', { what: `a public key in ${folder}` });
  return { signer: null, publicKeys };
}

function readPublicKeys(folder: string): Map<string, KeyObject> {
  const files = filesIn(folder).filter(({ kind }) => kind === 'public');
  return new Map(files.map((file) => [file.keyId, readKeyFile(folder, file)]));
}

function severalPrivateKeys(folder: string, files: readonly KeyFile[]): ProoflineError {
  const names = files.map(({ file }) => file);
  const problem = `it is one of several private keys (${names.join(', ')}): delete all but the one to sign with, or rotate the key`;
  return keyInvalid(join(folder, names[0] ?? ''), problem);
}

/** Writes a new key pair, the public half first, so that no signature exists that nobody can verify. */
function makeKey(folder: string): string {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const keyId = keyIdOf(publicKey);
  makeFolder(folder);
  writeKeyFile(folder, keyId, 'public', publicKey);
  writeKeyFile(folder, keyId, 'private', privateKey);
  return keyId;
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw folderUnusable(folder, 'it cannot be made', error);
  }
}

function privateFiles(folder: string): KeyFile[] {
  return filesIn(folder).filter(({ kind }) => kind === 'private');
}

function filesIn(folder: string): KeyFile[] {
  try {
    return keyFilesIn(folder);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw folderUnusable(folder, 'it cannot be read', error);
  }
}

function problemOf(folder: string, file: KeyFile): string | null {
  try {
    readKeyFile(folder, file);
    return null;
  } catch (error) {
    if (!isProoflineError(error, 'PL_KEY_INVALID')) throw error;
    return String(error.params['problem']);
  }
}
