import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import {
  chmodSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isProoflineError } from '../../src/contracts/errors.js';
import type { ProoflineError } from '../../src/contracts/errors.js';
import { keyIdOf } from '../../src/ledger/key-files.js';
import { createKey, importPublicKey, listKeys, openKeyring, rotateKey } from '../../src/ledger/keyring.js';

let base: string;
let folder: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'proofline-keyring-'));
  folder = join(base, 'keys');
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

function refusal(act: () => unknown): ProoflineError {
  try {
    act();
  } catch (error) {
    if (isProoflineError(error)) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

const modeOf = (path: string) => statSync(path).mode & 0o777;
const files = () => readdirSync(folder).sort();
const publicPem = (key: KeyObject) => key.export({ format: 'pem', type: 'spki' }).toString();
const privatePem = (key: KeyObject) => key.export({ format: 'pem', type: 'pkcs8' }).toString();
const write = (file: string, text: string) => writeFileSync(join(folder, file), text, { mode: 0o600 });

describe('opening a keyring', () => {
  it('makes the folder and a key on first use, where asked, and finds the same key later', () => {
    const first = openKeyring(folder, { create: true });
    const later = openKeyring(folder, { create: true });
    const keyId = first.signer?.keyId ?? '';
    expect(keyId).toMatch(/^[0-9a-f]{16}$/);
    expect(later.signer?.keyId).toBe(keyId);
    expect(later.keyIds()).toEqual([keyId]);
    expect(files()).toEqual([`${keyId}.key.pem`, `${keyId}.pub.pem`]);
  });

  it('keeps the private key to its owner, whatever the umask is', () => {
    const umask = process.umask(0);
    try {
      const keyId = createKey(folder);
      expect(modeOf(join(folder, `${keyId}.key.pem`))).toBe(0o600);
      expect(modeOf(folder)).toBe(0o700);
    } finally {
      process.umask(umask);
    }
  });

  it('makes no key where not asked: PL_KEY_MISSING, and nothing is written', () => {
    const error = refusal(() => openKeyring(folder, { create: false }));
    expect(error).toMatchObject({ code: 'PL_KEY_MISSING', params: { folder } });
    expect(readdirSync(base)).toEqual([]);
  });

  it('signs with the private key what the public key of that id verifies', () => {
    const keyring = openKeyring(folder, { create: true });
    const { signer } = keyring;
    const key = keyring.publicKey(signer?.keyId ?? '');
    const signature = Buffer.from(signer?.sign('text 网关') ?? '', 'base64url');
    expect(verify(null, Buffer.from('text 网关'), key as KeyObject, signature)).toBe(true);
    expect(verify(null, Buffer.from('text'), key as KeyObject, signature)).toBe(false);
  });

  it('knows the public half of the private key also without a file of its own', () => {
    const keyId = createKey(folder);
    rmSync(join(folder, `${keyId}.pub.pem`));
    expect(openKeyring(folder, { create: false }).publicKey(keyId)).toBeDefined();
  });

  it('does not know keys that are not there, whatever they are called', () => {
    const keyring = openKeyring(folder, { create: true });
    for (const keyId of ['', '0000000000000000', '__proto__', 'constructor', '../x'])
      expect(keyring.publicKey(keyId)).toBeUndefined();
  });

  it('only to verify reads no private key and cannot sign', () => {
    const keyId = createKey(folder);
    chmodSync(join(folder, `${keyId}.key.pem`), 0o644);
    const keyring = openKeyring(folder, { create: false, verifyOnly: true });
    expect(keyring.signer).toBeNull();
    expect(keyring.keyIds()).toEqual([keyId]);
  });

  it('only to verify, without any public key, is refused and makes none', () => {
    const error = refusal(() => openKeyring(folder, { create: true, verifyOnly: true }));
    expect(error.code).toBe('PL_NOT_FOUND');
    expect(readdirSync(base)).toEqual([]);
  });

  it('ignores files that are no keys, and unfinished ones', () => {
    const keyId = createKey(folder);
    write('README', 'our keys');
    write('server-certificate.pem', 'something else');
    write(`.${keyId}.key.pem.0011`, '-----BEGIN PRIV');
    write(`._${keyId}.pub.pem`, 'what a file manager leaves behind');
    expect(openKeyring(folder, { create: false }).keyIds()).toEqual([keyId]);
  });
});

describe('a key file that cannot be used is named', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const keyId = keyIdOf(publicKey);
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });

  const invalid: Record<string, [file: string, text: string, problem: RegExp]> = {
    'an empty file': [`${keyId}.pub.pem`, '', /does not begin with/],
    'no PEM': [`${keyId}.pub.pem`, 'hello', /does not begin with/],
    'damaged PEM': [`${keyId}.pub.pem`, publicPem(publicKey).slice(0, 60), /damaged/],
    'a private key where a public one should be': [`${keyId}.pub.pem`, privatePem(privateKey), /PUBLIC KEY/],
    'a key of another kind': [`${keyId}.pub.pem`, publicPem(rsa.publicKey), /type rsa/],
    'a key under another id': ['0000000000000000.pub.pem', publicPem(publicKey), new RegExp(keyId)],
    'a key under a name that is no id': ['backup.pub.pem', publicPem(publicKey), new RegExp(keyId)],
    'a huge file': [`${keyId}.pub.pem`, publicPem(publicKey) + ' '.repeat(1_000_000), /small file/],
  };
  it.each(Object.entries(invalid))('%s', (_name, [file, text, problem]) => {
    createKey(folder);
    write(file, text);
    const error = refusal(() => openKeyring(folder, { create: true }));
    expect(error.code).toBe('PL_KEY_INVALID');
    expect(error.params['file']).toBe(join(folder, file));
    expect(error.message).toMatch(problem);
    expect(listKeys(folder).find((info) => info.file === file)?.problem).toMatch(problem);
  });

  it.each([0o640, 0o604, 0o660, 0o611])('a private key with mode %o', (mode) => {
    const own = createKey(folder);
    chmodSync(join(folder, `${own}.key.pem`), mode);
    const error = refusal(() => openKeyring(folder, { create: true }));
    expect(error.code).toBe('PL_KEY_INVALID');
    expect(error.message).toContain(`${own}.key.pem`);
    expect(error.message).toContain(`mode 0${mode.toString(8)}`);
  });

  it('an encrypted private key, without its text in the message', () => {
    createKey(folder);
    rmSync(join(folder, files().find((file) => file.endsWith('.key.pem')) ?? ''));
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'x' });
    write(`${keyId}.key.pem`, pem.toString());
    const error = refusal(() => openKeyring(folder, { create: false }));
    expect(error.code).toBe('PL_KEY_INVALID');
    expect(error.message).not.toContain(pem.toString().slice(60, 100));
  });

  it('several private keys: all of them, and what to do', () => {
    const own = createKey(folder);
    write(`${keyId}.key.pem`, privatePem(privateKey));
    const error = refusal(() => openKeyring(folder, { create: true }));
    expect(error.code).toBe('PL_KEY_INVALID');
    expect(error.message).toContain(`${own}.key.pem`);
    expect(error.message).toContain(`${keyId}.key.pem`);
    expect(error.message).toMatch(/delete all but the one/);
  });

  it('a folder that is a file', () => {
    writeFileSync(folder, 'not a folder');
    expect(refusal(() => openKeyring(folder, { create: false })).code).toBe('PL_DATA_FOLDER_UNUSABLE');
    expect(refusal(() => importPublicKey(folder, publicPem(publicKey))).code).toBe('PL_DATA_FOLDER_UNUSABLE');
  });
});

