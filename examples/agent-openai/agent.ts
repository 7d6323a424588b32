// In a project of your own: from 'proofline/client' and from 'proofline'.
import type { DraftResult, Run } from 'proofline/client';
import {
  draftSchemaItem,
  lookupToolItem,
  openAiResponseFormat,
  openAiTool,
  promptRefOf,
  systemPrompt,
  type Language,
} from 'proofline/prompts';
import { chat, type ChatMessage, type ChatModel, type ToolCall } from './chat.js';

/** An agent: it asks the knowledge base, writes a report, and mends what the report is sent back for. */

export interface AgentOptions {
  readonly run: Run;
  readonly model: ChatModel;
  readonly question: string;
  readonly language?: Language;
  /** Told of each step, for a person. */
  readonly say?: (line: string) => void;
}

/** Replies of the model at most, so that one that goes in circles ends. */
const MAX_TURNS = 20;
/** An id that the line takes as it is; another one is replaced. */
const USABLE_ID = /^[A-Za-z0-9][A-Za-z0-9._:@=+-]{0,127}$/;

/** What became of the last draft: PUBLISH, or why there is no report. */
export async function runAgent(options: AgentOptions): Promise<DraftResult> {
  const { run, model, question, language = 'en', say = () => undefined } = options;
  const system = systemPrompt(language);
  const tools = {
    tools: [openAiTool(lookupToolItem(language).tool)],
    response_format: openAiResponseFormat(draftSchemaItem()),
  };
  const messages: ChatMessage[] = [
    { role: 'system', content: system.text },
    { role: 'user', content: question },
  ];

  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const { message, inputTokens, outputTokens } = await chat(model, messages, tools);
    messages.push(message);
    if (message.tool_calls !== undefined) {
      for (const call of message.tool_calls) messages.push(await answerCall(run, call, language, say));
      continue;
    }
    const result = await run.submitDraft(message.content ?? '', {
      prompt: promptRefOf(system),
      generation: { model: model.model, inputTokens, outputTokens },
    });
    say(`draft: ${result.decision}`);
    if (result.decision !== 'REPAIR') return result;
    messages.push({
      role: 'user',
      content: language === 'zh' ? result.repair.promptZh : result.repair.promptEn,
    });
  }
  say('the model does not come to an end');
  return run.giveUp();
}

async function answerCall(
  run: Run,
  { id, function: { name, arguments: args } }: ToolCall,
  language: Language,
  say: (line: string) => void,
): Promise<ChatMessage> {
  const reply = (content: string): ChatMessage => ({ role: 'tool', tool_call_id: id, content });
  const query = queryIn(args);
  if (name !== 'lookup_knowledge' || query === null)
    return reply('There is one tool, lookup_knowledge, and it takes {"query": "…"}.');
  const result = await run.lookup(query, USABLE_ID.test(id) ? { toolCallId: id } : {});
  say(`lookup ${result.toolCallId}: ${result.state}`);
  switch (result.state) {
    case 'READY':
      // To the letter: the draft is checked against these bytes.
      return reply(result.agentView);
    case 'REFUSED':
      return reply(result.text[language]);
    case 'FAILED':
      return reply(result.text?.[language] ?? `The lookup failed and cannot be cited: ${result.message}`);
    case 'PENDING':
      return reply('The lookup has no answer yet and cannot be cited.');
  }
}

/** The model wrote the arguments; it may have written anything. */
function queryIn(args: string): string | null {
  try {
    const { query } = JSON.parse(args) as { query?: unknown };
    return typeof query === 'string' ? query : null;
  } catch {
    return null;
  }
}
