import { startContainerService } from './container-service.js';
import { httpAnswers } from './http-answers.js';
import { freePorts } from './processes.js';
import { registryUrl } from './registry-url.js';
import type { Service } from './service.js';

export async function startRegistryContainer(image: string): Promise<Service> {
  const [port = 0] = await freePorts(1);
  return startContainerService({
    name: 'registry',
    image,
    port,
    containerPort: 8080,
    environment: { JAVA_OPTS_APPEND: '-XX:TieredStopAtLevel=1' },
    ready: (host) => httpAnswers(`${registryUrl(host, port)}/subjects`),
  });
}
