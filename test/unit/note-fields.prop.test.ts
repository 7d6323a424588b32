import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { invocationFromJson, invocationToJson } from '../../src/audit/invocation-json.js';
import { blankInvocation } from '../../src/contracts/blank-invocation.js';
import { recordToJson } from '../../src/contracts/record-json.js';
import { signerOf } from '../../src/ledger/keyring.js';
import { newEntry } from '../../src/ledger/new-entry.js';
import { invocation } from '../../src/station/invocation.js';
import { arbitraryMessage } from '../support/avro-arbitrary.js';

/** Objects that are put together field by field, for speed: no field may be forgotten when the contract grows. */

const notes = arbitraryMessage('tool-invocation.v1');

test('a note says all that it is told', () => {
  fc.assert(
    fc.property(notes, fc.dictionary(fc.constantFrom('a', 'b'), fc.jsonValue()), (given, facts) => {
      const { eventId, causedBy, runId, occurredAt, station, version, measured, ext, ...told } = given;
      expect(invocation({ ...told, facts })).toEqual({ ...told, factsJson: JSON.stringify(facts) });
      expect([eventId, causedBy, runId, occurredAt, station, version, measured, ext]).toHaveLength(8);
    }),
  );
});

test('what a note is not told is left empty', () => {
  const told = { kind: 'PROJECT', outcome: 'READY', countIn: 1, countOut: 2 };
  expect(invocation(told)).toEqual({ ...blankInvocation, ...told, factsJson: '{}' });
});

test('an entry says all that it is told, and its frame', () => {
  const signer = signerOf(generateKeyPairSync('ed25519').privateKey);
  fc.assert(
    fc.property(
      arbitraryMessage('ledger.v1').filter(({ expiresAt }) => Math.abs(expiresAt) <= 8.64e15),
      ({ eventId, causedBy, runId, occurredAt, signature, ...told }) => {
        const { body } = newEntry(runId, told, told, signer);
        expect(body).toEqual({ ...told, signature: body.signature, ext: {} });
        expect([eventId, causedBy, occurredAt, signature]).toHaveLength(4);
      },
    ),
  );
});

test('the record in the audit is the event by its contract, and comes back whole', () => {
  fc.assert(
    fc.property(notes, (event) => {
      const json = invocationToJson(event);
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(recordToJson('tool-invocation.v1', event))));
      // JSON has no NaN, no infinity and no negative zero.
      const similarity = JSON.parse(JSON.stringify(event.topSimilarity)) as number | null;
      expect(invocationFromJson(json)).toEqual({ ...event, topSimilarity: similarity });
    }),
  );
});
