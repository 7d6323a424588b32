import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

/** How `proofline ARGV` is started as a process. */
export function command(...argv: readonly string[]): { command: string; args: string[] } {
  return { command: process.execPath, args: ['--import', 'tsx', main, ...argv] };
}

/** The official client of a `proofline mcp` that it starts as a process of its own. */
export async function stdioClient(
  ...argv: readonly string[]
): Promise<{ readonly client: Client; readonly err: () => string; readonly pid: number }> {
  const transport = new StdioClientTransport({ ...command('mcp', ...argv), stderr: 'pipe' });
  let err = '';
  transport.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  await client.listTools();
  return { client, err: () => err, pid: transport.pid ?? 0 };
}
