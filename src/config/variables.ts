import { guardDefaults } from '../../consumers/guard.js';
import { projectDefaults } from '../../consumers/project.js';
import { retrieveDefaults } from '../lookup/retrieve-rule.js';
import { pyRagDefaults } from '../retrieval/py-rag/settings.js';
import {
  brokerList,
  httpAddress,
  oneOf,
  path,
  secretAddress,
  share,
  text,
  token,
  topicPrefix,
  whole,
  type Kind,
} from './kinds.js';

/** One environment variable, without its prefix. */
export interface Variable<T> extends Kind<T> {
  /** What it has when it is not set; null where nothing stands for it. */
  readonly default: T | null;
  readonly doc: string;
  /** Its value is never shown. */
  readonly secret?: boolean;
}

export const PREFIX = 'PROOFLINE_';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

const { limits: evidence } = projectDefaults;
const { limits: draft } = guardDefaults;

/** A variable with a default. */
function given<T>(kind: Kind<T>, fallback: T, doc: string): Variable<T> & { readonly default: T } {
  return { ...kind, default: fallback, doc };
}

/** A variable that may be absent. */
function absent<T>(kind: Kind<T>, doc: string, secret = false): Variable<T> & { readonly default: null } {
  return { ...kind, default: null, doc, secret };
}

