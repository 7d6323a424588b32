import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type CallToolResult,
} from '@modelcontextprotocol/sdk/types.js';
import { isProoflineError } from '../contracts/errors.js';
import { isValidId } from '../contracts/ids.js';
import { promptRefOf, systemPrompt } from '../prompts/kit.js';
import type { Language } from '../prompts/language.js';
import { VERSION } from '../version.js';
import type { AgentLine, DraftReply, Failure, Waiting } from './agent-line.js';
import { decisionOf, draftAnswer, draftPendingAnswer, lookupAnswer, toolError } from './answers.js';
import { readDraftId, readDraftText, readLookup } from './arguments.js';
import type { BoundedCalls, CallEnd } from './bounded-calls.js';
import type { KnownDraft, Runs } from './runs.js';
import { argumentsRefused, busyText, draftFailed, unforeseenText, unknownDraft } from './texts.js';
import { toolList, toolNames, type ToolName } from './tools.js';

export interface McpSession {
  readonly line: AgentLine;
  readonly runs: Runs;
  readonly calls: BoundedCalls;
  readonly language: Language;
  /** How long a call waits for its answer, milliseconds. */
  readonly waitMs: number;
  /** Told of what nobody foresaw. */
  readonly onError: (error: unknown) => void;
}

/** One session with one client: three tools, and the system prompt as its instructions. */
export function createMcpServer(session: McpSession): McpServer {
  const { language, onError } = session;
  const server = new McpServer(
    { name: 'proofline', title: 'Proofline', version: VERSION },
    { instructions: systemPrompt(language).text },
  );
  // Named among the options, it would be made true: the list never changes, and no client is to listen for it.
  server.server.registerCapabilities({ tools: { listChanged: false } });
  const tools = toolList(language);
  const handlers = toolHandlers(session);
  server.server.onerror = onError;
  server.server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  server.server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    if (!isToolName(params.name))
      throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${params.name.slice(0, 100)}`);
    try {
      return await handlers[params.name](params.arguments, { ms: session.waitMs, signal });
    } catch (error) {
      if (signal.aborted) throw error;
      onError(error);
      return toolError(unforeseenText);
    }
  });
  return server;
}

function isToolName(name: string): name is ToolName {
  return (toolNames as readonly string[]).includes(name);
}

type Handler = (args: unknown, waiting: Waiting) => Promise<CallToolResult>;

function toolHandlers(session: McpSession): Readonly<Record<ToolName, Handler>> {
  return {
    lookup_knowledge: (args, waiting) => lookUp(session, args, waiting),
    submit_draft: (args, waiting) => submitDraft(session, args, waiting),
    get_draft: (args, waiting) => getDraft(session, args, waiting),
  };
}

async function lookUp(
  { line, runs, calls }: McpSession,
  args: unknown,
  waiting: Waiting,
): Promise<CallToolResult> {
  const read = readLookup(args);
  if (!read.ok) return invalid(read.problem);
  const { query } = read.value;
  const runId = runs.forLookup();
  const lookup = { runId, toolCallId: runs.callOf(runId, query), query };
  const end = await calls.run((left) => orRefused(line.lookup(lookup, left)), waiting);
  if (end.kind === 'busy') return toolError(busyText);
  const reply = replyOf(end);
  if (reply.state === 'PENDING') runs.pending(runId, query, lookup.toolCallId);
  return lookupAnswer(reply, lookup, waiting.ms / 1000);
}

async function submitDraft(session: McpSession, args: unknown, waiting: Waiting): Promise<CallToolResult> {
  const { line, runs, calls, language } = session;
  const read = readDraftText(args);
  if (!read.ok) return invalid(read.problem);
  const known = runs.draftOf(read.value);
  const draft = { ...known, draftJson: read.value, prompt: promptRefOf(systemPrompt(language)) };
  const end = await calls.run((left) => orRefused(line.submit(draft, left)), waiting);
  return end.kind === 'busy' ? toolError(busyText) : tellDraft(session, replyOf(end), known, waiting);
}

async function getDraft(session: McpSession, args: unknown, waiting: Waiting): Promise<CallToolResult> {
  const { line, runs, calls } = session;
  const read = readDraftId(args);
  if (!read.ok) return invalid(read.problem);
  if (!isValidId(read.value)) return toolError(unknownDraft(read.value));
  const known = runs.named(read.value);
  const end = await calls.run((left) => orRefused(line.draft(known, left)), waiting);
  if (end.kind === 'busy') return toolError(busyText);
  const reply = replyOf(end);
  return reply === null ? toolError(unknownDraft(read.value)) : tellDraft(session, reply, known, waiting);
}

function tellDraft(
  { runs, language }: McpSession,
  reply: DraftReply,
  draft: KnownDraft,
  waiting: Waiting,
): CallToolResult {
  switch (reply.state) {
    case 'PENDING':
      return draftPendingAnswer(draft, waiting.ms / 1000);
    case 'REFUSED':
      return toolError(draftFailed(reply.failure));
    case 'JUDGED':
      if (ENDS.has(decisionOf(reply.answer))) runs.ended(draft.runId);
      return draftAnswer(reply.answer, draft, language);
  }
}

/** After these a run takes nothing more. */
const ENDS: ReadonlySet<string> = new Set(['PUBLISH', 'FALLBACK', 'STALE']);

type Refused = { readonly state: 'REFUSED'; readonly failure: Failure };
const PENDING = { state: 'PENDING' } as const;

function replyOf<T>(end: Exclude<CallEnd<T>, { kind: 'busy' }>): T | typeof PENDING {
  return end.kind === 'done' ? end.value : PENDING;
}

/** An error of the table is an answer; the model reads what it says. */
async function orRefused<T>(asked: Promise<T>): Promise<T | Refused | typeof PENDING> {
  try {
    return await asked;
  } catch (error) {
    if (isProoflineError(error, 'PL_TIMEOUT')) return PENDING;
    if (!isProoflineError(error)) throw error;
    const { code, message, retryable } = error;
    return { state: 'REFUSED', failure: { code, message, retryable } };
  }
}

function invalid(problem: string): CallToolResult {
  return toolError(argumentsRefused(problem));
}