describe('a keyring that is open', () => {
  it('finds a key that was added meanwhile, once it looks again', () => {
    const keyring = openKeyring(folder, { create: true });
    const { publicKey } = generateKeyPairSync('ed25519');
    const keyId = importPublicKey(folder, publicPem(publicKey));
    expect(keyring.publicKey(keyId)).toBeUndefined();
    keyring.reload();
    expect(keyring.publicKey(keyId)?.equals(publicKey)).toBe(true);
  });

  it('stays as it was when it looks again and finds a file that cannot be used', () => {
    const keyring = openKeyring(folder, { create: true });
    const { signer } = keyring;
    write('0000000000000000.pub.pem', 'half a key');
    expect(refusal(() => keyring.reload()).code).toBe('PL_KEY_INVALID');
    expect(keyring.signer).toBe(signer);
    expect(keyring.keyIds()).toEqual([signer?.keyId]);
  });

  it('signs with the new key after a rotation, once it looks again', () => {
    const keyring = openKeyring(folder, { create: true });
    const old = keyring.signer?.keyId ?? '';
    const fresh = rotateKey(folder);
    expect(keyring.signer?.keyId).toBe(old);
    keyring.reload();
    expect(keyring.signer?.keyId).toBe(fresh);
    expect(keyring.keyIds()).toEqual([old, fresh].sort());
  });
});

