// In a project of your own: from 'proofline/client' and from 'proofline/kafka'.
import { publishVerified, type KafkaClient } from 'proofline/kafka';
import type { Client } from 'proofline/client';
import type { ReportFolder } from './folder.js';
import type { Report } from './markdown.js';

/** Publishes what the line has verified, and only that. */

export type Say = (line: string) => void;

/** Follows the gateway until the signal aborts. It goes on where it stopped; what comes again is written again. */
export async function publishFromGateway(
  client: Client,
  folder: ReportFolder,
  say: Say,
  signal: AbortSignal,
): Promise<void> {
  const position = await folder.position();
  const outcomes = client.verified({ signal, ...(position === null ? {} : { lastEventId: position }) });
  for await (const { id, verified } of outcomes) {
    await publish(folder, verified, say);
    if (id !== '') await folder.keepPosition(id);
  }
}

/** Consumes `verified.v1` as a group, until the signal aborts. Kafka keeps where the group is. */
export async function publishFromKafka(
  kafka: KafkaClient,
  folder: ReportFolder,
  say: Say,
  signal: AbortSignal,
): Promise<void> {
  const consumption = kafka.consume({
    group: 'example-publisher',
    handlers: {
      'verified.v1': publishVerified({
        publish: (report) => publish(folder, report, say),
        fallback: (outcome) => publish(folder, outcome, say),
      }),
    },
    onError: (error) => say(`it starts over: ${error instanceof Error ? error.message : String(error)}`),
  });
  await aborted(signal);
  await consumption.stop();
}

/** A FALLBACK says that there is no report: nothing is written, and nothing that was written is taken away. */
async function publish(folder: ReportFolder, outcome: Report, say: Say): Promise<void> {
  if (outcome.outcome !== 'VERIFIED' || outcome.draft === null) {
    say(`${outcome.runId}: no report (${outcome.fallback?.reason ?? outcome.outcome})`);
    return;
  }
  await folder.publish(outcome);
  say(`${outcome.runId}: published${outcome.replaces === null ? '' : ', in place of a fallback'}`);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
