import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { run, works } from './processes.js';

/** Where the services' files are kept between runs: they are some hundred megabytes. */
export function cacheFolder(): string {
  return process.env['PROOFLINE_SERVICES_CACHE'] ?? join(homedir(), '.cache', 'proofline', 'services');
}

/**
 * The folder NAME of the cache; when it is not there, `fill` makes it. Filled beside its place and moved there
 * whole, so that neither a killed run nor two runs at once leave half of it.
 */
export async function cached(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(cacheFolder(), name);
  if (existsSync(folder)) return folder;
  const half = `${folder}.${process.pid}`;
  rmSync(half, { recursive: true, force: true });
  mkdirSync(half, { recursive: true });
  try {
    await fill(half);
    if (!existsSync(folder)) renameSync(half, folder);
  } finally {
    rmSync(half, { recursive: true, force: true });
  }
  return folder;
}

/** A package of Maven Central with all that it needs, as `group:artifact:version`. */
export async function mavenJars(name: string, coordinates: readonly string[]): Promise<string> {
  return cached(name, async (folder) => {
    const pom = join(folder, 'pom.xml');
    writeFileSync(pom, pomOf(coordinates));
    await run('mvn', ['-q', '-B', '-f', pom, 'dependency:copy-dependencies', `-DoutputDirectory=${folder}`]);
  });
}

/** What an archive of Maven Central holds, unpacked; `group:artifact:version[:type[:classifier]]`. */
export async function mavenUnpacked(
  name: string,
  coordinate: string,
  then: (folder: string) => Promise<void> = () => Promise.resolve(),
): Promise<string> {
  return cached(name, async (folder) => {
    // With a project of its own Maven leaves its notes there, and not in the folder that it is called from.
    const pom = join(folder, 'pom.xml');
    writeFileSync(pom, pomOf([]));
    const args = [`-Dartifact=${coordinate}`, `-DoutputDirectory=${folder}`];
    await run('mvn', ['-q', '-B', '-f', pom, 'dependency:unpack', ...args]);
    for (const file of ['pom.xml', 'target']) rmSync(join(folder, file), { recursive: true, force: true });
    await then(folder);
  });
}

/** Why what the cache is to hold cannot be had on this machine; null when it is there after this call. */
export async function cacheMissing(name: string, fetch: () => Promise<unknown>): Promise<string | null> {
  if (existsSync(join(cacheFolder(), name))) return null;
  if (!works('mvn', ['-version'])) return 'Maven is not on the PATH';
  try {
    await fetch();
    return null;
  } catch (error) {
    return `${name} could not be fetched with Maven: ${String(error).split('\n')[0] ?? ''}`;
  }
}

function pomOf(coordinates: readonly string[]): string {
  const dependencies = coordinates.map((each) => {
    const [group, artifact, version] = each.split(':');
    return `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`;
  });
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>proofline</groupId><artifactId>services</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>${dependencies.join('')}</dependencies>
</project>
`;
}
