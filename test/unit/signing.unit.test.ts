import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import type * as Crypto from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import type { LedgerEntry } from '../../src/contracts/generated.js';
import { keyIdOf } from '../../src/ledger/key-files.js';
import { signerOf } from '../../src/ledger/keyring.js';
import {
  blocksSha256,
  cachedVerifier,
  createSignatureMemory,
  rememberedSigner,
  signEntry,
  signedText,
  verifyEntry,
} from '../../src/ledger/signing.js';

const { verifications } = vi.hoisted(() => ({ verifications: vi.fn() }));

/** Counts Ed25519 verifications; they are done all the same. */
vi.mock('node:crypto', async (original) => {
  const crypto = await original<typeof Crypto>();
  verifications.mockImplementation(crypto.verify);
  return { ...crypto, verify: verifications };
});

/** The private keys of tests 1 and 2 of RFC 8032, section 7.1. */
const SEED_1 = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60';
const SEED_2 = '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

function privateKey(seed: string) {
  const pkcs8 = Buffer.from(`302e020100300506032b657004220420${seed}`, 'hex');
  return createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
}

/** A keyring that signs with the first seed's key and verifies with all. */
function keyringOf(first: string, ...more: readonly string[]) {
  const publicKeys = [first, ...more].map((seed) => createPublicKey(privateKey(seed)));
  const byId = new Map(publicKeys.map((key) => [keyIdOf(key), key]));
  return {
    signer: signerOf(privateKey(first)),
    publicKey: (keyId: string) => byId.get(keyId),
    keyIds: () => [...byId.keys()],
    reload: () => undefined,
  };
}

const VIEW = '{"evidence_status":"EVIDENCE_FOUND"}';

const unsigned: Omit<LedgerEntry, 'signature'> = {
  eventId: 'a'.repeat(32),
  causedBy: 'b'.repeat(32),
  runId: 'run-1',
  occurredAt: 1_767_312_000_000,
  toolCallId: 'call_x1',
  toolName: 'lookup_knowledge',
  state: 'READY',
  requestEventId: 'b'.repeat(32),
  requestSha256: 'c'.repeat(64),
  requestOffset: 7,
  agentView: VIEW,
  agentViewSha256: sha256(VIEW),
  blocks: [{ documentId: 'doc#chunk-1', content: '网关超时 "upstream"\n' }],
  dropped: [{ evidenceKey: 'doc#chunk-2', documentId: 'doc', originalRank: null, reason: 'DOC_CAP' }],
  cuts: [{ code: 'QUERY_CUT', documentId: null }],
  noEvidenceBasis: null,
  failure: null,
  expiresAt: 1_767_398_400_678,
  ext: {},
};

const failed = { ...unsigned, state: 'FAILED', agentView: null, agentViewSha256: null } as const;

const keyring = keyringOf(SEED_1);
const signedEntry = (fields: Partial<LedgerEntry> = {}): LedgerEntry => {
  const entry = { ...unsigned, ...fields };
  return { ...entry, signature: signEntry(entry, keyring.signer) };
};

describe('the signed text', () => {
  const blocksJson =
    '{"blocks":[{"content":"网关超时 \\"upstream\\"\\n","document_id":"doc#chunk-1"}],' +
    '"cuts":[{"code":"QUERY_CUT","document_id":null}],' +
    '"dropped":[{"document_id":"doc","evidence_key":"doc#chunk-2","original_rank":null,"reason":"DOC_CAP"}]}';

  it('is the context line and canonical JSON with sorted names, written out here', () => {
    expect(blocksSha256(unsigned)).toBe(sha256(blocksJson));
    expect(signedText(unsigned)).toBe(
      'proofline-ledger-v1\n' +
        `{"agent_view_sha256":"${sha256(VIEW)}","blocks_sha256":"${sha256(blocksJson)}",` +
        `"expires_at":"2026-01-03T00:00:00.678Z","request_event_id":"${'b'.repeat(32)}",` +
        '"run_id":"run-1","state":"READY","tool_call_id":"call_x1"}',
    );
  });

  it('has null for a view that is not there and for evidence that never expires', () => {
    const text = signedText({ ...failed, expiresAt: null, blocks: [], dropped: [], cuts: [] });
    expect(text).toContain('"agent_view_sha256":null');
    expect(text).toContain('"expires_at":null');
    expect(text).toContain(sha256('{"blocks":[],"cuts":[],"dropped":[]}'));
  });

  it('does not depend on fields that are not of the contract', () => {
    const block = { documentId: 'd', content: 'c', note: 'from elsewhere' };
    expect(blocksSha256({ ...unsigned, blocks: [block] })).toBe(
      blocksSha256({ ...unsigned, blocks: [{ content: 'c', documentId: 'd' }] }),
    );
  });
});

