import { createHash, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { signerOf } from '../../src/ledger/keyring.js';
import type { Keyring } from '../../src/ledger/keyring.js';
import {
  cachedVerifier,
  createSignatureMemory,
  signEntry,
  signedText,
  verifyEntry,
} from '../../src/ledger/signing.js';
import type { VerifiableEntry } from '../../src/ledger/signing.js';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const signer = signerOf(privateKey);
const keyring: Keyring = {
  signer,
  publicKey: (keyId) => (keyId === signer.keyId ? publicKey : undefined),
  keyIds: () => [signer.keyId],
  reload: () => undefined,
};

const text = fc.string({ unit: 'binary', maxLength: 40 });
/** Any sequence of UTF-16 units, lone surrogates and control characters included. */
const hostileText = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 })
  .map((units) => String.fromCharCode(...units));

function entryOf(anyText: fc.Arbitrary<string>, instant: fc.Arbitrary<number | null>) {
  return fc.record({
    runId: anyText,
    toolCallId: anyText,
    state: fc.constantFrom('PENDING' as const, 'READY' as const, 'FAILED' as const),
    requestEventId: anyText,
    agentView: fc.option(anyText),
    agentViewSha256: fc.option(anyText),
    blocks: fc.array(fc.record({ documentId: anyText, content: anyText }), { maxLength: 5 }),
    dropped: fc.array(
      fc.record({
        evidenceKey: anyText,
        documentId: anyText,
        originalRank: fc.option(fc.integer()),
        reason: anyText,
      }),
      { maxLength: 3 },
    ),
    cuts: fc.array(fc.record({ code: anyText, documentId: fc.option(anyText) }), { maxLength: 3 }),
    expiresAt: instant,
  });
}

const sha256 = (value: string) => createHash('sha256').update(value).digest('hex');

/** Entries as stations write them: a view and its digest where READY, neither elsewhere. */
const honest = entryOf(text, fc.option(fc.integer({ min: 0, max: 8.64e15 }))).map((entry) => {
  const agentView = entry.state === 'READY' ? (entry.agentView ?? '') : null;
  return { ...entry, agentView, agentViewSha256: agentView === null ? null : sha256(agentView) };
});

const hostileSignature = fc.option(
  fc.record({
    keyId: fc.oneof(hostileText, fc.constant(signer.keyId), fc.constantFrom('__proto__', 'constructor')),
    value: fc.oneof(hostileText, fc.base64String(), fc.constant('A'.repeat(86))),
  }),
);

const hostile: fc.Arbitrary<VerifiableEntry> = fc
  .tuple(
    entryOf(hostileText, fc.oneof(fc.double(), fc.maxSafeInteger(), fc.constant(null))),
    hostileSignature,
  )
  .map(([entry, signature]) => ({ ...entry, signature }));

describe('signing, for any entry', () => {
  it('what was signed verifies, with and without a memory', () => {
    const remembered = cachedVerifier(keyring, createSignatureMemory(3));
    fc.assert(
      fc.property(honest, (entry) => {
        const signed = { ...entry, signature: signEntry(entry, signer) };
        expect(verifyEntry(signed, keyring)).toBe('VALID');
        expect(remembered(signed)).toBe('VALID');
        expect(remembered(signed)).toBe('VALID');
      }),
    );
  });

  it('a signature moved to another entry is INVALID unless the two sign the same text', () => {
    fc.assert(
      fc.property(honest, honest, (one, other) => {
        fc.pre(signedText(one) !== signedText(other));
        expect(verifyEntry({ ...other, signature: signEntry(one, signer) }, keyring)).toBe('INVALID');
      }),
    );
  });

  it('a hostile entry is never VALID and never throws', () => {
    const remembered = cachedVerifier(keyring, createSignatureMemory(3));
    fc.assert(
      fc.property(hostile, (entry) => {
        const said = verifyEntry(entry, keyring);
        expect(said).not.toBe('VALID');
        expect(remembered(entry)).toEqual(said);
      }),
      { numRuns: 500 },
    );
  });
});