/** Every variable that the command line and the line read, in the order of the documentation. */
export const variables = {
  DATA: given(path(), './.proofline', 'The data folder: topics, ledger, audit, index and keys. --data wins.'),
  PARTITIONS: absent(
    whole(1, 1024),
    'Partitions of every topic. A new data folder is made with it (12 when unset); an old one must have it.',
  ),
  TOPIC_PREFIX: given(topicPrefix(), 'proofline.', 'What the names of topics begin with.'),
  DOCS: absent(path(), 'The folder of documents that `proofline dev` indexes. --docs wins.'),
  PYRAG_URL: absent(
    httpAddress(),
    'Where lookups are posted to. Set, lookups go to py-rag; unset, to the local index.',
  ),
  PYRAG_TOKEN: absent(token(), 'Sent to py-rag as a bearer token.', true),
  PYRAG_TIMEOUT_MS: given(
    whole(100, 600_000),
    pyRagDefaults.timeoutMs,
    'Milliseconds for one attempt at py-rag.',
  ),
  KEYS: absent(path(), 'The folder of the signing keys; `keys` in the data folder when unset.'),
  LEDGER_RETENTION: given(
    whole(1, 36_500),
    projectDefaults.ledgerRetentionMs / DAY_MS,
    'Days that a ledger entry is kept after it expired. Not less than drafts are kept.',
  ),
  LOG_LEVEL: given(
    oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const),
    'info',
    'From which level on `proofline dev` logs.',
  ),
  KAFKA_BROKERS: absent(
    brokerList(),
    'The brokers that `proofline up` and the other commands work on, as `host:port`.',
  ),
  KAFKA_REPLICATION: given(whole(1, 100), 3, 'Replicas of the topics that `proofline topics create` makes.'),
  KAFKA_SSL: given(oneOf(['0', '1'] as const), '0', '1 speaks TLS with the brokers.'),
  KAFKA_SSL_CA: absent(
    path('file'),
    'Certificates (PEM) of who may sign the brokers’; the system’s when unset.',
  ),
  KAFKA_SSL_CERT: absent(path('file'), 'The client’s certificate (PEM), where brokers ask for one.'),
  KAFKA_SSL_KEY: absent(path('file'), 'The client’s key (PEM).'),
  KAFKA_SASL_MECHANISM: absent(
    oneOf(['plain', 'scram-sha-256', 'scram-sha-512'] as const),
    'How the brokers are told who is there.',
  ),
  KAFKA_SASL_USERNAME: absent(text(1, 256), 'The name that the brokers know.'),
  KAFKA_SASL_PASSWORD: absent(text(1, 4096), 'Its password.', true),
  SCHEMA_REGISTRY_URL: absent(
    httpAddress(),
    'A registry with the API of Confluent’s; without it schemas have fixed local ids.',
  ),
  SCHEMA_REGISTRY_USERNAME: absent(text(1, 256), 'The name that the registry knows.'),
  SCHEMA_REGISTRY_PASSWORD: absent(text(1, 4096), 'Its password.', true),
  REDIS_URL: absent(
    secretAddress(['redis:', 'rediss:']),
    'The Redis that holds the view of the ledger. `proofline up` needs it.',
    true,
  ),
  AUDIT_URL: absent(
    secretAddress(['postgres:', 'postgresql:']),
    'The PostgreSQL that holds the audit. `proofline up` needs it; unset, the audit lies in the data folder.',
    true,
  ),
  HTTP_HOST: given(
    text(1, 256),
    '127.0.0.1',
    'Where `proofline up` listens for health, readiness and metrics.',
  ),
  HTTP_PORT: given(whole(0, 65_535), 8080, 'The port of it; 0 takes a free one.'),
  ANSWER_TIMEOUT_MS: given(
    whole(100, HOUR_MS),
    30_000,
    'Milliseconds that a command waits for an answer. The work goes on when it stops waiting.',
  ),
  RETRIEVE_CONCURRENCY: given(
    whole(1, 1000),
    retrieveDefaults.concurrency,
    'Lookups of one partition that are asked at a time.',
  ),
  RETRIEVE_PENDING_MS: given(
    whole(0, 60_000),
    retrieveDefaults.earlyPendingMs,
    'A retrieval that takes longer has its PENDING entry written before the answer.',
  ),
  RETRIEVE_WAIT_MS: given(
    whole(0, 24 * HOUR_MS),
    retrieveDefaults.longestWaitMs,
    'How long a lookup waits for a retriever that is down before it fails.',
  ),
  EVIDENCE_TTL_MS: given(
    whole(1000, 366 * DAY_MS),
    retrieveDefaults.defaultTtlMs,
    'How long evidence may be cited where the lookup does not say.',
  ),
  MAX_TOP_K: given(whole(1, 1000), retrieveDefaults.maxTopK, 'The largest top_k that is not refused.'),
  MAX_QUERY_CHARS: given(
    whole(1, 200_000),
    retrieveDefaults.maxQueryChars,
    'Characters of the longest query that is not refused.',
  ),
  MAX_BLOCKS: given(whole(1, 100), evidence.maxBlocks, 'Evidence blocks of a lookup.'),
  MAX_BLOCKS_PER_DOCUMENT: given(
    whole(1, 100),
    evidence.maxBlocksPerDocument,
    'Evidence blocks of one document.',
  ),
  PRECISE_FROM: given(share(), evidence.preciseFrom, 'Quality from which the best block is PRECISE.'),
  REFERENCE_FROM: given(share(), evidence.referenceFrom, 'Quality from which the best block is REFERENCE.'),
  PACK_CHARS: given(whole(100, 1_000_000), evidence.packChars, 'Characters of the packed text.'),
  VIEW_QUERY_CHARS: given(
    whole(1, 10_000),
    evidence.queryChars,
    'Characters of the query that an agent view repeats.',
  ),
  VIEW_ITEMS: given(whole(1, 100), evidence.maxItems, 'Items of an agent view.'),
  VIEW_EXCERPT_CHARS: given(whole(1, 100_000), evidence.excerptChars, 'Characters of an item.'),
  VIEW_BYTES: given(whole(1024, 1_048_576), evidence.viewBytes, 'Bytes of an agent view.'),
  GAIN_LOOKBACK: given(
    whole(0, 10_000),
    projectDefaults.gainLookback,
    "How many of a run's other lookups are compared to tell what is new.",
  ),
  GUARD_OTHER_ENTRIES: given(
    whole(0, 10_000),
    guardDefaults.otherEntries,
    "How many of a run's other entries the guard reads to explain a wrong citation.",
  ),
  GUARD_CATCH_UP_MS: given(
    whole(0, 60_000),
    guardDefaults.catchUpMs,
    'How long a batch of drafts waits for the ledger view before it is tried again.',
  ),
  DRAFT_BYTES: given(whole(1024, 524_288), draft.draftBytes, 'Bytes of a draft.'),
  DRAFT_NESTING: given(whole(8, 256), draft.nesting, 'Levels of nesting in a draft.'),
  DRAFT_ANALYSES: given(whole(1, 1000), draft.analyses, 'Analyses of a draft.'),
  DRAFT_ACTIONS: given(whole(1, 1000), draft.actions, 'Actions of a draft.'),
  DRAFT_LIMITATIONS: given(whole(1, 1000), draft.limitations, 'Limitations of a draft.'),
  DRAFT_IDS: given(whole(1, 1000), draft.idsPerList, 'Ids in one list of a draft.'),
  DRAFT_QUOTES: given(whole(1, 1000), draft.quotesPerAnalysis, 'Quotes of one analysis.'),
  DRAFT_CALLS: given(whole(1, 10_000), draft.calls, 'Different lookups that a draft may cite.'),
  DEBUG: given(oneOf(['0', '1'] as const), '0', '1 prints the stack of an unexpected error.'),
};

export type VariableName = keyof typeof variables;

/** What each variable has once it was read. */
export type Values = {
  readonly [N in VariableName]:
    ((typeof variables)[N] extends Variable<infer T> ? T : never) | (typeof variables)[N]['default'];
};

export const variableNames = Object.keys(variables) as readonly VariableName[];
