import type { VerifiedDraft } from '../contracts/generated.js';
import { isJsonObject, parseJson } from '../contracts/json.js';
import { createSeenEvents } from '../contracts/seen-events.js';
import { nestsAtMost } from '../evidence/foreign-json.js';
import { followEvents, type StreamOptions } from './event-stream.js';
import { recordFrom, unusable, type Received } from './records.js';
import type { Transport } from './transport.js';

/** A run's outcome, and where the stream stands after it. */
export interface VerifiedEvent {
  /** Give it as `lastEventId` to go on after this one. */
  readonly id: string;
  readonly verified: Received<VerifiedDraft>;
}

const DEPTH = 64;

/**
 * The outcomes of all runs that the token may read, for publishers: those that are kept, then those that come, each
 * once. One that `replaces` another takes its place.
 * @throws ProoflineApiError
 */
export async function* verifiedDrafts(
  transport: Transport,
  options: Omit<StreamOptions, 'path'>,
): AsyncGenerator<VerifiedEvent> {
  const seen = createSeenEvents();
  for await (const { id, data } of followEvents(transport, { ...options, path: '/v1/verified' })) {
    const json = parseJson(data);
    if (!isJsonObject(json) || !nestsAtMost(json, DEPTH))
      throw unusable('the data of an event is no JSON object');
    const verified = recordFrom<VerifiedDraft>(json, 'a verified draft');
    if (seen.has(verified.eventId, verified.runId)) continue;
    seen.add(verified.eventId, verified.runId);
    yield { id: id ?? '', verified };
  }
}