describe('a signature', () => {
  it('names the key by the SHA-256 of the raw public key and is the Ed25519 signature of the text', () => {
    const raw = Buffer.from('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a', 'hex');
    const signature = signEntry(unsigned, keyring.signer);
    expect(signature.keyId).toBe(createHash('sha256').update(raw).digest('hex').slice(0, 16));
    // The same text signed by another implementation (Python, cryptography); Ed25519 has no randomness.
    expect(signature.value).toBe(
      'vA614gReYAgdvvCExhP9-qA48-IqgmmNZY0umpRToD83rNKuOLLSFkvjLrkQlAMkOzXQvGiCtfwP4aXvZC79BA',
    );
  });

  it.each([['READY'], ['FAILED'], ['PENDING']] as const)('of a %s entry is VALID', (state) => {
    const entry = state === 'READY' ? signedEntry() : signedEntry({ ...failed, state });
    expect(verifyEntry(entry, keyring)).toBe('VALID');
  });

  it('by another key of the keyring is VALID', () => {
    expect(verifyEntry(signedEntry(), keyringOf(SEED_2, SEED_1))).toBe('VALID');
  });

  it('that was taken away is ABSENT', () => {
    expect(verifyEntry({ ...unsigned, signature: null }, keyring)).toBe('ABSENT');
    expect(verifyEntry({ ...unsigned, signature: { keyId: '', value: '' } }, keyring)).toBe('ABSENT');
  });

  it('by a key that is not in the keyring accuses nobody and names the key', () => {
    expect(verifyEntry(signedEntry(), keyringOf(SEED_2))).toEqual({ unknownKey: keyring.signer.keyId });
  });

  it('with a key id that no key can have is INVALID: nobody waits for it', () => {
    for (const keyId of [
      '',
      '21FE31DFA154A261',
      '21fe31dfa154a26',
      '21fe31dfa154a2610',
      '__proto__',
      '\ud800',
    ])
      expect(verifyEntry({ ...unsigned, signature: { ...signedEntry().signature, keyId } }, keyring)).toBe(
        'INVALID',
      );
  });

  it('in another spelling of the same bytes is INVALID', () => {
    const { keyId, value } = signedEntry().signature;
    const spellings = [`${value}==`, `${value}\n`, ` ${value}`, value.slice(0, -1), `${value}A`];
    // Two of the last character's six bits count; a lenient decoder drops the rest.
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const last = alphabet[alphabet.indexOf(value.slice(-1)) + 1] ?? '';
    const sameBytes = `${value.slice(0, -1)}${last}`;
    expect(Buffer.from(sameBytes, 'base64url')).toEqual(Buffer.from(value, 'base64url'));
    for (const spelling of [...spellings, sameBytes, 'A'.repeat(1_000_000)])
      expect(verifyEntry({ ...unsigned, signature: { keyId, value: spelling } }, keyring)).toBe('INVALID');
  });

  const forgeries: Record<string, Partial<LedgerEntry>> = {
    'another run': { runId: 'run-2' },
    'another call': { toolCallId: 'call_x2' },
    'another request': { requestEventId: 'd'.repeat(32) },
    'another view': { agentView: '{}' },
    'another view with its digest': { agentView: '{}', agentViewSha256: sha256('{}') },
    'another digest': { agentViewSha256: sha256('{}') },
    'no view': { agentView: null },
    'neither view nor digest': { agentView: null, agentViewSha256: null },
    'another state': { state: 'FAILED' },
    'a state taken back': { state: 'PENDING', agentView: null, agentViewSha256: null },
    'another block': { blocks: [{ documentId: 'doc#chunk-1', content: 'forged' }] },
    'a block less': { blocks: [] },
    'another drop': { dropped: [] },
    'another cut': { cuts: [{ code: 'QUERY_CUT', documentId: 'doc' }] },
    'a later expiry': { expiresAt: unsigned.expiresAt + 1 },
    'a lone surrogate': { runId: 'run-\ud800' },
    'an instant that is no date': { expiresAt: 9e15 },
    'an instant that is no number': { expiresAt: Number.NaN },
  };
  it.each(Object.entries(forgeries))('over %s is INVALID', (_name, change) => {
    expect(verifyEntry({ ...signedEntry(), ...change }, keyring)).toBe('INVALID');
    expect(cachedVerifier(keyring)({ ...signedEntry(), ...change })).toBe('INVALID');
  });

  it('of a FAILED entry does not cover a view that was put beside it', () => {
    expect(verifyEntry({ ...signedEntry(failed), agentView: VIEW }, keyring)).toBe('INVALID');
  });

  it('leaves out what it does not cover: the request offset and the event time', () => {
    const elsewhere: LedgerEntry = { ...signedEntry(), requestOffset: 8, occurredAt: 0 };
    expect(verifyEntry(elsewhere, keyring)).toBe('VALID');
  });
});

