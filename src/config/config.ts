import { isAbsolute, resolve } from 'node:path';
import { guardDefaults, type GuardConfig } from '../../consumers/guard.js';
import { projectDefaults, type ProjectConfig } from '../../consumers/project.js';
import { ProoflineError } from '../contracts/errors.js';
import { topics } from '../contracts/topics.js';
import { fieldGuesser } from '../guard/field-names.js';
import { retrieveDefaults, type RetrieveConfig } from '../lookup/retrieve-rule.js';
import { PREFIX, variableNames, variables, type Values, type VariableName } from './variables.js';

/** Everything that can be set, checked, with no variable left to look up. Deeply frozen. */
export interface Config {
  /** Absolute path of the data folder. */
  readonly data: string;
  /** Null takes the data folder's number, or 12 for a new one. */
  readonly partitions: number | null;
  readonly topicPrefix: string;
  /** Absolute path of the folder of documents to index; null for none. */
  readonly docs: string | null;
  /** Null asks the local index. */
  readonly pyRag: { readonly url: string; readonly token: string | null; readonly timeoutMs: number } | null;
  /** Absolute path of the folder of keys; null for the data folder's own. */
  readonly keys: string | null;
  /** Null is the embedded bus of the data folder. */
  readonly kafka: KafkaConfig | null;
  /** Null writes and reads local schema ids only. */
  readonly schemaRegistry: {
    readonly url: string;
    readonly username: string | null;
    readonly password: string | null;
  } | null;
  /** Holds the view of the ledger; null where that lies in the data folder. May hold a password. */
  readonly redisUrl: string | null;
  /** PostgreSQL; null where the audit lies in the data folder. May hold a password. */
  readonly auditUrl: string | null;
  readonly http: { readonly host: string; readonly port: number };
  readonly logLevel: Values['LOG_LEVEL'];
  /** Milliseconds that a command waits for an answer. */
  readonly answerTimeoutMs: number;
  readonly retrieve: RetrieveConfig;
  readonly project: ProjectConfig;
  readonly guard: GuardConfig;
}

