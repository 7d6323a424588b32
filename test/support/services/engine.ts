import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ContainerRuntimeClient } from 'testcontainers';

const PULL_MS = 300_000;

/** Why no Docker engine can be used; null where one answers. */
export async function engineMissing(): Promise<string | null> {
  if (!maybeThere()) return 'no Docker engine answers';
  try {
    await engine();
    return null;
  } catch (error) {
    return `no Docker engine answers (${firstLine(error)})`;
  }
}

/** Loading its client takes longer than a test: only where an engine may be. */
function maybeThere(): boolean {
  const runtime = process.env['XDG_RUNTIME_DIR'] ?? '/run/user';
  return (
    (process.env['DOCKER_HOST'] ?? '') !== '' ||
    [
      '/var/run/docker.sock',
      join(runtime, 'docker.sock'),
      join(homedir(), '.docker', 'run', 'docker.sock'),
      join(homedir(), '.testcontainers.properties'),
    ].some((file) => existsSync(file))
  );
}

export async function engine(): Promise<ContainerRuntimeClient> {
  const { getContainerRuntimeClient } = await import('testcontainers');
  return getContainerRuntimeClient();
}

/** Why the engine cannot run the image; null when it has it after this call. */
export async function imageMissing(image: string): Promise<string | null> {
  const { ImageName, getReaper } = await import('testcontainers');
  const client = await engine();
  const name = ImageName.fromString(image);
  try {
    if (!(await client.image.exists(name))) await withinTime(client.image.pull(name));
  } catch (error) {
    return `the image ${image} cannot be had (${firstLine(error)})`;
  }
  try {
    // It removes the containers of a run that was killed.
    await getReaper(client);
    return null;
  } catch (error) {
    return `the reaper of testcontainers does not start; TESTCONTAINERS_RYUK_DISABLED=true does without (${firstLine(error)})`;
  }
}

async function withinTime(pull: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not pulled within ${PULL_MS / 1000} s`)), PULL_MS);
  });
  try {
    await Promise.race([pull, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return (text.split('\n')[0] ?? '').trim().slice(0, 200);
}
