import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { run } from './processes.js';

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