/** How the brokers are reached. Paths are absolute. */
export interface KafkaConfig {
  readonly brokers: readonly string[];
  /** Of topics that are made. */
  readonly replication: number;
  readonly ssl: boolean;
  readonly sslCa: string | null;
  readonly sslCert: string | null;
  readonly sslKey: string | null;
  readonly sasl: {
    readonly mechanism: NonNullable<Values['KAFKA_SASL_MECHANISM']>;
    readonly username: string;
    readonly password: string;
  } | null;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The configuration, and what a person should be told about it although it works. */
export interface ReadConfig {
  readonly config: Config;
  readonly warnings: readonly string[];
}

/**
 * Reads the environment once. `data` wins over PROOFLINE_DATA. An empty variable counts as one that is not set.
 * @throws ProoflineError PL_CONFIG_INVALID listing everything that is wrong.
 */
export function readConfig(env: Environment, { data }: { readonly data?: string } = {}): ReadConfig {
  const problems: string[] = [];
  const values = readValues(env, problems);
  problems.push(...contradictions(values, env));
  if (problems.length > 0)
    throw new ProoflineError('PL_CONFIG_INVALID', {
      problems: problems.map((each) => `\n  ${each}`).join(''),
    });
  const config = configOf(data === undefined ? values : { ...values, DATA: data });
  return { config: deepFreeze(config), warnings: [...unknownVariables(env), ...unusedServices(config)] };
}

function readValues(env: Environment, problems: string[]): Values {
  const values = variableNames.map((name) => [name, readValue(name, env, problems)] as const);
  return Object.fromEntries(values) as unknown as Values;
}

function readValue(name: VariableName, env: Environment, problems: string[]): unknown {
  const { schema, takes, default: fallback } = variables[name];
  const text = textOf(name, env);
  if (text === null) return fallback;
  const parsed = schema.safeParse(text);
  if (parsed.success) return parsed.data;
  problems.push(`${PREFIX}${name} is ${shown(name, text)}; it must be ${takes}`);
  return fallback;
}

function textOf(name: VariableName, env: Environment): string | null {
  const text = env[`${PREFIX}${name}`]?.trim() ?? '';
  return text === '' ? null : text;
}

const LONGEST_SHOWN = 80;

/** The value for a message: nothing of a secret, and of an address nothing that may be one. */
function shown(name: VariableName, text: string): string {
  const variable: { readonly secret?: boolean } = variables[name];
  if (variable.secret === true) return 'set to something else (not shown)';
  if (name === 'PYRAG_URL' && /[@?]/.test(text)) return 'an address that is not shown here';
  return JSON.stringify(text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text);
}

/** What no variable says wrong by itself. Only values that could be read are compared. */
function contradictions(values: Values, env: Environment): string[] {
  const found: string[] = [];
  const say = (name: VariableName, problem: string): void => void found.push(`${PREFIX}${name} ${problem}`);
  const draftDays = topics['draft-submitted.v1'].retentionDays ?? 0;
  if (values.LEDGER_RETENTION < draftDays)
    say(
      'LEDGER_RETENTION',
      `is ${values.LEDGER_RETENTION}; drafts are kept ${draftDays} days, it must be no less`,
    );
  if (textOf('PYRAG_URL', env) === null && values.PYRAG_TOKEN !== null)
    say('PYRAG_TOKEN', `is set, and ${PREFIX}PYRAG_URL is not`);
  if (values.PYRAG_URL !== null && values.DOCS !== null)
    say('DOCS', `and ${PREFIX}PYRAG_URL are both set; lookups go to one of them, set only that`);
  for (const [name, needed] of NEEDS)
    if (textOf(name, env) !== null && textOf(needed, env) === null)
      say(name, `is set, and ${PREFIX}${needed} is not`);
  for (const name of TLS_FILES)
    if (values[name] !== null && values.KAFKA_SSL === '0')
      say(name, `is set, and ${PREFIX}KAFKA_SSL is not 1`);
  if (values.REFERENCE_FROM > values.PRECISE_FROM)
    say(
      'REFERENCE_FROM',
      `is ${values.REFERENCE_FROM}; it must not be over ${PREFIX}PRECISE_FROM, ${values.PRECISE_FROM}`,
    );
  if (values.MAX_BLOCKS_PER_DOCUMENT > values.MAX_BLOCKS)
    say(
      'MAX_BLOCKS_PER_DOCUMENT',
      `is ${values.MAX_BLOCKS_PER_DOCUMENT}; it must not be over ${PREFIX}MAX_BLOCKS, ${values.MAX_BLOCKS}`,
    );
  return found;
}

/** Variables that mean nothing without another. */
const NEEDS: readonly (readonly [VariableName, VariableName])[] = [
  ['KAFKA_SASL_MECHANISM', 'KAFKA_BROKERS'],
  ['KAFKA_SASL_MECHANISM', 'KAFKA_SASL_USERNAME'],
  ['KAFKA_SASL_MECHANISM', 'KAFKA_SASL_PASSWORD'],
  ['KAFKA_SASL_USERNAME', 'KAFKA_SASL_MECHANISM'],
  ['KAFKA_SASL_PASSWORD', 'KAFKA_SASL_MECHANISM'],
  ['KAFKA_SSL_CERT', 'KAFKA_SSL_KEY'],
  ['KAFKA_SSL_KEY', 'KAFKA_SSL_CERT'],
  ['SCHEMA_REGISTRY_USERNAME', 'SCHEMA_REGISTRY_URL'],
  ['SCHEMA_REGISTRY_USERNAME', 'SCHEMA_REGISTRY_PASSWORD'],
  ['SCHEMA_REGISTRY_PASSWORD', 'SCHEMA_REGISTRY_USERNAME'],
];

const TLS_FILES = ['KAFKA_SSL_CA', 'KAFKA_SSL_CERT', 'KAFKA_SSL_KEY'] as const;

/** A misspelled variable would silently do nothing. */
function unknownVariables(env: Environment): string[] {
  const known = new Set(variableNames.map((name) => `${PREFIX}${name}`));
  const guess = fieldGuesser(variableNames);
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !known.has(name))
    .sort()
    .map((name) => {
      const near = guess(name.slice(PREFIX.length));
      const hint = near === undefined ? '' : `; did you mean ${PREFIX}${near}?`;
      return `${name} is not a variable of proofline and does nothing${hint}`;
    });
}

/** The line of a data folder has its ledger's view and its audit in there. */
function unusedServices({ kafka, redisUrl, auditUrl }: Config): string[] {
  if (kafka !== null) return [];
  const set = Object.entries({ REDIS_URL: redisUrl, AUDIT_URL: auditUrl }).filter(([, url]) => url !== null);
  return set.map(
    ([name]) => `${PREFIX}${name} is for a line in Kafka, and ${PREFIX}KAFKA_BROKERS is not set`,
  );
}

