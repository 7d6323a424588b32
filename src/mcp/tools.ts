import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import type { JsonObject } from '../contracts/json.js';
import { agentViewJsonSchema } from '../guard/agent-view-schema.js';
import { draftOutputSchema } from '../prompts/draft-output-schema.js';
import type { Language } from '../prompts/language.js';
import { lookupTool } from '../prompts/lookup-tool.js';
import { mcpTool } from '../prompts/tool-definition.js';

export const toolNames = ['lookup_knowledge', 'submit_draft', 'get_draft'] as const;
export type ToolName = (typeof toolNames)[number];

interface DraftToolTexts {
  readonly submit: string;
  readonly draft: string;
  readonly get: string;
  readonly draftId: string;
}

const TEXTS: Readonly<Record<Language, DraftToolTexts>> = {
  en: {
    submit:
      'Hands the report in. Every citation is checked against what the lookups of this run showed. Published, held for a person, or returned with findings: then mend what they name and call it again. The same report is taken only once.',
    draft: 'The report. Its JSON text is taken too.',
    get: 'Tells what became of a report that was handed in with submit_draft.',
    draftId: 'The draft_id that submit_draft answered with.',
  },
  zh: {
    submit:
      '提交报告。每条引用都会与本次运行的检索实际展示的内容对账。结果是发布、挂起等待人工、或附问题清单退回：退回时按清单修改后再次调用。同一份报告只受理一次。',
    draft: '报告。也接受它的 JSON 文本。',
    get: '查看用 submit_draft 提交的报告的处理结果。',
    draftId: 'submit_draft 返回的 draft_id。',
  },
};

/** The three tools as they are listed. */
export function toolList(language: Language): Tool[] {
  const texts = TEXTS[language];
  return [
    {
      ...mcpTool(lookupTool(language)),
      outputSchema: outputSchema(agentViewJsonSchema()),
      annotations: { title: 'Look up knowledge', readOnlyHint: true, openWorldHint: false },
    },
    {
      name: 'submit_draft',
      description: texts.submit,
      inputSchema: argument('draft', { ...draftOutputSchema(), description: texts.draft }),
      outputSchema: outputSchema(DRAFT_OUTCOME),
      annotations: {
        title: 'Hand in the report',
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
    },
    {
      name: 'get_draft',
      description: texts.get,
      inputSchema: argument('draft_id', { type: 'string', description: texts.draftId }),
      outputSchema: outputSchema(DRAFT_OUTCOME),
      annotations: { title: 'See what became of a report', readOnlyHint: true, openWorldHint: false },
    },
  ];
}

function argument(name: string, schema: JsonObject): Tool['inputSchema'] {
  return { type: 'object', properties: { [name]: schema }, required: [name], additionalProperties: false };
}

/** Clients compile it under a dialect of their own choice: nothing in it depends on one. */
function outputSchema({
  $schema: _dialect,
  $id: _id,
  ...schema
}: JsonObject): NonNullable<Tool['outputSchema']> {
  return { ...schema, type: 'object' };
}

const DRAFT_OUTCOME = {
  properties: {
    run_id: { type: 'string' },
    draft_id: { type: 'string' },
    attempt: { type: 'integer', description: 'Number of the draft in the run, from 1.' },
    state: { type: 'string', enum: ['JUDGED', 'PENDING'] },
    decision: {
      type: ['string', 'null'],
      enum: ['PUBLISH', 'REPAIR', 'HOLD', 'FALLBACK', 'STALE', null],
      description: 'Null while it is PENDING.',
    },
    attempts_left: { type: ['integer', 'null'], description: 'Of a REPAIR.' },
    findings: {
      type: 'array',
      description: 'What is wrong; at most 50.',
      items: {
        type: 'object',
        properties: {
          code: { type: 'string' },
          path: { type: 'string', description: 'JSON pointer into the draft.' },
          message: { type: 'string' },
        },
        required: ['code', 'path', 'message'],
      },
    },
  },
  required: ['run_id', 'draft_id', 'attempt', 'state', 'decision', 'attempts_left', 'findings'],
} as const satisfies JsonObject;