describe('the verifier with a memory', () => {
  it('says the same as the one without, the first time and later', () => {
    const verify = cachedVerifier(keyring);
    const forged = { ...signedEntry(), runId: 'run-2' };
    for (let round = 0; round < 3; round++) {
      expect(verify(signedEntry())).toBe('VALID');
      expect(verify(forged)).toBe('INVALID');
    }
  });

  it('does not verify again what it remembers, and forgets the entry that was not used for longest', () => {
    const verify = cachedVerifier(keyring, createSignatureMemory(2));
    const entries = ['a', 'b', 'a', 'c', 'a', 'b'].map((run) => signedEntry({ runId: `run-${run}` }));
    verifications.mockClear();
    for (const entry of entries) expect(verify(entry)).toBe('VALID');
    expect(verifications).toHaveBeenCalledTimes(4);
  });

  it('does not verify what this process signed itself, and still verifies what it did not', () => {
    const memory = createSignatureMemory();
    const signer = rememberedSigner(keyring.signer, memory);
    const verify = cachedVerifier(keyring, memory);
    const own = signedEntry();
    const entry = { ...own, signature: signEntry(own, signer) };
    verifications.mockClear();
    expect(verify(entry)).toBe('VALID');
    expect(verifications).not.toHaveBeenCalled();
    expect(verify({ ...entry, runId: 'run-2' })).toBe('INVALID');
    expect(verifications).toHaveBeenCalledTimes(1);
  });

  it('does not know a key any more that has left the keyring', () => {
    let known = true;
    const verify = cachedVerifier({
      ...keyring,
      publicKey: (id) => (known ? keyring.publicKey(id) : undefined),
    });
    expect(verify(signedEntry())).toBe('VALID');
    known = false;
    expect(verify(signedEntry())).toEqual({ unknownKey: keyring.signer.keyId });
  });

  it('finds a key that was added while an entry waited for it', () => {
    let known = false;
    const verify = cachedVerifier({
      ...keyring,
      publicKey: (id) => (known ? keyring.publicKey(id) : undefined),
    });
    expect(verify(signedEntry())).toEqual({ unknownKey: keyring.signer.keyId });
    known = true;
    expect(verify(signedEntry())).toBe('VALID');
  });
});
