import * as z from 'zod';
import { ProoflineError } from '../../contracts/errors.js';
import type { JsonObject } from '../../contracts/json.js';
import type { Keyring } from '../../ledger/keyring.js';
import { verifyEntry, type VerifiableEntry } from '../../ledger/signing.js';
import type { VerifySignature } from './guard.js';

/** Signatures of ledger entries as JSON, checked with the keys of a folder. */

const orNull = <T>(schema: z.ZodType<T>) => schema.nullish().transform((value) => value ?? null);
const listOf = <T>(schema: z.ZodType<T>) =>
  z
    .array(schema)
    .nullish()
    .transform((items) => items ?? []);

/** What is signed. An entry that lacks any of it was not written by a signer of ours. */
const signedSchema = z.object({
  run_id: z.string(),
  tool_call_id: z.string(),
  state: z.enum(['PENDING', 'READY', 'FAILED']),
  request_event_id: z.string(),
  agent_view: orNull(z.string()),
  agent_view_sha256: orNull(z.string()),
  blocks: listOf(z.object({ document_id: z.string(), content: z.string() })),
  dropped: listOf(
    z.object({
      evidence_key: z.string(),
      document_id: z.string(),
      original_rank: orNull(z.number()),
      reason: z.string(),
    }),
  ),
  cuts: listOf(z.object({ code: z.string(), document_id: orNull(z.string()) })),
  expires_at: orNull(z.iso.datetime({ offset: true })),
  signature: z.object({ key_id: z.string(), value: z.string() }),
});

/**
 * ABSENT without a signature; INVALID where what is signed is not there or is other than it was.
 * The function throws PL_KEY_UNKNOWN for an entry that a key signed which is not in the keyring.
 */
export function signatureCheck(keyring: Keyring): VerifySignature {
  return (json: JsonObject) => {
    if (json['signature'] === undefined || json['signature'] === null) return 'ABSENT';
    const parsed = signedSchema.safeParse(json);
    if (!parsed.success) return 'INVALID';
    const verification = verifyEntry(entryOf(parsed.data), keyring);
    if (typeof verification === 'string') return verification;
    throw new ProoflineError('PL_KEY_UNKNOWN', { key_id: verification.unknownKey });
  };
}

function entryOf(json: z.output<typeof signedSchema>): VerifiableEntry {
  return {
    runId: json.run_id,
    toolCallId: json.tool_call_id,
    state: json.state,
    requestEventId: json.request_event_id,
    agentView: json.agent_view,
    agentViewSha256: json.agent_view_sha256,
    blocks: json.blocks.map(({ document_id, content }) => ({ documentId: document_id, content })),
    dropped: json.dropped.map(({ evidence_key, document_id, original_rank, reason }) => ({
      evidenceKey: evidence_key,
      documentId: document_id,
      originalRank: original_rank,
      reason,
    })),
    cuts: json.cuts.map(({ code, document_id }) => ({ code, documentId: document_id })),
    expiresAt: json.expires_at === null ? null : Date.parse(json.expires_at),
    signature: { keyId: json.signature.key_id, value: json.signature.value },
  };
}
