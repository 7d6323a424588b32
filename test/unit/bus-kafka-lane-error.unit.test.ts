import { expect, test } from 'vitest';
import { laneError } from '../../src/bus/kafka/lane-error.js';
import { ProoflineError } from '../../src/contracts/errors.js';

/** As kafkajs names and nests its errors. */
function kafkaError(name: string, fields: object, cause?: unknown): Error {
  return Object.assign(new Error('what kafkajs says'), {
    name,
    ...fields,
    ...(cause === undefined ? {} : { cause }),
  });
}

test.each([
  ['a connection that is lost', kafkaError('KafkaJSConnectionClosedError', {}), 'PL_BUS_DOWN'],
  [
    'retries that were in vain',
    kafkaError('KafkaJSNonRetriableError', {}, kafkaError('KafkaJSNumberOfRetriesExceeded', {})),
    'PL_BUS_DOWN',
  ],
  ['another owner', kafkaError('KafkaJSProtocolError', { code: 47 }), 'PL_LANE_TAKEN'],
  [
    'a lane that another owner has broken',
    new Error('no longer owns', { cause: kafkaError('KafkaJSError', { code: 90 }) }),
    'PL_LANE_TAKEN',
  ],
  [
    'a record too large',
    kafkaError('KafkaJSProtocolError', { type: 'MESSAGE_TOO_LARGE' }),
    'PL_TOPICS_UNUSABLE',
  ],
  [
    'a right that is missing',
    kafkaError('KafkaJSProtocolError', { type: 'TOPIC_AUTHORIZATION_FAILED' }),
    'PL_BUS_REFUSED',
  ],
])('%s is told as what it is', (_, error, code) => {
  expect(laneError(error, 'guard', 3)).toMatchObject({ code, cause: error });
});

test('what a station throws is told as it is, whatever it is', () => {
  const errors = [new Error('a bug'), new ProoflineError('PL_VIEW_DOWN', { problem: 'x' }), 'a text', null];
  for (const error of errors) expect(laneError(error, 'guard', 3)).toBe(error);
});
