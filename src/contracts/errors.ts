/**
 * The one table of errors. Everything that can go wrong on the line, in a door or at a command has a row:
 * whether trying again can help, what it says, and how to solve it. docs/errors.md is generated from it.
 */

interface ErrorRow {
  /** True where the same thing may work later without anybody changing it. */
  readonly retryable: boolean;
  /** The English text; `{name}` is filled from the error's parameters. */
  readonly message: string;
  /** What to do next, for the person who reads it. */
  readonly solve: string;
}

export const errorTable = {
  PL_ID_INVALID: {
    retryable: false,
    message: '{field} is not a valid id: {id}',
    solve:
      'Use 1 to 128 of A–Z a–z 0–9 . _ : @ = + -, the first a letter or digit. draft_id "given-up" is reserved.',
  },
  PL_INPUT_INVALID: {
    retryable: false,
    message: 'The input cannot be used: {problem}',
    solve: "Correct what the message names; the command's --help shows an example of each input.",
  },
  PL_CONTEXT_REFUSED: {
    retryable: false,
    message: 'No context can be made of the lookups of run {run_id}: {problem}',
    solve:
      'A context is made of READY agent views of its own run alone. Name lookups that have one; `proofline ledger get RUN` shows them.',
  },
  PL_NOT_FOUND: {
    retryable: false,
    message: '{what} was not found',
    solve:
      'Check the name, the data folder (--data) and whether it was kept that long; `proofline topics` shows what there is.',
  },
  PL_CONFIG_INVALID: {
    retryable: false,
    message: 'The configuration is not usable: {problems}',
    solve: 'Each line names the variable, what it has and what it may be. Nothing was started.',
  },
  PL_RECORD_UNDECODABLE: {
    retryable: false,
    message: 'The record is not what its topic carries: {problem}',
    solve:
      "Values begin with 0x00 and a four-byte schema id, then Avro. Compare the producer's schema with `proofline schemas show`; `proofline dlq show` has the bytes.",
  },
  PL_SCHEMA_UNKNOWN: {
    retryable: false,
    message: 'Schema id {id} is not known',
    solve:
      "Register the producer's schema, or let it use the local id that `proofline schemas` lists; then replay the dead letter.",
  },
  PL_REGISTRY_DOWN: {
    retryable: true,
    message: 'The schema registry does not answer: {problem}',
    solve:
      'The line waits and goes on by itself; nothing is lost. Check the registry, PROOFLINE_SCHEMA_REGISTRY_URL and the network.',
  },
  PL_REGISTRY_REFUSED: {
    retryable: false,
    message: 'The schema registry refuses: {problem}',
    solve:
      "Check the registry's user and rights, and the compatibility of the subject; `proofline schemas check` compares what it has.",
  },
  PL_SCHEMAS_UNREGISTERED: {
    retryable: false,
    message: 'The schema registry lacks schemas that this version writes, in: {subjects}',
    solve:
      'Nothing was started. `proofline schemas register` registers them; --dry-run shows what it would do.',
  },
  PL_EVENT_ID: {
    retryable: false,
    message: 'event_id is {found}, but what the event says gives {expected}',
    solve: "Derive the id as docs/event-ids.md says, or publish with the package's producers, which do.",
  },
  PL_INVARIANT: {
    retryable: false,
    message: 'The record contradicts its own contract: {problem}',
    solve: 'The producer wrote a record that no correct producer writes; `proofline dlq show` has it whole.',
  },
  PL_PARTITION_WRONG: {
    retryable: false,
    message: 'The record lies on partition {found}, but run_id {run_id} belongs on {expected}',
    solve:
      "Set the client's partitioner to murmur2 over the UTF-8 run_id (librdkafka: partitioner=murmur2_random) and `proofline dlq replay` puts this one right.",
  },
  PL_PARTITIONS_CHANGED: {
    retryable: false,
    message: 'The topics have {found} partitions, but this line was made with {expected}',
    solve:
      'A run must stay on its partition number. Set PROOFLINE_PARTITIONS back, or start a new data folder or topic prefix.',
  },
  PL_TOPICS_UNUSABLE: {
    retryable: false,
    message: 'The topics in Kafka cannot be used: {problems}',
    solve:
      'A topic that is there is never changed silently: correct its settings, or use another topic prefix.',
  },
  PL_GROUP_ACTIVE: {
    retryable: false,
    message: '{members} processes work for {group}; its offset is not moved under them',
    solve: 'Stop the processes that run this station, move the offset, and start them again.',
  },
  PL_UP_REFUSED: {
    retryable: false,
    message: 'The line cannot begin as things are: {problems}',
    solve:
      'Nothing was started, and nothing consumed. Put right what each line names; `proofline doctor` looks at this and more.',
  },
  PL_OFFSET_LOST: {
    retryable: false,
    message: '{group} is to read {topic}/{partition} from {offset}, but the log holds {low} to {end}',
    solve:
      "Nothing was skipped. Find out what was deleted or moved; then put the group's offset where it is to go on: `proofline offsets set`.",
  },
  PL_BUS_DOWN: {
    retryable: true,
    message: 'Kafka does not answer: {problem}',
    solve:
      'The line waits and goes on by itself. Check the brokers, their addresses, the network, and whether they want TLS or a password.',
  },
  PL_BUS_REFUSED: {
    retryable: false,
    message: 'Kafka and this client do not come together: {problem}',
    solve:
      'Waiting does not help. Check PROOFLINE_KAFKA_SSL with its CA, certificate and key, and PROOFLINE_KAFKA_SASL_MECHANISM, _USERNAME and _PASSWORD.',
  },
  PL_BATCH_UNREADABLE: {
    retryable: false,
    message: '{topic}/{partition} cannot be read from offset {from} to {to}: {problem}',
    solve:
      "Nothing was skipped: the partition waits. Find out who wrote that batch, and how; to go on without it, set the groups' offsets behind it with Kafka's kafka-consumer-groups --reset-offsets.",
  },
  PL_RECORD_TOO_LARGE: {
    retryable: false,
    message: 'A record of {bytes} bytes is over the limit of {limit}',
    solve: "Make the message smaller; the limit is the topic's max.message.bytes.",
  },
  PL_RETRIEVAL_DOWN: {
    retryable: true,
    message: 'Retrieval is down: {problem}',
    solve:
      'The line waits and tries again. Check the retrieval service, its address and its token; /readyz shows when it is back.',
  },
  PL_RETRIEVAL_FAILED: {
    retryable: true,
    message: 'Retrieval did not answer this lookup: {problem}',
    solve: "Ask again as a new lookup with a new tool_call_id; the retrieval service's log has the cause.",
  },
  PL_RETRIEVAL_REFUSED: {
    retryable: false,
    message: 'Retrieval refuses this lookup: {problem}',
    solve:
      'The query, mode or filters are not acceptable to the retrieval service: change them and ask with a new tool_call_id.',
  },
  PL_RETRIEVAL_CONTRACT: {
    retryable: false,
    message: 'The retrieval answer breaks its contract: {problem}',
    solve: 'The retrieval service answers in another shape than API v1; `proofline try map` shows where.',
  },
  PL_EVIDENCE_GONE: {
    retryable: false,
    message: 'It cannot be replayed any more: {what} is gone',
    solve:
      'Nothing is wrong: topics keep drafts and verdicts for 30 days, and the ledger forgets what expired long ago. `proofline trail RUN --snapshot FILE` keeps a run for good while all of it is there.',
  },
  PL_EVIDENCE_TOO_LARGE: {
    retryable: false,
    message: 'The evidence of this lookup is too large to pass on: {bytes} bytes, over {limit}',
    solve: 'Ask for fewer hits (top_k) or index smaller chunks.',
  },
  PL_PROJECTION_INPUT: {
    retryable: false,
    message: 'The lookup result cannot be projected: {problem}',
    solve: "`proofline try project` shows the same on the dead letter's bytes.",
  },
  PL_PROJECTION_OVER_BUDGET: {
    retryable: false,
    message: 'Even without evidence the agent view is {bytes} bytes, over {limit}',
    solve: 'Shorten the query or the tool_call_id.',
  },
  PL_LOOKUP_LOST: {
    retryable: true,
    message: 'The first request of this lookup was lost on its way',
    solve: 'Ask again with a new tool_call_id; `proofline dlq list` shows where the first one went.',
  },
  PL_REPEAT_CONFLICT: {
    retryable: false,
    message: '{what} was sent before with other content; the first one stands',
    solve: 'Use a new id for a new question or a new text.',
  },
  PL_STOP_REQUIRED: {
    retryable: false,
    message: 'No more lookups: hand in the report now, from the evidence that you have.',
    solve: "The run's budget is spent, or its last lookups brought nothing new. Submit the draft.",
  },
  PL_KEY_UNKNOWN: {
    retryable: true,
    message: 'Ledger entries are signed with key {key_id}, which is not in the keyring',
    solve: 'Add the public key to the keyring (`proofline keys import FILE`); the drafts wait until then.',
  },
  PL_KEY_MISSING: {
    retryable: false,
    message: 'There is no private key to sign with in {folder}',
    solve: 'Make one with `proofline keys new`, or point PROOFLINE_KEYS at the folder that has it.',
  },
  PL_KEY_INVALID: {
    retryable: false,
    message: '{file} is not a usable Ed25519 key: {problem}',
    solve:
      'Keys are PEM files: KEYID.pub.pem, and one KEYID.key.pem. `proofline keys list` shows what is there.',
  },
  PL_LEDGER_BEHIND: {
    retryable: true,
    message: 'The ledger view has not caught up yet: {problem}',
    solve: 'Nothing is judged before it has. It passes by itself; if not, look at the ledger-view station.',
  },
  PL_VIEW_DOWN: {
    retryable: true,
    message: 'The ledger view in Redis does not answer: {problem}',
    solve:
      'The line waits and goes on by itself; nothing is lost, the view is read from the ledger topic. Check Redis, its address, its password and its memory.',
  },
  PL_VERDICT_TOO_LARGE: {
    retryable: false,
    message: 'The verdict is too large to pass on whole: {bytes} bytes, over {limit}',
    solve: 'The draft is held. Submit a shorter one.',
  },
  PL_QUOTES_UNCHECKED: {
    retryable: false,
    message: 'The draft quotes words, and nothing has checked that they were shown',
    solve: 'The draft is held. A person compares the quotes with what `proofline trail` shows.',
  },
  PL_SAMPLED: {
    retryable: false,
    message: 'The draft would be published, and was chosen to be looked at by a person first',
    solve:
      'The draft is held. `proofline review show` has it; PROOFLINE_REVIEW_SAMPLE sets how many are chosen.',
  },
  PL_JUDGE_DOUBTS: {
    retryable: false,
    message: 'Rules would publish the draft, and the judge doubts what it says',
    solve:
      'The draft is held. `proofline review show` has what the judge says of each claim; it is an opinion, and a person decides.',
  },
  PL_JUDGE_SILENT: {
    retryable: false,
    message: 'Rules would publish the draft, and the judge that is to be asked said nothing of it',
    solve:
      'The draft is held, because PROOFLINE_JUDGE_ON_SILENCE is hold. `proofline trail` has why; a person decides, or the draft is handed in again under another draft_id.',
  },
  PL_JUDGE_DOWN: {
    retryable: true,
    message: 'The judge does not answer: {problem}',
    solve:
      'Nothing waits for it longer than PROOFLINE_JUDGE_WAIT_MS. Check PROOFLINE_JUDGE_URL and the endpoint behind it; later drafts are judged again.',
  },
  PL_JUDGE_REFUSED: {
    retryable: false,
    message: 'The judge refuses the question: {problem}',
    solve: 'Check PROOFLINE_JUDGE_URL, PROOFLINE_JUDGE_MODEL and PROOFLINE_JUDGE_KEY with the endpoint.',
  },
  PL_JUDGE_ANSWER: {
    retryable: false,
    message: 'What the judge answered is no judgement: {problem}',
    solve:
      'The trail keeps the beginning of what it answered. A model that cannot keep to one JSON object is no judge: take another.',
  },
  PL_JUDGE_BUDGET: {
    retryable: true,
    message: 'The judge was asked as much as it may be in an hour',
    solve:
      'Drafts go on as without an answer. Raise PROOFLINE_JUDGE_CALLS_PER_HOUR or PROOFLINE_JUDGE_TOKENS_PER_HOUR, or ask about fewer: PROOFLINE_JUDGE_SAMPLE.',
  },
  PL_JUDGE_TOO_LARGE: {
    retryable: false,
    message: 'The question to the judge is too large: {found} {what}, over {limit}',
    solve:
      'The judge is not asked about a part, which would pass for the whole. A shorter draft, or one that cites fewer lookups, is judged.',
  },
  PL_REVIEW_REFUSED: {
    retryable: false,
    message: 'Nothing is decided about draft {draft_id} of run {run_id}: {problem}',
    solve:
      '`proofline review list` shows the drafts that are held, and `proofline trail RUN` what became of the others.',
  },
  PL_LEDGER_BROKEN: {
    retryable: true,
    message: 'The ledger entry of this lookup is not what a station signed',
    solve:
      'Nothing of it is shown. `proofline ledger verify` tells which entries were changed; ask again with a new tool_call_id.',
  },
  PL_LEDGER_TAKEN_BACK: {
    retryable: false,
    message: 'A ledger record would take back the terminal entry of {key}',
    solve: 'Somebody else writes to the ledger topic. The first entry stands; find and stop the writer.',
  },
  PL_DATA_FOLDER_LOCKED: {
    retryable: false,
    message: 'The data folder {folder} is in use by another process',
    solve:
      'One process writes to a data folder. Use the running one (its socket is found by itself), stop it, or choose another folder with --data.',
  },
  PL_DATA_FOLDER_UNUSABLE: {
    retryable: false,
    message: 'The data folder {folder} cannot be used: {problem}',
    solve: 'Check that it exists, that you may write there, and that it was made by this version.',
  },
  PL_DISK_FULL: {
    retryable: true,
    message: 'The disk of the data folder, or of the audit database, is full',
    solve: 'Make room; the line waits and goes on by itself. Nothing was lost.',
  },
  PL_AUDIT_DOWN: {
    retryable: true,
    message: 'The audit store does not answer: {problem}',
    solve: 'The audit-sink waits. Check the database; nothing is lost meanwhile.',
  },
  PL_AUDIT_UNUSABLE: {
    retryable: false,
    message: 'The audit database cannot be used: {problem}',
    solve:
      '`proofline audit migrate` makes its tables and brings them up to date; --dry-run prints the SQL. Else check PROOFLINE_AUDIT_URL, and the rights of its user.',
  },
  PL_INDEX_UNUSABLE: {
    retryable: false,
    message: 'The index {file} cannot be used: {problem}',
    solve: 'Index a folder with `proofline index DIR`; where the file is there and damaged, delete it first.',
  },
  PL_COLLECTOR_DOWN: {
    retryable: true,
    message: 'The collector did not take the spans: {problem}',
    solve:
      'Check OTEL_EXPORTER_OTLP_ENDPOINT and the collector, and push again: the same run makes the same spans.',
  },
  PL_GATEWAY_DOWN: {
    retryable: true,
    message: 'The gateway does not answer: {problem}',
    solve:
      'Check the URL, the network and `GET /readyz` of the gateway. Asking or handing in again under the same id is safe: it is done once.',
  },
  PL_GATEWAY_ANSWER: {
    retryable: false,
    message: 'The answer of the gateway cannot be used: {problem}',
    solve:
      'Something between the client and the gateway changed the answer, or they are of versions that do not fit. Check the URL and the proxies on the way.',
  },
  PL_UNAUTHENTICATED: {
    retryable: false,
    message: 'The request has no token that is valid here',
    solve:
      'Send `Authorization: Bearer TOKEN`; `proofline tokens create` makes one, `proofline tokens list` shows which there are.',
  },
  PL_FORBIDDEN: {
    retryable: false,
    message: 'The token does not allow this: {problem}',
    solve: 'Use a token with the scope and a pattern of runs that fit; `proofline tokens list` shows them.',
  },
  PL_HOST_REFUSED: {
    retryable: false,
    message: 'The gateway does not answer under this {header}',
    solve:
      'Use the address that it listens at, or allow the name: PROOFLINE_GATEWAY_HOSTS for hosts, PROOFLINE_GATEWAY_ORIGINS for pages in browsers.',
  },
  PL_METHOD_NOT_ALLOWED: {
    retryable: false,
    message: '{method} is not possible here; {allowed} is',
    solve: 'GET /docs shows every route with its methods.',
  },
  PL_BODY_TOO_LARGE: {
    retryable: false,
    message: 'What was sent is larger than {limit} bytes',
    solve: 'Send less: a draft has PROOFLINE_DRAFT_BYTES at most, and the body some more for its JSON.',
  },
  PL_MEDIA_TYPE: {
    retryable: false,
    message: 'The body is not sent as JSON',
    solve: 'Send `Content-Type: application/json`.',
  },
  PL_RATE_LIMITED: {
    retryable: true,
    message: 'More than {limit} requests a second from one caller',
    solve: 'Wait as long as Retry-After says. PROOFLINE_GATEWAY_RATE sets the limit.',
  },
  PL_TOO_MANY_WAITING: {
    retryable: true,
    message: 'This caller has {limit} requests waiting already',
    solve:
      'Let some of them end, ask with a shorter wait, or ask again under the same id after Retry-After. PROOFLINE_GATEWAY_WAITS_EACH sets the limit.',
  },
  PL_OVERLOADED: {
    retryable: true,
    message: 'The gateway has as much to do as it takes: {what}',
    solve: 'Ask again under the same id after Retry-After, or run another gateway process beside this one.',
  },
  PL_TOKENS_UNUSABLE: {
    retryable: false,
    message: 'The tokens in {file} cannot be used: {problem}',
    solve:
      'Nobody is let in until it is right. `proofline tokens create` makes the file; it must be yours, and nobody else may write it (chmod 600).',
  },
  PL_INTERNAL: {
    retryable: false,
    message: 'The gateway failed in a way that nobody foresaw',
    solve: 'Its log tells what kind of error it was. Please report it.',
  },
  PL_TIMEOUT: {
    retryable: true,
    message: 'No answer within {seconds} s: {what}',
    solve:
      'The work goes on. Ask again with the same ids, or look with `proofline trail RUN`; `proofline doctor` tells what holds the line up.',
  },
  PL_NOT_SERVING: {
    retryable: true,
    message: 'The process is {state}',
    solve: 'It takes no work now. Give it time; its log says what it does.',
  },
  PL_NO_PARTITION: {
    retryable: true,
    message: '{station} has no partition assigned yet',
    solve:
      'Wait for the group to settle. If it lasts: the bus cannot be reached, or there are more processes than partitions, and this one is a spare.',
  },
  PL_LANE_OPENING: {
    retryable: true,
    message: '{station} is opening partition {partition}',
    solve:
      'It waits until the ledger view is past what was written before, or reads its own state. If it lasts, look at ledger-view and at the bus.',
  },
  PL_LANE_TAKEN: {
    retryable: true,
    message: 'Another process has taken partition {partition} of {station} over',
    solve:
      'Nothing was written twice. A process that was slow, or stopped, for longer than its session loses its partitions; if it happens often, give it more of the machine.',
  },
  PL_REPLAY_REFUSED: {
    retryable: false,
    message: 'The dead letter is not replayed: {problem}',
    solve: '`proofline dlq show ID` tells what it is and where it came from.',
  },
  PL_PROCESS_ENDED: {
    retryable: false,
    message: 'A process that was measured ended {how}; there are no figures',
    solve:
      'What it said last stands above. Where it ended by SIGKILL, the machine may have been out of memory.',
  },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errorTable;

/** Parameters that fill the `{…}` of a message. */
export type ErrorParams = Readonly<Record<string, string | number>>;

/** The message of `code`, filled; a missing parameter stays visible as `{name}`. */
export function errorMessage(code: ErrorCode, params: ErrorParams = {}): string {
  return errorTable[code].message.replace(/\{(\w+)\}/g, (whole, name: string) =>
    String(params[name] ?? whole),
  );
}

/** The only error class of the project: told apart by `code`, never by `instanceof` of a subclass. */
export class ProoflineError extends Error {
  override readonly name = 'ProoflineError';
  readonly code: ErrorCode;
  readonly params: ErrorParams;

  constructor(code: ErrorCode, params: ErrorParams = {}, options?: ErrorOptions) {
    super(errorMessage(code, params), options);
    this.code = code;
    this.params = params;
  }

  get retryable(): boolean {
    return errorTable[this.code].retryable;
  }

  get solve(): string {
    return errorTable[this.code].solve;
  }
}

/** True for a ProoflineError, also one from another copy of this module, of one of these codes (of any, without). */
export function isProoflineError(error: unknown, ...codes: readonly ErrorCode[]): error is ProoflineError {
  if (!(error instanceof Error) || error.name !== 'ProoflineError') return false;
  return codes.length === 0 || codes.includes((error as ProoflineError).code);
}
