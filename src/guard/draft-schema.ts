import * as z from 'zod';
import { isBlank } from '../text/text.js';
import { defaultGuardLimits, type GuardLimits } from './limits.js';

/**
 * The draft as JSON has it. The JSON Schema that agents are handed is generated from this, so what a schema
 * can say is said here; that a key stands once, that the text is not too long and that not too many different
 * calls are cited is checked beside it.
 */

// `\S` is what every JSON Schema validator understands; characters that only look empty are refined.
const analysisId = z
  .string()
  .regex(/\S/, { abort: true })
  .refine((id) => !isBlank(id))
  .describe('Name of this analysis inside the draft; not blank, used once.');

function buildDraftSchema(limits: GuardLimits) {
  const ids = (doc: string) => z.array(z.string()).max(limits.idsPerList).optional().describe(doc);
  const quote = z
    .strictObject({
      document_id: z.string().describe('The document_id of the evidence that is quoted, exactly as shown.'),
      text: z.string().nullish().describe('The quoted words, as the excerpt has them.'),
      prefix: z.string().nullish().describe('Words right before them, where they stand in several places.'),
      suffix: z.string().nullish().describe('Words right after them, where they stand in several places.'),
    })
    .describe('Words quoted from shown evidence.');
  const analysis = z
    .strictObject({
      id: analysisId,
      kind: z
        .enum(['NORMAL', 'NEGATIVE_OBSERVATION'])
        .describe(
          'NORMAL rests on evidence that was found, NEGATIVE_OBSERVATION on lookups that found none.',
        ),
      text: z.string().nullish().describe('What this step of the report says; not blank.'),
      tool_call_ids: ids('The lookups that it rests on; at least one, all of this run.'),
      document_ids: ids('The document_id of each piece of evidence that it cites, exactly as shown.'),
      quotes: z
        .array(quote)
        .max(limits.quotesPerAnalysis)
        .optional()
        .describe('Words quoted from the evidence that it cites.'),
    })
    .describe('One step of the report.');
  const statement = (doc: string) =>
    z
      .strictObject({
        text: z.string().nullish().describe('What it says; not blank.'),
        based_on_analysis_ids: ids('The ids of the analyses that it rests on; at least one.'),
      })
      .describe(doc);
  return z
    .strictObject({
      analysis: z.array(analysis).max(limits.analyses).describe('The steps of the report.'),
      conclusion: statement('What follows from the analyses.')
        .nullable()
        .describe('The conclusion; null where the evidence was not enough.'),
      action_plan: z
        .array(statement('One thing to do.'))
        .max(limits.actions)
        .describe('What should be done.'),
      limitations: z
        .array(z.string())
        .max(limits.limitations)
        .optional()
        .describe('What was not looked at or is not known; at least one that is not blank.'),
    })
    .describe("A model's structured report. It cites lookups by tool_call_id and evidence by document_id.");
}

export type DraftSchema = ReturnType<typeof buildDraftSchema>;

/** A draft that fits the schema, with the names that JSON has. */
export type DraftJson = z.output<DraftSchema>;

const built = new WeakMap<GuardLimits, DraftSchema>();

/** The zod schema of a draft under these limits; built once for each limits object. */
export function draftSchema(limits: GuardLimits = defaultGuardLimits): DraftSchema {
  let schema = built.get(limits);
  if (schema === undefined) {
    schema = buildDraftSchema(limits);
    built.set(limits, schema);
  }
  return schema;
}

/** The draft's JSON Schema (draft 2020-12) under the default limits. */
export function draftJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(draftSchema(), { io: 'input' });
  return { $schema, $id: 'urn:proofline:schema:draft.v1', title: 'Draft', ...schema };
}
