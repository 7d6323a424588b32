import { guardDefaults } from '../../consumers/guard.js';
import { harnessDefaults } from '../../consumers/harness.js';
import { projectDefaults } from '../../consumers/project.js';
import { reviewDefaults } from '../../consumers/review.js';
import { MAX_GAIN_HISTORY } from '../harness/limits.js';
import { judgeAccessDefaults } from '../judge/access.js';
import { chatJudgeDefaults } from '../judge/chat/settings.js';
import { judgePolicyDefaults } from '../judge/policy.js';
import { retrieveDefaults } from '../lookup/retrieve-rule.js';
import { pyRagDefaults } from '../retrieval/py-rag/settings.js';
import {
  brokerList,
  httpAddress,
  nameList,
  oneOf,
  originList,
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
const { limits: run } = harnessDefaults;

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
    'Where `proofline up` listens for the gateway, health, readiness and metrics. `proofline dev` listens on 127.0.0.1.',
  ),
  HTTP_PORT: given(whole(0, 65_535), 8080, 'The port of it; 0 takes a free one.'),
  GATEWAY_TOKENS: absent(
    path('file'),
    'The file of tokens that the gateway lets in; unset, it lets everybody in, and listens on loopback only.',
  ),
  GATEWAY_HOSTS: absent(
    nameList(),
    'Names that the gateway may be reached under (the Host header). Unset: loopback names, and any where tokens are asked for.',
  ),
  GATEWAY_ORIGINS: absent(
    originList(),
    'Pages in browsers that may use the gateway (the Origin header), as `https://app.example`.',
  ),
  GATEWAY_RATE: given(
    whole(1, 1_000_000),
    2000,
    'Requests a second of one caller (a token, else an address).',
  ),
  GATEWAY_WAITS: given(whole(1, 100_000), 4000, 'Requests that wait for an answer at a time, in all.'),
  GATEWAY_WAITS_EACH: given(whole(1, 100_000), 2000, 'And those of one caller.'),
  GATEWAY_READERS: given(whole(1, 10_000), 256, 'Streams of events that are open at a time.'),
  URL: absent(httpAddress(), 'The gateway that `proofline mcp` asks. --url wins.'),
  TOKEN: absent(token(), 'Sent to that gateway as a bearer token.', true),
  MCP_TOKEN: absent(
    token(),
    'The bearer token that `proofline mcp --http` asks its clients for; needed where others can connect.',
    true,
  ),
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
  RUN_DEADLINE_MS: given(
    whole(1000, 30 * DAY_MS),
    run.deadlineMs,
    'When a run must have an outcome, in milliseconds after its first lookup, where that does not say. Then it is given up.',
  ),
  RUN_NO_GAIN: given(
    whole(1, MAX_GAIN_HISTORY),
    run.noGainInARow,
    'Answers in a row that bring nothing new, after which a run may ask no more.',
  ),
  RUN_MAX_LOOKUPS: absent(
    whole(1, 1_000_000),
    'Lookups of a run that are answered, where its first does not say. Unset: any number.',
  ),
  RUN_MAX_TOKENS: absent(
    whole(1, 2_147_483_647),
    'Tokens that a run may take, shown (o200k_base) and generated, where its first lookup does not say. Unset: any number.',
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
  REVIEW_MAX_ATTEMPTS: given(
    whole(1, 1000),
    reviewDefaults.maxAttempts,
    'Drafts that a run may hand in before it falls back, where its own limits do not say.',
  ),
  REVIEW_SAMPLE: given(
    share(),
    reviewDefaults.sample,
    'Share of the drafts that would be published which are held for a person to look at first.',
  ),
  JUDGE_MODE: given(
    oneOf(['off', 'second-opinion'] as const),
    judgePolicyDefaults.mode,
    'second-opinion asks a model about drafts that rules would publish, or cannot evaluate. It can hold one, and never release one.',
  ),
  JUDGE_URL: absent(
    httpAddress(),
    'The base address of an OpenAI-compatible API, as `https://host/v1`; its `/chat/completions` is asked.',
  ),
  JUDGE_MODEL: absent(text(1, 256), 'The model that judges.'),
  JUDGE_KEY: absent(token(), 'Sent to that API as a bearer token.', true),
  JUDGE_SAMPLE: given(
    share(),
    judgePolicyDefaults.sample,
    'Share of the drafts that the judge is asked about; which ones follows from the ids of their verdicts.',
  ),
  JUDGE_WAIT_MS: given(
    whole(100, 600_000),
    judgePolicyDefaults.waitMs,
    'Milliseconds that a batch of drafts waits for the judge at most.',
  ),
  JUDGE_TIMEOUT_MS: given(
    whole(100, 600_000),
    chatJudgeDefaults.timeoutMs,
    'Milliseconds for one attempt at the judge.',
  ),
  JUDGE_CONCURRENCY: given(
    whole(1, 1000),
    judgeAccessDefaults.concurrency,
    'Questions that this process asks the judge at a time.',
  ),
  JUDGE_CALLS_PER_HOUR: given(
    whole(1, 10_000_000),
    chatJudgeDefaults.callsPerHour,
    'Calls of this process to the judge in any hour.',
  ),
  JUDGE_TOKENS_PER_HOUR: given(
    whole(1, 1_000_000_000_000),
    chatJudgeDefaults.tokensPerHour,
    'Tokens of those calls, as the API reports them.',
  ),
  JUDGE_CACHE: given(
    whole(1, 1_000_000),
    judgeAccessDefaults.cacheEntries,
    'Answers of the judge that this process remembers.',
  ),
  JUDGE_HOLD_BELOW: given(
    share(),
    judgePolicyDefaults.holdBelow,
    'A faithfulness score under it holds the draft for a person.',
  ),
  JUDGE_WARN_BELOW: given(
    share(),
    judgePolicyDefaults.warnBelow,
    'A score under it goes out with the draft as a finding.',
  ),
  JUDGE_ON_UNSUPPORTED: given(
    oneOf(['hold', 'warn'] as const),
    judgePolicyDefaults.onUnsupported,
    'What a claim does that the judge calls unsupported.',
  ),
  JUDGE_ON_SILENCE: given(
    oneOf(['rules', 'hold'] as const),
    judgePolicyDefaults.onSilence,
    'What becomes of a draft that the judge says nothing of: what rules decide, or it is held.',
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
