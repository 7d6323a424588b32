import type { AddCommand, CommandContext } from '../command.js';
import type { McpOptions } from '../mcp/run-mcp.js';

const HELP = `
Examples:
  proofline mcp                                 serve the client that started this process, over stdin and stdout
  proofline mcp --url http://127.0.0.1:8080     the same, asking a gateway (PROOFLINE_URL, PROOFLINE_TOKEN)
  proofline mcp --http 8090                     serve http://127.0.0.1:8090/mcp
  proofline mcp --http 0.0.0.0:8090             for others, who need the token of PROOFLINE_MCP_TOKEN

Clients get three tools: lookup_knowledge, submit_draft and get_draft. Without --url it asks the line in Kafka where
brokers are named, else that of the data folder: the one that runs, or one in this process.
A session has a run of its own, and a new one after each report; --run fixes it. Logs go to standard error.
`;

export const addMcp: AddCommand = (program, context) => {
  program
    .command('mcp')
    .description('give a model the line as tools, over the Model Context Protocol')
    .option('--http <[HOST:]PORT>', 'serve Streamable HTTP there, instead of standard input and output')
    .option('--url <URL>', 'the gateway to ask')
    .option('--token <TOKEN>', 'its bearer token; better in PROOFLINE_TOKEN, where other users do not see it')
    .option('--run <ID>', 'the run that everything belongs to')
    .option('--run-prefix <PREFIX>', 'what ids of made up runs begin with', 'mcp-')
    .option('--lang <LANG>', 'en or zh: instructions, descriptions and repair prompts', 'en')
    .option('--wait <SECONDS>', 'how long a call waits for its answer', '25')
    .option('--allow-host <NAME>', 'a name that clients reach it by; may be repeated', collected, [])
    .option('--allow-origin <ORIGIN>', 'a page in a browser that may use it; may be repeated', collected, [])
    .addHelpText('after', HELP)
    .action((options: McpOptions) => mcp(options, context));
};

function collected(value: string, before: readonly string[]): string[] {
  return [...before, value];
}

async function mcp(options: McpOptions, context: CommandContext): Promise<void> {
  const { runMcp } = await import('../mcp/run-mcp.js');
  await runMcp(options, context);
}
