import { readConfig, type Environment } from '../config/config.js';
import { ProoflineError } from '../contracts/errors.js';
import { registryProblems } from '../registry/compare.js';
import { compatibilities, type Compatibility } from '../registry/compatibility.js';
import { createRegistryClient, type RegistryClient } from '../registry/registry-client.js';
import { registerSchemas, type Registration } from '../registry/subjects.js';
import type { CommandContext } from './command.js';
import { renderTable } from './render/table.js';

export interface RegisterArguments {
  readonly dryRun?: boolean;
  readonly compatibility?: string;
}

/**
 * What the registry of the configuration lacks or has wrong.
 * @throws ProoflineError PL_CONFIG_INVALID, PL_REGISTRY_DOWN, PL_REGISTRY_REFUSED.
 */
export async function problemsInRegistry(env: Environment): Promise<string[]> {
  const { client, topicPrefix } = registryOf(env);
  return registryProblems(client, topicPrefix);
}

/** @throws ProoflineError PL_INPUT_INVALID, PL_CONFIG_INVALID, PL_REGISTRY_DOWN, PL_REGISTRY_REFUSED. */
export async function register(options: RegisterArguments, { io, global }: CommandContext): Promise<void> {
  const compatibility = compatibilityOf(options.compatibility);
  const { client, topicPrefix } = registryOf(io.env);
  const { dryRun = false } = options;
  const subjects = await registerSchemas(client, topicPrefix, { dryRun, compatibility });
  io.out(global().json ? `${JSON.stringify({ subjects })}\n` : renderRegistrations(subjects));
}

function registryOf(env: Environment): { client: RegistryClient; topicPrefix: string } {
  const { schemaRegistry, topicPrefix } = readConfig(env).config;
  if (schemaRegistry !== null) return { client: createRegistryClient(schemaRegistry), topicPrefix };
  throw new ProoflineError('PL_CONFIG_INVALID', {
    problems: 'PROOFLINE_SCHEMA_REGISTRY_URL is not set, so there is no registry',
  });
}

function compatibilityOf(level: string | undefined): Compatibility | null {
  if (level === undefined) return null;
  const found = compatibilities.find((each) => each === level.toUpperCase());
  if (found !== undefined) return found;
  const problem = `--compatibility is ${JSON.stringify(level)}; it must be one of ${compatibilities.join(', ')}`;
  throw new ProoflineError('PL_INPUT_INVALID', { problem });
}

const SAYS = { before: 'it was before', now: 'now', 'not yet': 'not yet' } as const;

function renderRegistrations(subjects: readonly Registration[]): string {
  const cells = subjects.map(({ subject, id, registered, compatibility }) => [
    subject,
    id === null ? '' : String(id),
    SAYS[registered],
    compatibility ?? '',
  ]);
  return renderTable(['subject', 'id', 'registered', 'compatibility'], cells);
}
