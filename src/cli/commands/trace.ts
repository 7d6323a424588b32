import type { RunPorts } from '../../line/run-snapshot.js';
import type { TextOfHit } from '../../trace/convention.js';
import type { RunTrace } from '../../trace/run-trace.js';
import type { TraceSpan } from '../../trace/span.js';
import type { AddCommand, CommandContext } from '../command.js';
import { inputInvalid } from '../input.js';
import { print } from '../print.js';

const HELP = `
Examples:
  proofline trace run-7                          every hit, what became of it, and how long it took
  proofline trace run-7 --texts                  with the beginnings of the hits' texts, while they are kept
  proofline trace run-7 --json                   the same as JSON
  proofline trace run-7 --format openinference   as spans that Phoenix and Langfuse read: OTLP as JSON, one line
  proofline trace run-7 --format otel --push     to the collector of OTEL_EXPORTER_OTLP_ENDPOINT
  proofline trace usage run-7 draft-1 --model m --input-tokens 1200 --output-tokens 300 --cost 0.0042 --currency USD

A hit may be in the trace and not in the evidence: a trace says how the evidence came about. Texts leave this machine
with --push only where --texts asks for it; questions and scores always do.
`;

const USAGE_HELP = `
Examples:
  proofline trace usage run-7 draft-1 --provider openai --model gpt-4o-mini --request-id req_81 \\
      --input-tokens 1200 --output-tokens 300 --total-tokens 1500 --cost 0.0042 --currency USD

What a model used is known after the fact, and prices are yours. The same again changes nothing; of a draft the last
one counts.
`;

interface TraceOptions {
  readonly texts?: true;
  readonly format?: string;
  readonly push?: true;
}

export const addTrace: AddCommand = (program, context) => {
  const trace = program
    .command('trace')
    .description('how the evidence of a run came about, and what its model used')
    .argument('<run>', 'run_id')
    .option('--texts', 'with the texts of the hits, while their topic keeps them')
    .option('--format <NAME>', 'as spans: openinference or otel')
    .option('--push', 'send the spans to the collector that OTEL_EXPORTER_OTLP_ENDPOINT names')
    .addHelpText('after', HELP)
    .action((run: string, options: TraceOptions) => tellTrace(run, options, context));
  trace
    .command('usage')
    .description('fill in what the generation of a draft used, and what it cost')
    .argument('<run>', 'run_id')
    .argument('<draft>', 'draft_id')
    .option('--provider <NAME>', 'who ran the model')
    .option('--model <NAME>', 'the model')
    .option('--request-id <ID>', "the provider's own id of the call")
    .option('--input-tokens <N>', 'tokens that went in')
    .option('--output-tokens <N>', 'tokens that came out')
    .option('--total-tokens <N>', 'tokens in all')
    .option('--cost <DECIMAL>', 'what it cost, e.g. 0.0042')
    .option('--currency <CODE>', 'in which currency, e.g. USD')
    .addHelpText('after', USAGE_HELP)
    .action((run: string, draft: string, options: UsageOptions) => reportUsage(run, draft, options, context));
};

async function tellTrace(run: string, options: TraceOptions, context: CommandContext): Promise<void> {
  const format = formatOf(options);
  const { readingWithAudit } = await import('../reading-line.js');
  const told = await readingWithAudit(context, async ({ bus, codec, audit }) => {
    const read = options.texts === true ? await withItsTexts({ bus, codec, audit }, run) : null;
    const trace = read?.trace ?? (await traceOf({ codec, audit }, run));
    return { trace, textOf: read?.textOf ?? null, epoch: bus.epoch };
  });
  if (format === null) return printTrace(told.trace, context);
  const spans = await spansOf(told, format);
  if (options.push === true) return push(spans, context);
  const { otlpJson } = await import('../../trace/otlp-json.js');
  context.io.out(`${JSON.stringify(otlpJson(spans))}\n`);
}

const FORMATS = ['openinference', 'otel'] as const;
type Format = (typeof FORMATS)[number];

/** Null where it is told to a person, or as our own JSON. */
function formatOf({ format, push: isPushed }: TraceOptions): Format | null {
  if (format === undefined) return isPushed === true ? 'openinference' : null;
  const known = FORMATS.find((each) => each === format);
  if (known === undefined)
    throw inputInvalid(`--format is ${JSON.stringify(format)}, and must be ${FORMATS.join(' or ')}`);
  return known;
}

