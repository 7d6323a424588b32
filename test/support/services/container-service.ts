import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ContainerRuntimeClient, StartedTestContainer, WaitStrategy } from 'testcontainers';
import { engine } from './engine.js';
import { removeFolder, serviceFolder } from './local-service.js';
import type { Service } from './service.js';

const START_MS = 100_000;

export interface ContainerServiceOptions {
  /** Names its folder and its log. */
  readonly name: string;
  readonly image: string;
  /** On this machine. The same after each start, so that clients find it again. */
  readonly port: number;
  readonly containerPort: number;
  readonly environment?: Readonly<Record<string, string>>;
  /** Empty takes the image's own. */
  readonly command?: readonly string[];
  /** Files of this machine that it begins with. */
  readonly files?: readonly { readonly source: string; readonly target: string }[];
  /** True once it answers. */
  readonly ready: (host: string) => Promise<boolean>;
}

type Container = ReturnType<ContainerRuntimeClient['container']['getById']>;

/** Starts a service in a container; ready when this resolves. The reaper of testcontainers ends it with this process. */
export async function startContainerService(options: ContainerServiceOptions): Promise<Service> {
  const { name, port } = options;
  const folder = serviceFolder(name);
  const client = await engine();
  const host = await engineHost();
  const started = await startContainer(options);
  const container = client.container.getById(started.getId());
  const keepLog = async (): Promise<void> =>
    writeFileSync(join(folder, `${name}.log`), await logOf(container));
  const whenReady = (): Promise<void> => whenContainerReady(container, () => options.ready(host));
  const service: Service = {
    host,
    port,
    folder,
    kill: () => killContainer(container),
    async restart() {
      await killContainer(container);
      await container.start();
      await whenReady();
    },
    signal: (signal) => signalContainer(container, signal),
    async stop({ keepLogs = false } = {}) {
      await killContainer(container);
      if (keepLogs) await keepLog();
      await container.remove({ force: true, v: true });
      removeFolder(folder, keepLogs);
    },
  };
  try {
    await whenReady();
    return service;
  } catch (error) {
    await service.stop();
    throw error;
  }
}

/** Where the ports of containers are. */
export async function engineHost(): Promise<string> {
  const { host } = (await engine()).info.containerRuntime;
  // Containers' ports are not always bound on ::1.
  return host === 'localhost' ? '127.0.0.1' : host;
}

async function startContainer(options: ContainerServiceOptions): Promise<StartedTestContainer> {
  const { GenericContainer } = await import('testcontainers');
  const { image, port, containerPort, environment = {}, command = [], files = [] } = options;
  const container = new GenericContainer(image)
    .withExposedPorts({ container: containerPort, host: port })
    .withEnvironment(environment)
    .withCopyFilesToContainer([...files])
    .withWaitStrategy(await noWait());
  if (command.length > 0) container.withCommand([...command]);
  return container.start();
}

/** The services' own checks are waited for, after a restart as well. */
async function noWait(): Promise<WaitStrategy> {
  const { StartupCheckStrategy } = await import('testcontainers');
  return new (class extends StartupCheckStrategy {
    checkStartupState(): Promise<'SUCCESS'> {
      return Promise.resolve('SUCCESS');
    }
  })();
}

async function whenContainerReady(container: Container, ready: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + START_MS;
  while (!(await ready())) {
    const { State: state } = await container.inspect();
    if (!state.Running)
      throw new Error(
        `the service did not start: it ended with ${state.ExitCode}\n${await logOf(container)}`,
      );
    if (performance.now() > deadline)
      throw new Error(`the service does not answer after ${START_MS} ms\n${await logOf(container)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function killContainer(container: Container): Promise<void> {
  const { State: state } = await container.inspect();
  // An engine does not kill what it has paused.
  if (state.Paused) await container.unpause();
  if (state.Running) await container.kill();
  await container.wait();
}

async function signalContainer(container: Container, signal: NodeJS.Signals): Promise<void> {
  const { State: state } = await container.inspect();
  if (!state.Running) return;
  if (signal === 'SIGSTOP') {
    if (!state.Paused) await container.pause();
  } else if (signal === 'SIGCONT') {
    if (state.Paused) await container.unpause();
  } else await container.kill({ signal });
}

const TAIL = 400;

/** The end of what it printed. The engine frames it: a byte for the stream, three of nothing, four of length. */
async function logOf(container: Container): Promise<string> {
  const framed = await container.logs({ stdout: true, stderr: true, tail: TAIL });
  const texts: Buffer[] = [];
  for (let at = 0; at + HEADER <= framed.length;) {
    const end = at + HEADER + framed.readUInt32BE(at + 4);
    texts.push(framed.subarray(at + HEADER, end));
    at = end;
  }
  return Buffer.concat(texts).toString('utf8');
}

const HEADER = 8;
