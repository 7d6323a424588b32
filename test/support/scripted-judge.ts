import type { JudgeQuestion } from '../../src/judge/judge.js';
import { playJson, startPyRagServer, type Play, type PyRagRequest } from './py-rag-server.js';

/** An OpenAI-compatible endpoint over real HTTP that says what a test tells it to: well, or badly. */
export interface ScriptedJudge {
  /** The base address of its API. */
  readonly url: string;
  readonly requests: readonly PyRagRequest[];
  /** What requests get from now on: one play each, the last one for all that follow. */
  play(...plays: readonly Play[]): void;
  /** The address then refuses. */
  close(): Promise<void>;
}

export async function startScriptedJudge(...plays: readonly Play[]): Promise<ScriptedJudge> {
  const server = await startPyRagServer(...plays);
  return { ...server, url: new URL('/v1', server.url).href };
}

/** What a model says, as a chat completion. */
export function says(content: unknown, more: Readonly<Record<string, unknown>> = {}): Play {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return playJson({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    model: 'scripted',
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: text } }],
    usage: { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 },
    ...more,
  });
}

/** Says the same of every statement that it is asked about. */
export function saysOfAll(supported: unknown, more: Readonly<Record<string, unknown>> = {}): Play {
  return (response, request) => says(opinionOnAll(statementsIn(request), supported, more))(response, request);
}

/** An opinion as the prompt asks for one. */
export function opinionOnAll(
  statements: number,
  supported: unknown,
  more: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return {
    claims: Array.from({ length: statements }, (_, i) => ({ id: i + 1, supported, why: 'E1 says so.' })),
    faithfulness_score: supported === 'yes' ? 1 : 0,
    context_relevance_score: 0.9,
    answer_relevance_score: 0.8,
    abstained: false,
    reason: 'It was compared.',
    ...more,
  };
}

/** The text of the user's message. */
export function askedIn({ body }: PyRagRequest): string {
  const { messages } = body as { messages: readonly { role: string; content: string }[] };
  return messages.find(({ role }) => role === 'user')?.content ?? '';
}

function statementsIn(request: PyRagRequest): number {
  const lines = askedIn(request).split('\nSTATEMENTS\n').at(-1) ?? '';
  return lines.match(/^\d+ "/gm)?.length ?? 0;
}

/** An answer of two statements, and evidence that says both. */
export const judgeQuestion: JudgeQuestion = {
  query: 'Why does the gateway time out?',
  answer: 'The upstream closes after 30 s. The gateway waits for 60 s.',
  context: '',
  hits: [
    { evidenceKey: 'gateway#chunk-1', content: 'The upstream closes idle connections after 30 s.' },
    { evidenceKey: 'gateway#chunk-2', content: 'The gateway waits for 60 s.' },
  ],
};
