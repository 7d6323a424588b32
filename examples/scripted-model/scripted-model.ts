import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import * as z from 'zod';

/**
 * A model that replays a script, behind the Chat Completions API: for trying an agent's loop without an account, and
 * the same each time. Which turn it is, it tells from the conversation, so that any number of agents can talk to it.
 */

const scriptSchema = z.strictObject({
  model: z.string(),
  turns: z.array(
    z.strictObject({
      /** What the last message must match (a regular expression): a model answers what it is told. */
      when: z.string(),
      tool_calls: z
        .array(z.strictObject({ id: z.string(), name: z.string(), arguments: z.looseObject({}) }))
        .optional(),
      /** A file beside the script whose text is the answer. */
      content_file: z.string().optional(),
    }),
  ),
});

const requestSchema = z.looseObject({
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })).min(1),
  stream: z.boolean().nullish(),
});

type Script = z.infer<typeof scriptSchema>;
type ChatRequest = z.infer<typeof requestSchema>;

export interface ScriptedModel {
  /** What an agent takes as its base URL. */
  readonly url: string;
  /** The requests that came, oldest first. */
  readonly requests: readonly ChatRequest[];
  close(): Promise<void>;
}

const MAX_REQUEST_BYTES = 4 * 1024 * 1024;

/** @param port 0 takes a free one */
export async function startScriptedModel(scriptFile: string, port = 0): Promise<ScriptedModel> {
  const script = scriptSchema.parse(JSON.parse(readFileSync(scriptFile, 'utf8')));
  const contentOf = (file: string): string => readFileSync(join(dirname(scriptFile), file), 'utf8');
  const requests: ChatRequest[] = [];
  const server = createServer((request, response) => {
    void answer(request, script, contentOf, requests).then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  await listen(server, port);
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${taken}/v1`,
    requests,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

interface HttpAnswer {
  readonly status: number;
  readonly body: unknown;
}

async function answer(
  request: IncomingMessage,
  script: Script,
  contentOf: (file: string) => string,
  requests: ChatRequest[],
): Promise<HttpAnswer> {
  try {
    if (request.method !== 'POST' || request.url !== '/v1/chat/completions')
      return refusal(404, `there is no ${request.method ?? ''} ${request.url ?? ''}`);
    const parsed = requestSchema.safeParse(JSON.parse(await bodyOf(request)));
    if (!parsed.success) return refusal(400, z.prettifyError(parsed.error));
    requests.push(parsed.data);
    return completion(parsed.data, script, contentOf);
  } catch (error) {
    return refusal(400, error instanceof Error ? error.message : 'unusable');
  }
}

function completion(
  { messages, stream }: ChatRequest,
  script: Script,
  contentOf: (file: string) => string,
): HttpAnswer {
  if (stream === true) return refusal(400, 'this model does not stream');
  const number = messages.filter(({ role }) => role === 'assistant').length;
  const turn = script.turns[number];
  if (turn === undefined)
    return refusal(400, `the script has ${script.turns.length} turns, and this is the next`);
  const told = textOf(messages.at(-1)?.content);
  if (!new RegExp(turn.when).test(told))
    return refusal(
      400,
      `turn ${number + 1} answers to ${turn.when}, and the last message is: ${told.slice(0, 200)}`,
    );
  const calls = turn.tool_calls?.map(({ id, name, arguments: args }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }));
  const content = turn.content_file === undefined ? null : contentOf(turn.content_file);
  return {
    status: 200,
    body: {
      id: `chatcmpl-scripted-${number + 1}`,
      object: 'chat.completion',
      created: 0,
      model: script.model,
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content, ...(calls === undefined ? {} : { tool_calls: calls }) },
          finish_reason: calls === undefined ? 'stop' : 'tool_calls',
        },
      ],
      usage: { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 },
    },
  };
}

/** Text, or parts of it. */
function textOf(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content ?? '');
}

function refusal(status: number, message: string): HttpAnswer {
  return { status, body: { error: { message, type: 'invalid_request_error' } } };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_REQUEST_BYTES) throw new Error('the request is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
}
