import { engineHost, startContainerService } from './container-service.js';
import { kafkaAnswers } from './kafka-answers.js';
import { kafkaSettings, type KafkaServiceOptions } from './kafka-config.js';
import { freePorts } from './processes.js';
import type { Service } from './service.js';

export async function startKafkaContainer(image: string, options: KafkaServiceOptions): Promise<Service> {
  const [port = 0] = await freePorts(1);
  const host = await engineHost();
  const settings = kafkaSettings({
    data: '/var/lib/kafka/data',
    listen: `0.0.0.0:${port}`,
    advertised: `${host}:${port}`,
    controller: `127.0.0.1:${port === CONTROLLER ? CONTROLLER + 1 : CONTROLLER}`,
    extra: options.extra ?? {},
  });
  return startContainerService({
    name: 'kafka',
    image,
    port,
    containerPort: port,
    environment: {
      ...Object.fromEntries(settings.map(([name, value]) => [variableOf(name), value])),
      KAFKA_HEAP_OPTS: '-Xmx512m',
      ...(options.fullJit === true ? {} : { KAFKA_OPTS: '-XX:TieredStopAtLevel=1' }),
    },
    ready: (address) => kafkaAnswers(address, port),
  });
}

const CONTROLLER = 9093;

/** The name of the image's variable for a line of server.properties. */
function variableOf(name: string): string {
  const underscores = name.replaceAll('_', '__').replaceAll('-', '___').replaceAll('.', '_');
  return `KAFKA_${underscores.toUpperCase()}`;
}