async function traceOf({ audit, codec }: Pick<RunPorts, 'audit' | 'codec'>, run: string): Promise<RunTrace> {
  const { readRunTrace } = await import('../../line/read-trace.js');
  const { ProoflineError } = await import('../../contracts/errors.js');
  const trace = await readRunTrace({ audit, codec }, run);
  if (trace === null) throw new ProoflineError('PL_NOT_FOUND', { what: `run ${JSON.stringify(run)}` });
  return trace;
}

/** Null of a run that nothing is known of. */
async function withItsTexts(
  ports: Omit<RunPorts, 'keyring'>,
  run: string,
): Promise<{ readonly trace: RunTrace; readonly textOf: TextOfHit } | null> {
  const { readRun } = await import('../../line/run-snapshot.js');
  const { traceOfTrail } = await import('../../line/read-trace.js');
  const { hitTexts, withTexts } = await import('../../line/hit-texts.js');
  const data = await readRun({ ...ports, keyring: null }, run);
  if (data === null) return null;
  const textOf = hitTexts(data);
  return { trace: withTexts(traceOfTrail(run, data.audit, ports.codec), textOf), textOf };
}

async function printTrace(trace: RunTrace, context: CommandContext): Promise<void> {
  const { traceJson } = await import('../../line/read-trace.js');
  const { tracePage } = await import('../render/trace.js');
  print(
    context,
    () => traceJson(trace),
    (paint) => tracePage(trace, paint),
  );
}

async function spansOf(
  told: { readonly trace: RunTrace; readonly textOf: TextOfHit | null; readonly epoch: string },
  format: Format,
): Promise<TraceSpan[]> {
  const { sha256 } = await import('../../contracts/digest.js');
  const { runTraceId } = await import('../../observe/trace-ids.js');
  const { traceSpans } = await import('../../trace/trace-spans.js');
  const convention =
    format === 'otel'
      ? (await import('../../trace/gen-ai.js')).genAi
      : (await import('../../trace/openinference.js')).openInference;
  const { trace, textOf, epoch } = told;
  const traceId = runTraceId(epoch, trace.runId);
  return traceSpans(trace, { traceId, convention, ...(textOf === null ? {} : { textOf }) }, sha256);
}

async function push(spans: readonly TraceSpan[], context: CommandContext): Promise<void> {
  const { pushSpans } = await import('../../observe/push-spans.js');
  const pushed = await pushSpans(spans, context.io.env);
  const traceId = spans[0]?.traceId ?? null;
  print(
    context,
    () => ({ pushed, trace_id: traceId }),
    () => [`The collector took ${pushed} spans of trace ${traceId ?? '-'}.`],
  );
}

interface UsageOptions {
  readonly provider?: string;
  readonly model?: string;
  readonly requestId?: string;
  readonly inputTokens?: string;
  readonly outputTokens?: string;
  readonly totalTokens?: string;
  readonly cost?: string;
  readonly currency?: string;
}

async function reportUsage(
  run: string,
  draft: string,
  options: UsageOptions,
  context: CommandContext,
): Promise<void> {
  const { usageHandInFromJson } = await import('../../line/usage-hand-in.js');
  const { wholeNumber } = await import('../option-values.js');
  const { atDoors } = await import('../with-line.js');
  const { safeText } = await import('../render/safe-text.js');
  const tokens = (option: string, text: string | undefined): number | null =>
    text === undefined ? null : wholeNumber(option, text, 0, 2 ** 31 - 1);
  const handIn = usageHandInFromJson({
    run_id: run,
    draft_id: draft,
    provider: options.provider,
    model: options.model,
    request_id: options.requestId,
    input_tokens: tokens('--input-tokens', options.inputTokens),
    output_tokens: tokens('--output-tokens', options.outputTokens),
    total_tokens: tokens('--total-tokens', options.totalTokens),
    cost: options.cost,
    currency: options.currency,
  });
  const { eventId, repeat } = await atDoors(context, 'a line', (client) => client.recordUsage(handIn));
  print(
    context,
    () => ({ run_id: run, draft_id: draft, event_id: eventId, repeat }),
    () => [
      `${repeat ? 'It was filled in already' : 'Filled in'} for draft ${safeText(draft)} of run ${safeText(run)}, event ${eventId}.`,
    ],
  );
}
