import { join } from 'node:path';
import { cacheMissing, mavenUnpacked } from './cache.js';
import { httpAnswers } from './http-answers.js';
import { serviceFolder, startLocalService } from './local-service.js';
import { freePorts, works } from './processes.js';
import { registryUrl } from './registry-url.js';
import type { Service } from './service.js';

/** 3.1 and newer want Java 21. */
const VERSION = '3.0.9';
const NAME = `registry-${VERSION}`;
const ARCHIVE = `io.apicurio:apicurio-registry-app:${VERSION}:tar.gz:all`;

export async function registryMissingLocally(): Promise<string | null> {
  if (!works('java', ['-version'])) return 'Java 17 is not on the PATH';
  return cacheMissing(NAME, unpack);
}

export async function startRegistryLocally(): Promise<Service> {
  const program = await unpack();
  const folder = serviceFolder('registry');
  const [port = 0] = await freePorts(1);
  const settings = [`-Dquarkus.http.port=${port}`, '-Dquarkus.http.host=127.0.0.1'];
  const quickStart = ['-Xmx512m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];
  return startLocalService({
    name: 'registry',
    port,
    folder,
    command: 'java',
    args: [...quickStart, ...settings, '-jar', join(program, `apicurio-registry-app-${VERSION}-runner.jar`)],
    ready: () => httpAnswers(`${registryUrl('127.0.0.1', port)}/subjects`),
  });
}

function unpack(): Promise<string> {
  return mavenUnpacked(NAME, ARCHIVE);
}
