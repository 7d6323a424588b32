import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

/**
 * The three tools over MCP, as a model would call them: it asks, hands in a report with an invented source, reads what
 * is wrong with it, and hands in a true one. Prints what the model reads.
 *
 *   npx tsx examples/mcp-client/main.ts [ARGUMENT of proofline mcp …]
 */

interface AgentView {
  readonly tool_call_id: string;
  readonly evidence: readonly { readonly document_id: string; readonly excerpt: string }[];
}

/** As an MCP client's configuration says it, for a checkout: `proofline mcp`. */
const server = new StdioClientTransport({
  command: 'npm',
  args: ['run', '-s', 'proofline', '--', 'mcp', ...process.argv.slice(2)],
  stderr: 'inherit',
});
const client = new Client({ name: 'mcp-client-example', version: '1.0.0' });
await client.connect(server);
try {
  const { tools } = await client.listTools();
  process.stdout.write(`tools: ${tools.map(({ name }) => name).join(', ')}\n`);

  const view = JSON.parse(
    await call('lookup_knowledge', {
      query: 'gateway answers 504, is the upstream waiting for a connection',
    }),
  ) as AgentView;
  const [shown] = view.evidence;
  if (shown === undefined)
    throw new Error('Nothing was found: is the line running with --docs examples/docs?');

  await call('submit_draft', { draft: report(view.tool_call_id, 'order-service-sizing#chunk-1') });
  await call('submit_draft', { draft: report(view.tool_call_id, shown.document_id) });
} finally {
  await client.close();
}

/** Answers with the first text block, which is all that a model must read. */
async function call(name: string, args: Record<string, unknown>): Promise<string> {
  const { content, isError } = await client.callTool({ name, arguments: args });
  const [block] = content as readonly { readonly text?: string }[];
  process.stdout.write(`\n${name}${isError === true ? ' (an error)' : ''}:\n${block?.text ?? ''}\n`);
  return block?.text ?? '';
}

function report(toolCallId: string, documentId: string): object {
  const text = 'The gateway timed out while it waited for its upstream.';
  return {
    analysis: [
      { id: 'a1', kind: 'NORMAL', text, tool_call_ids: [toolCallId], document_ids: [documentId], quotes: [] },
    ],
    conclusion: { text, based_on_analysis_ids: ['a1'] },
    action_plan: [],
    limitations: ['Only the runbooks were looked at.'],
  };
}
