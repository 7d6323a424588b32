import { isAbsolute, resolve } from 'node:path';
import { guardDefaults, type GuardConfig } from '../../consumers/guard.js';
import { harnessDefaults, type HarnessConfig } from '../../consumers/harness.js';
import { projectDefaults, type ProjectConfig } from '../../consumers/project.js';
import { reviewDefaults, type ReviewConfig } from '../../consumers/review.js';
import { ProoflineError } from '../contracts/errors.js';
import { topics } from '../contracts/topics.js';
import { fieldGuesser } from '../guard/field-names.js';
import type { JudgeAccess } from '../judge/access.js';
import type { JudgePolicy } from '../judge/policy.js';
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
  readonly gateway: GatewayConfig;
  /** The gateway that clients of this process ask; null asks the line itself. */
  readonly client: { readonly url: string | null; readonly token: string | null };
  /** Asked of who connects to `proofline mcp --http`; null asks for none. */
  readonly mcpToken: string | null;
  readonly logLevel: Values['LOG_LEVEL'];
  /** Milliseconds that a command waits for an answer. */
  readonly answerTimeoutMs: number;
  readonly retrieve: RetrieveConfig;
  readonly project: ProjectConfig;
  readonly harness: HarnessConfig;
  readonly guard: GuardConfig;
  readonly review: ReviewConfig;
  /** The judge that review asks; null where it asks none. */
  readonly judge: JudgeAccess | null;
}

/** Whom the gateway lets in, and how much at a time. */
export interface GatewayConfig {
  /** Absolute path of the file of tokens; null lets everybody in, on loopback only. */
  readonly tokens: string | null;
  /** Names without ports, lower case; null for the defaults. */
  readonly hosts: readonly string[] | null;
  readonly origins: readonly string[];
  /** Requests a second of one caller. */
  readonly rate: number;
  /** Requests that wait at a time, in all and of one caller. */
  readonly waits: number;
  readonly waitsEach: number;
  /** Streams of events that are open at a time. */
  readonly readers: number;
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
  if ((name === 'PYRAG_URL' || name === 'JUDGE_URL') && /[@?]/.test(text))
    return 'an address that is not shown here';
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
  if (values.JUDGE_MODE !== 'off')
    for (const name of ['JUDGE_URL', 'JUDGE_MODEL'] as const)
      if (textOf(name, env) === null)
        say('JUDGE_MODE', `is ${values.JUDGE_MODE}, and ${PREFIX}${name} is not set`);
  if (values.JUDGE_HOLD_BELOW > values.JUDGE_WARN_BELOW)
    say(
      'JUDGE_HOLD_BELOW',
      `is ${values.JUDGE_HOLD_BELOW}; it must not be over ${PREFIX}JUDGE_WARN_BELOW, ${values.JUDGE_WARN_BELOW}`,
    );
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
  ['JUDGE_KEY', 'JUDGE_URL'],
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
    gateway: {
      tokens: absoluteOrNull(values.GATEWAY_TOKENS),
      hosts: values.GATEWAY_HOSTS,
      origins: values.GATEWAY_ORIGINS ?? [],
      rate: values.GATEWAY_RATE,
      waits: values.GATEWAY_WAITS,
      waitsEach: values.GATEWAY_WAITS_EACH,
      readers: values.GATEWAY_READERS,
    },
    client: { url: values.URL, token: values.TOKEN },
    mcpToken: values.MCP_TOKEN,
    logLevel: values.LOG_LEVEL,
    answerTimeoutMs: values.ANSWER_TIMEOUT_MS,
    retrieve: retrieveConfigOf(values),
    project: projectConfigOf(values),
    harness: harnessConfigOf(values),
    guard: guardConfigOf(values),
    review: {
      ...reviewDefaults,
      maxAttempts: values.REVIEW_MAX_ATTEMPTS,
      sample: values.REVIEW_SAMPLE,
      judge: judgePolicyOf(values),
    },
    judge: judgeAccessOf(values),
  };
}

function judgePolicyOf(values: Values): JudgePolicy {
  return {
    mode: values.JUDGE_MODE,
    sample: values.JUDGE_SAMPLE,
    waitMs: values.JUDGE_WAIT_MS,
    holdBelow: values.JUDGE_HOLD_BELOW,
    warnBelow: values.JUDGE_WARN_BELOW,
    onUnsupported: values.JUDGE_ON_UNSUPPORTED,
    onSilence: values.JUDGE_ON_SILENCE,
  };
}

function judgeAccessOf(values: Values): JudgeAccess | null {
  const { JUDGE_MODE: mode, JUDGE_URL: url, JUDGE_MODEL: model, JUDGE_KEY: key } = values;
  if (mode === 'off' || url === null || model === null) return null;
  return {
    url,
    model,
    key,
    timeoutMs: values.JUDGE_TIMEOUT_MS,
    concurrency: values.JUDGE_CONCURRENCY,
    callsPerHour: values.JUDGE_CALLS_PER_HOUR,
    tokensPerHour: values.JUDGE_TOKENS_PER_HOUR,
    cacheEntries: values.JUDGE_CACHE,
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

function harnessConfigOf(values: Values): HarnessConfig {
  return {
    ...harnessDefaults,
    limits: {
      deadlineMs: values.RUN_DEADLINE_MS,
      noGainInARow: values.RUN_NO_GAIN,
      maxLookups: values.RUN_MAX_LOOKUPS,
      maxTokens: values.RUN_MAX_TOKENS,
    },
  };
}

function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) {
    if (typeof part === 'object' && part !== null && !Object.isFrozen(part)) deepFreeze(part as object);
  }
  return Object.freeze(value);
}
