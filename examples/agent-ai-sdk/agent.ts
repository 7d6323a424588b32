import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, jsonSchema, stepCountIs, tool, type ModelMessage } from 'ai';
// In a project of your own: from 'proofline/client' and from 'proofline'.
import type { DraftResult, Run } from 'proofline/client';
import { lookupToolItem, promptRefOf, systemPrompt } from 'proofline/prompts';

/** The agent of ../agent-openai with the Vercel AI SDK, which drives the tools. */

export interface AgentOptions {
  readonly run: Run;
  readonly model: { readonly baseUrl: string; readonly apiKey: string | undefined; readonly model: string };
  readonly question: string;
  readonly say?: (line: string) => void;
}

const MAX_DRAFTS = 6;
const MAX_STEPS = 12;

/** What became of the last draft: PUBLISH, or why there is no report. */
export async function runAgent({
  run,
  model,
  question,
  say = () => undefined,
}: AgentOptions): Promise<DraftResult> {
  const provider = createOpenAICompatible({
    name: 'model',
    baseURL: model.baseUrl,
    ...(model.apiKey === undefined ? {} : { apiKey: model.apiKey }),
  });
  const system = systemPrompt('en');
  const messages: ModelMessage[] = [{ role: 'user', content: question }];

  for (let draft = 0; draft < MAX_DRAFTS; draft++) {
    const { text, response, totalUsage } = await generateText({
      model: provider(model.model),
      system: system.text,
      messages,
      tools: { lookup_knowledge: lookupKnowledge(run, say) },
      stopWhen: stepCountIs(MAX_STEPS),
    });
    messages.push(...response.messages);
    const { inputTokens = null, outputTokens = null } = totalUsage;
    const result = await run.submitDraft(text, {
      prompt: promptRefOf(system),
      generation: { model: model.model, inputTokens, outputTokens },
    });
    say(`draft: ${result.decision}`);
    if (result.decision !== 'REPAIR') return result;
    messages.push({ role: 'user', content: result.repair.promptEn });
  }
  say('the model does not come to an end');
  return run.giveUp();
}

function lookupKnowledge(run: Run, say: (line: string) => void) {
  const { description, parameters } = lookupToolItem('en').tool;
  return tool({
    description,
    inputSchema: jsonSchema<{ query: string }>(parameters),
    async execute({ query }, { toolCallId, abortSignal }) {
      const result = await run.lookup(query, {
        toolCallId,
        ...(abortSignal === undefined ? {} : { signal: abortSignal }),
      });
      say(`lookup ${result.toolCallId}: ${result.state}`);
      switch (result.state) {
        case 'READY':
          return result.agentView;
        case 'REFUSED':
          return result.text.en;
        case 'FAILED':
          return `The lookup failed and cannot be cited: ${result.message}`;
        case 'PENDING':
          return 'The lookup has no answer yet and cannot be cited.';
      }
    },
    // The text as it is: as JSON it would be escaped once more.
    toModelOutput: ({ output }) => ({ type: 'text', value: output }),
  });
}