const DAY_MS = 86_400_000;

function configOf(values: Values): Config {
  return {
    data: resolve(values.DATA),
    partitions: values.PARTITIONS,
    topicPrefix: values.TOPIC_PREFIX,
    docs: absoluteOrNull(values.DOCS),
    pyRag:
      values.PYRAG_URL === null
        ? null
        : { url: values.PYRAG_URL, token: values.PYRAG_TOKEN, timeoutMs: values.PYRAG_TIMEOUT_MS },
    keys: absoluteOrNull(values.KEYS),
    kafka: kafkaConfigOf(values),
    schemaRegistry:
      values.SCHEMA_REGISTRY_URL === null
        ? null
        : {
            url: values.SCHEMA_REGISTRY_URL,
            username: values.SCHEMA_REGISTRY_USERNAME,
            password: values.SCHEMA_REGISTRY_PASSWORD,
          },
    redisUrl: values.REDIS_URL,
    auditUrl: values.AUDIT_URL,
    http: { host: values.HTTP_HOST, port: values.HTTP_PORT },
    logLevel: values.LOG_LEVEL,
    answerTimeoutMs: values.ANSWER_TIMEOUT_MS,
    retrieve: retrieveConfigOf(values),
    project: projectConfigOf(values),
    guard: guardConfigOf(values),
  };
}

function kafkaConfigOf(values: Values): KafkaConfig | null {
  if (values.KAFKA_BROKERS === null) return null;
  const {
    KAFKA_SASL_MECHANISM: mechanism,
    KAFKA_SASL_USERNAME: username,
    KAFKA_SASL_PASSWORD: password,
  } = values;
  return {
    brokers: values.KAFKA_BROKERS,
    replication: values.KAFKA_REPLICATION,
    ssl: values.KAFKA_SSL === '1',
    sslCa: absoluteOrNull(values.KAFKA_SSL_CA),
    sslCert: absoluteOrNull(values.KAFKA_SSL_CERT),
    sslKey: absoluteOrNull(values.KAFKA_SSL_KEY),
    sasl:
      mechanism === null || username === null || password === null ? null : { mechanism, username, password },
  };
}

function absoluteOrNull(path: string | null): string | null {
  return path === null || isAbsolute(path) ? path : resolve(path);
}

function retrieveConfigOf(values: Values): RetrieveConfig {
  return {
    ...retrieveDefaults,
    concurrency: values.RETRIEVE_CONCURRENCY,
    earlyPendingMs: values.RETRIEVE_PENDING_MS,
    longestWaitMs: values.RETRIEVE_WAIT_MS,
    defaultTtlMs: values.EVIDENCE_TTL_MS,
    maxTopK: values.MAX_TOP_K,
    maxQueryChars: values.MAX_QUERY_CHARS,
  };
}

function projectConfigOf(values: Values): ProjectConfig {
  return {
    gainLookback: values.GAIN_LOOKBACK,
    ledgerRetentionMs: values.LEDGER_RETENTION * DAY_MS,
    limits: {
      ...projectDefaults.limits,
      maxBlocks: values.MAX_BLOCKS,
      maxBlocksPerDocument: values.MAX_BLOCKS_PER_DOCUMENT,
      preciseFrom: values.PRECISE_FROM,
      referenceFrom: values.REFERENCE_FROM,
      packChars: values.PACK_CHARS,
      queryChars: values.VIEW_QUERY_CHARS,
      maxItems: values.VIEW_ITEMS,
      excerptChars: values.VIEW_EXCERPT_CHARS,
      viewBytes: values.VIEW_BYTES,
    },
  };
}

function guardConfigOf(values: Values): GuardConfig {
  return {
    otherEntries: values.GUARD_OTHER_ENTRIES,
    catchUpMs: values.GUARD_CATCH_UP_MS,
    limits: {
      ...guardDefaults.limits,
      draftBytes: values.DRAFT_BYTES,
      nesting: values.DRAFT_NESTING,
      analyses: values.DRAFT_ANALYSES,
      actions: values.DRAFT_ACTIONS,
      limitations: values.DRAFT_LIMITATIONS,
      idsPerList: values.DRAFT_IDS,
      quotesPerAnalysis: values.DRAFT_QUOTES,
      calls: values.DRAFT_CALLS,
    },
  };
}

function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) {
    if (typeof part === 'object' && part !== null && !Object.isFrozen(part)) deepFreeze(part as object);
  }
  return Object.freeze(value);
}
