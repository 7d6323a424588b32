import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { expect } from 'vitest';
import { callTool, texts } from './mcp.js';

/** What a model does with the tools: it asks, hands in a forged report, reads what is wrong, and hands in a true one. */
export async function tellStory(client: Client): Promise<{ readonly runId: string; readonly view: string }> {
  const asked = await callTool(client, 'lookup_knowledge', { query: 'gateway timeout' });
  expect(asked.isError).toBeUndefined();
  const [view = ''] = texts(asked);
  expect(asked.structuredContent).toEqual(JSON.parse(view));
  const { tool_call_id: call, evidence } = asked.structuredContent as unknown as View;
  const [item] = evidence;

  const forged = await callTool(client, 'submit_draft', {
    draft: report('call_forged', 'forged-md#chunk-9', 'The moon.'),
  });
  expect(forged.isError).toBe(true);
  expect(forged.structuredContent).toMatchObject({ decision: 'REPAIR', state: 'JUDGED' });
  expect(texts(forged)[0]).toContain('call_forged');

  const sentence = 'A gateway timeout means that the upstream was slow: check its pool.';
  const published = await callTool(client, 'submit_draft', {
    draft: report(call, item!.document_id, sentence),
  });
  expect(texts(published)[0]).toMatch(/^PUBLISH/);
  const { run_id: runId, draft_id: draftId } = published.structuredContent as {
    run_id: string;
    draft_id: string;
  };
  const again = await callTool(client, 'get_draft', { draft_id: draftId });
  expect(again.structuredContent).toEqual(published.structuredContent);
  return { runId, view };
}

interface View {
  readonly tool_call_id: string;
  readonly evidence: readonly { readonly document_id: string }[];
}

function report(call: string, document: string, text: string): unknown {
  const analysis = { id: 'a1', kind: 'NORMAL', text, tool_call_ids: [call], document_ids: [document] };
  return {
    analysis: [{ ...analysis, quotes: [] }],
    conclusion: { text, based_on_analysis_ids: ['a1'] },
    action_plan: [],
    limitations: ['Only the runbooks were looked at.'],
  };
}