describe('making, rotating and importing keys', () => {
  it('makes no second private key', () => {
    const keyId = createKey(folder);
    const error = refusal(() => createKey(folder));
    expect(error.code).toBe('PL_INPUT_INVALID');
    expect(error.message).toContain(`${keyId}.key.pem`);
    expect(files()).toHaveLength(2);
  });

  it('rotates: a new private key, and the old one only as a public key', () => {
    const old = createKey(folder);
    rmSync(join(folder, `${old}.pub.pem`));
    const fresh = rotateKey(folder);
    expect(files()).toEqual([`${fresh}.key.pem`, `${fresh}.pub.pem`, `${old}.pub.pem`].sort());
    expect(openKeyring(folder, { create: false }).keyIds()).toEqual([old, fresh].sort());
  });

  it('rotates nothing where there is no private key', () => {
    expect(refusal(() => rotateKey(folder)).code).toBe('PL_KEY_MISSING');
    expect(readdirSync(base)).toEqual([]);
  });

  it('ends a rotation that was interrupted before the old key was deleted', () => {
    const old = createKey(folder);
    const kept = readFileSync(join(folder, `${old}.key.pem`), 'utf8');
    const interrupted = rotateKey(folder);
    write(`${old}.key.pem`, kept);
    const fresh = rotateKey(folder);
    expect(openKeyring(folder, { create: false }).signer?.keyId).toBe(fresh);
    expect(openKeyring(folder, { create: false }).keyIds()).toEqual([old, interrupted, fresh].sort());
  });

  it('imports a public key, twice without harm, also with a byte order mark and Windows line ends', () => {
    const { publicKey } = generateKeyPairSync('ed25519');
    const pem = publicPem(publicKey);
    const keyId = importPublicKey(folder, pem);
    expect(importPublicKey(folder, `\ufeff${pem.replaceAll('\n', '\r\n')}\r\n`)).toBe(keyId);
    expect(files()).toEqual([`${keyId}.pub.pem`]);
    expect(createPublicKey(readFileSync(join(folder, `${keyId}.pub.pem`), 'utf8')).equals(publicKey)).toBe(
      true,
    );
  });

  it('imports no private key and nothing else', () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    for (const text of [privatePem(privateKey), '', '\u0000', 'x'.repeat(100_000)])
      expect(refusal(() => importPublicKey(folder, text)).code).toBe('PL_KEY_INVALID');
    expect(readdirSync(base)).toEqual([]);
  });

  it('lists what is there, and nothing where there is no folder', () => {
    expect(listKeys(folder)).toEqual([]);
    const keyId = createKey(folder);
    renameSync(join(folder, `${keyId}.pub.pem`), join(folder, 'other.pub.pem'));
    expect(listKeys(folder)).toEqual([
      { file: `${keyId}.key.pem`, keyId, kind: 'private', problem: null },
      {
        file: 'other.pub.pem',
        keyId: 'other',
        kind: 'public',
        problem: expect.stringContaining(keyId) as unknown,
      },
    ]);
  });
});
