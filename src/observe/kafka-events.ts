import type { KafkaEvents } from '../bus/kafka/events.js';
import { isProoflineError } from '../contracts/errors.js';
import type { Incident } from '../station/lane-environment.js';
import { errorTraits } from './error-traits.js';
import type { Metrics } from './metrics.js';

/** What happens to lanes on Kafka, counted; a member that cannot stay one is an incident. */
export function countKafkaEvents(metrics: Metrics, onIncident: (incident: Incident) => void): KafkaEvents {
  return {
    joined: (group) => metrics.count('proofline_kafka_rejoins_total', { group }),
    memberFailed(station, error) {
      const problem = isProoflineError(error) ? error.message : (errorTraits(error).error ?? 'an error');
      onIncident({ station, code: 'PL_BUS_DOWN', params: { problem }, cause: error });
    },
    committed: (group) =>
      metrics.count('proofline_kafka_transactions_total', { group, outcome: 'committed' }),
    aborted: (group) => metrics.count('proofline_kafka_transactions_total', { group, outcome: 'aborted' }),
    fenced: (group) => metrics.count('proofline_kafka_fenced_total', { group }),
  };
}
