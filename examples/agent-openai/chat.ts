import * as z from 'zod';

/** Chat Completions of any endpoint that is compatible with OpenAI's, by fetch. */

export interface ChatModel {
  /** `https://api.openai.com/v1`, or wherever else. */
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly model: string;
}

export interface ToolCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string }
  | {
      readonly role: 'assistant';
      readonly content: string | null;
      readonly tool_calls?: readonly ToolCall[];
    };

export interface Reply {
  readonly message: Extract<ChatMessage, { role: 'assistant' }>;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
}

const replySchema = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({
          content: z.string().nullish(),
          tool_calls: z
            .array(
              z.object({
                id: z.string(),
                type: z.literal('function'),
                function: z.object({ name: z.string(), arguments: z.string() }),
              }),
            )
            .nullish(),
        }),
      }),
    )
    .min(1),
  usage: z.object({ prompt_tokens: z.number(), completion_tokens: z.number() }).nullish(),
});

export async function chat(
  { baseUrl, apiKey, model }: ChatModel,
  messages: readonly ChatMessage[],
  more: Readonly<Record<string, unknown>>,
): Promise<Reply> {
  const response = await fetch(`${baseUrl.replace(/\/+$/, '')}/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    },
    body: JSON.stringify({ model, messages, ...more }),
    signal: AbortSignal.timeout(120_000),
  });
  if (!response.ok)
    throw new Error(`the model answers HTTP ${response.status}: ${(await response.text()).slice(0, 500)}`);
  const { choices, usage } = replySchema.parse(await response.json());
  const { content, tool_calls: calls } = choices[0]?.message ?? {};
  return {
    message: {
      role: 'assistant',
      content: content ?? null,
      ...(calls === undefined || calls === null || calls.length === 0 ? {} : { tool_calls: calls }),
    },
    inputTokens: usage?.prompt_tokens ?? null,
    outputTokens: usage?.completion_tokens ?? null,
  };
}
