import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { isJsonObject, parseJson, type JsonObject } from '../contracts/json.js';
import type { Language } from '../prompts/language.js';
import { quotedData } from '../repair/quoted-data.js';
import type { DraftAnswer, LookupReply, ReadyLookup } from './agent-line.js';
import type { KnownDraft } from './runs.js';
import {
  decisionTexts,
  draftPending,
  gainNotice,
  handInHere,
  lookupFailed,
  lookupPending,
  type Decision,
} from './texts.js';

/** What the tools answer with. */

/** An answer that says no: the model reads it and acts on it. */
export function toolError(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] };
}

/** Where programs find what belongs to an answer and is not for the model. */
const META = 'dev.proofline/lookup';

interface LookupName {
  readonly runId: string;
  readonly toolCallId: string;
}

export function lookupAnswer(reply: LookupReply, lookup: LookupName, waitSeconds: number): CallToolResult {
  switch (reply.state) {
    case 'READY':
      return readyAnswer(reply, lookup);
    case 'REFUSED':
      return { ...toolError(lookupFailed(reply.failure)), _meta: { [META]: metaOf(lookup, reply.failure) } };
    case 'PENDING':
      return { ...toolError(lookupPending(waitSeconds)), _meta: { [META]: metaOf(lookup, {}) } };
  }
}

/** The first block is the view, to the byte; what is said about it stands behind it. */
function readyAnswer({ agentView, ...reply }: ReadyLookup, lookup: LookupName): CallToolResult {
  const notice = gainNotice(reply.gain);
  const facts = {
    gain: reply.gain,
    repeat: reply.repeat,
    agent_view_sha256: reply.agentViewSha256,
    expires_at: reply.expiresAt,
  };
  return {
    content: [
      { type: 'text', text: agentView },
      ...(notice === null ? [] : [{ type: 'text' as const, text: notice }]),
    ],
    structuredContent: { ...(parseJson(agentView) as JsonObject) },
    _meta: { [META]: metaOf(lookup, facts) },
  };
}

function metaOf({ runId, toolCallId }: LookupName, facts: object): JsonObject {
  return { run_id: runId, tool_call_id: toolCallId, ...facts };
}

/** The answer to `submit_draft` and `get_draft` while there is no decision. */
export function draftPendingAnswer(draft: KnownDraft, waitSeconds: number): CallToolResult {
  return {
    ...toolError(draftPending(draft.draftId, waitSeconds)),
    structuredContent: { ...structureOf(draft), state: 'PENDING' },
  };
}

/** Findings that are shown at most. */
const FINDINGS_SHOWN = 50;

/** What became of a draft. Whatever asks the model to do something, or ends its hopes, is a tool error. */
export function draftAnswer(answer: DraftAnswer, draft: KnownDraft, language: Language): CallToolResult {
  const decision = decisionOf(answer);
  const findings = findingsOf(answer);
  const attemptsLeft = numberOf(answer.repair?.['attempts_left']);
  return {
    isError: decision !== 'PUBLISH' && decision !== 'HOLD',
    content: [{ type: 'text', text: draftText(answer, decision, findings, draft, language) }],
    structuredContent: {
      ...structureOf({ ...draft, attempt: numberOf(answer.verdict['attempt']) ?? draft.attempt }),
      state: 'JUDGED',
      decision,
      attempts_left: attemptsLeft,
      findings,
    },
  };
}

function structureOf({ runId, draftId, attempt }: KnownDraft): Record<string, unknown> {
  return { run_id: runId, draft_id: draftId, attempt, decision: null, attempts_left: null, findings: [] };
}

/** The decision of the record; one that this version does not know publishes nothing. */
export function decisionOf({ reviewed }: DraftAnswer): Decision {
  const decision = String(reviewed['decision']);
  return Object.hasOwn(decisionTexts, decision) ? (decision as Decision) : 'HOLD';
}

interface Finding {
  readonly code: string;
  readonly path: string;
  readonly message: string;
}

function findingsOf({ verdict, reviewed, repair }: DraftAnswer): Finding[] {
  const listed = repair?.['findings'] ?? [
    ...objectsIn(verdict['violations']),
    ...objectsIn(reviewed['findings']).filter(({ status }) => status !== 'SUPPORTED'),
  ];
  return objectsIn(listed)
    .slice(0, FINDINGS_SHOWN)
    .map(({ code, status, path, message, reason }) => ({
      code: textOf(code ?? status),
      path: textOf(path),
      message: textOf(message ?? reason),
    }));
}

function draftText(
  { repair }: DraftAnswer,
  decision: Decision,
  findings: readonly Finding[],
  { draftId }: KnownDraft,
  language: Language,
): string {
  const named = `${decision} (draft_id ${draftId})`;
  const prompt = repair?.[`prompt_${language}`];
  if (decision === 'REPAIR' && typeof prompt === 'string')
    return [named, prompt, handInHere[language]].join('\n');
  const lines = findings.map(findingLine);
  const shown = decision === 'PUBLISH' ? [] : lines;
  return [named, decisionTexts[decision][language], ...shown].join('\n');
}

const PATH_CHARS = 200;
const MESSAGE_CHARS = 500;

/** A message may hold words of documents, of a judge or of a person: they stand in it as data. */
function findingLine({ code, path, message }: Finding): string {
  return `- ${code} ${quotedData(path, PATH_CHARS)}: ${quotedData(message, MESSAGE_CHARS)}`;
}

function objectsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
