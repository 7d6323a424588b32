import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from './services/cache.js';

/** Runs a tool of Kafka's own, in Java, to its end; answers with what it printed. */
export async function kafkaTool(main: string, args: readonly string[], input = ''): Promise<string> {
  const jars = readdirSync(cacheFolder()).find((name) => /^kafka-[\d.]+$/.test(name));
  if (jars === undefined) throw new Error('Kafka is not in the cache');
  const quickStart = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xmx256m'];
  const child = spawn('java', [...quickStart, '-cp', join(cacheFolder(), jars, '*'), main, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (printed += text));
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  if (code !== 0) throw new Error(`${main} ended with ${code ?? 'a signal'}: ${printed.slice(-2000)}`);
  return printed;
}
