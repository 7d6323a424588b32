import { hash, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { LedgerEntry, Signature } from '../contracts/generated.js';
import type { Keyring, Signer } from './keyring.js';

/**
 * What is signed of a ledger entry, so that whoever can write to its view still cannot forge evidence.
 * The agent view is signed by its digest, the blocks, drops and cuts by a digest of their canonical JSON.
 */

const CONTEXT = 'proofline-ledger-v1\n';

const KEY_ID = /^[0-9a-f]{16}$/;

/** 64 bytes in base64url without padding: the last character carries two bits, the other four are zero. */
const SIGNATURE_VALUE = /^[A-Za-z0-9_-]{85}[AQgw]$/;

/** The fields that a signature covers. `expiresAt` is null only for evidence that never expires. */
export interface SignedFields extends Pick<
  LedgerEntry,
  'runId' | 'toolCallId' | 'state' | 'requestEventId' | 'agentViewSha256' | 'blocks' | 'dropped' | 'cuts'
> {
  readonly expiresAt: number | null;
}

/** What verification reads of an entry; every LedgerEntry is one. */
export interface VerifiableEntry extends SignedFields {
  readonly agentView: string | null;
  readonly signature: Signature | null;
}

/**
 * VALID: signed by a key of the keyring, and the view is the one whose digest was signed. INVALID: not so.
 * ABSENT: nobody signed it. `unknownKey`: the operator has not given us that key, which accuses nobody.
 */
export type Verification = 'VALID' | 'INVALID' | 'ABSENT' | { readonly unknownKey: string };

export type EntryVerifier = (entry: VerifiableEntry) => Verification;

type SignatureCheck = (text: string, signature: Signature, key: KeyObject) => boolean;

/**
 * The text that is signed: `proofline-ledger-v1`, a line feed, and the RFC 8785 JSON of `{run_id, tool_call_id,
 * state, request_event_id, agent_view_sha256, blocks_sha256, expires_at}`. `agent_view_sha256` is null without a
 * view; `expires_at` is RFC 3339 in UTC with milliseconds (`2026-01-02T03:04:05.678Z`), or null.
 *
 * Throws where no such text exists: text with a lone surrogate, an instant that is no date.
 */
export function signedText(entry: SignedFields): string {
  const { runId, toolCallId, state, requestEventId, agentViewSha256, expiresAt } = entry;
  refuseMalformed([runId, toolCallId, state, requestEventId, agentViewSha256 ?? '']);
  // Keys in RFC 8785's order: of well-formed texts and nulls JSON.stringify then writes the same bytes.
  const json = JSON.stringify({
    agent_view_sha256: agentViewSha256,
    blocks_sha256: blocksSha256(entry),
    expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    request_event_id: requestEventId,
    run_id: runId,
    state,
    tool_call_id: toolCallId,
  });
  return CONTEXT + json;
}

/**
 * SHA-256 (hex) of the RFC 8785 JSON of `{blocks: [{document_id, content}], dropped: [{evidence_key, document_id,
 * original_rank, reason}], cuts: [{code, document_id}]}`. Every field stands there, null where it has no value,
 * and an empty list is `[]`.
 */
export function blocksSha256({ blocks, dropped, cuts }: SignedFields): string {
  if (blocks.length + dropped.length + cuts.length === 0) return NOTHING_SHA256;
  for (const { content, documentId } of blocks) refuseMalformed([content, documentId]);
  for (const { documentId, evidenceKey, reason } of dropped)
    refuseMalformed([documentId, evidenceKey, reason]);
  for (const { code, documentId } of cuts) refuseMalformed([code, documentId ?? '']);
  // Written by JSON.stringify with the keys in RFC 8785's order, which gives the same bytes for well-formed text
  // and 32-bit integers, three times as fast. The text of five blocks is most of what signing costs.
  const json = JSON.stringify({
    blocks: blocks.map(({ content, documentId }) => ({ content, document_id: documentId })),
    cuts: cuts.map(({ code, documentId }) => ({ code, document_id: documentId })),
    dropped: dropped.map(({ documentId, evidenceKey, originalRank, reason }) => ({
      document_id: documentId,
      evidence_key: evidenceKey,
      original_rank: originalRank,
      reason,
    })),
  });
  return hash('sha256', json);
}

/** Of an entry that shows nothing: every PENDING and FAILED one is. */
const NOTHING_SHA256 = hash('sha256', '{"blocks":[],"cuts":[],"dropped":[]}');

/** RFC 8785 has no spelling for a lone surrogate, and JSON.stringify would escape it. */
function refuseMalformed(texts: readonly string[]): void {
  for (const text of texts) if (!text.isWellFormed()) throw new Error('the entry holds a lone surrogate');
}

/** The entry's signature by this signer. Throws as `signedText` does. */
export function signEntry(entry: SignedFields, signer: Signer): Signature {
  return { keyId: signer.keyId, value: signer.sign(signedText(entry)) };
}

/**
 * Whether the entry is what its writer signed. Never throws, whatever the entry's texts and numbers are. A key id
 * or signature that no signer writes is INVALID and not an unknown key: nobody should wait for such a key.
 */
export function verifyEntry(entry: VerifiableEntry, keyring: Keyring): Verification {
  return verification(entry, keyring, signatureHolds);
}

/**
 * `verifyEntry` that remembers, because a draft's entries are read again and again and Ed25519 is the costly part. A
 * key that leaves the keyring is unknown at once.
 */
export function cachedVerifier(
  keyring: Keyring,
  memory: SignatureMemory = createSignatureMemory(),
): EntryVerifier {
  const holds: SignatureCheck = (text, signature, key) =>
    memory.holds(text, signature, () => signatureHolds(text, signature, key));
  return (entry) => verification(entry, keyring, holds);
}

/** A signer whose signatures need not be checked by who shares the memory. */
export function rememberedSigner(signer: Signer, memory: SignatureMemory): Signer {
  const { keyId } = signer;
  return {
    keyId,
    sign(text) {
      const value = signer.sign(text);
      memory.holds(text, { keyId, value }, () => true);
      return value;
    },
  };
}

/** Whether signatures hold, for the last ones that were asked for: by a digest of signed text, key id and signature. */
export interface SignatureMemory {
  holds(text: string, signature: Signature, check: () => boolean): boolean;
}

export function createSignatureMemory(capacity = 50_000): SignatureMemory {
  // Of the least recently used kind: a Map keeps the order in which keys were set.
  const results = new Map<string, boolean>();
  return {
    holds(text, { keyId, value }, check) {
      const name = hash('sha256', `${keyId}.${value}.${text}`, 'base64');
      const result = results.get(name) ?? check();
      results.delete(name);
      results.set(name, result);
      if (results.size > capacity) forgetOldest(results);
      return result;
    },
  };
}

function verification(entry: VerifiableEntry, keyring: Keyring, holds: SignatureCheck): Verification {
  const { signature } = entry;
  if (signature === null || signature.value === '') return 'ABSENT';
  if (!isWellSpelled(signature) || !viewIsDigested(entry)) return 'INVALID';
  const key = keyring.publicKey(signature.keyId);
  if (key === undefined) return { unknownKey: signature.keyId };
  const text = signedTextOrNull(entry);
  return text !== null && holds(text, signature, key) ? 'VALID' : 'INVALID';
}

/** Exactly as a signer writes it; a decoder would skip what is not base64url, and take several spellings. */
function isWellSpelled({ keyId, value }: Signature): boolean {
  return KEY_ID.test(keyId) && SIGNATURE_VALUE.test(value);
}

/** Only READY has a view, and the view is the one that the signed digest is of. */
function viewIsDigested({ state, agentView, agentViewSha256 }: VerifiableEntry): boolean {
  if (state !== 'READY') return agentView === null && agentViewSha256 === null;
  return agentView !== null && hash('sha256', agentView) === agentViewSha256;
}

/** Null for an entry that nobody can have signed, see `signedText`. */
function signedTextOrNull(entry: SignedFields): string | null {
  try {
    return signedText(entry);
  } catch {
    return null;
  }
}

function signatureHolds(text: string, { value }: Signature, key: KeyObject): boolean {
  return verify(null, Buffer.from(text), key, Buffer.from(value, 'base64url'));
}

function forgetOldest(results: Map<string, boolean>): void {
  const [oldest] = results.keys();
  if (oldest !== undefined) results.delete(oldest);
}
