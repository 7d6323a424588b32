import * as z from 'zod';

/** What a chat completion says: the text of its first choice, and the tokens that it took. */
export interface Completion {
  readonly text: string;
  /** Null where it does not say. */
  readonly tokens: number | null;
}

const MOST_TOKENS = 1_000_000_000;

const completionSchema = z.object({
  choices: z.array(z.unknown()).min(1),
  usage: z
    .object({ total_tokens: z.int().min(0).max(MOST_TOKENS) })
    .nullish()
    .catch(null),
});

const choiceSchema = z.object({ message: z.object({ content: z.string() }) });

/** The completion, or what is wrong with it. Whatever else it holds is not looked at. */
export function readCompletion(json: unknown): Completion | { readonly problem: string } {
  const completion = completionSchema.safeParse(json);
  if (!completion.success) return { problem: 'it is no chat completion' };
  const choice = choiceSchema.safeParse(completion.data.choices[0]);
  if (!choice.success) return { problem: 'it is a chat completion without a text' };
  return { text: choice.data.message.content, tokens: completion.data.usage?.total_tokens ?? null };
}
