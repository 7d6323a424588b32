import { isProoflineError, ProoflineError } from '../../contracts/errors.js';
import { causesOf, isFenced } from './kafka-errors.js';
import { busError } from './refused.js';

/** What a lane's error is called: one of kafkajs is no fault of the record's that the lane was working on. */
export function laneError(error: unknown, group: string, partition: number): unknown {
  if (isProoflineError(error) || !isOfKafka(error)) return error;
  if (isFenced(error))
    return new ProoflineError('PL_LANE_TAKEN', { station: group, partition }, { cause: error });
  return busError(error);
}

function isOfKafka(error: unknown): boolean {
  return causesOf(error).some(({ name }) => typeof name === 'string' && name.startsWith('KafkaJS'));
}
