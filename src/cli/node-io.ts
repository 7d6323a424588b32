import { ProoflineError } from '../contracts/errors.js';
import type { CliIo } from './io.js';

/** The process's own streams, environment and signals. */
export function nodeIo(): CliIo {
  const stopping = new AbortController();
  stopOnSignals(stopping);
  for (const stream of [process.stdout, process.stderr]) endWithReader(stream, stopping);
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    stdin: (maxBytes) => readAll(process.stdin, maxBytes),
    interactive: process.stdout.isTTY && process.stderr.isTTY,
    env: process.env,
    signal: stopping.signal,
    onHangUp(callback) {
      process.on('SIGHUP', callback);
      return () => void process.off('SIGHUP', callback);
    },
  };
}

/** 128 and the number of SIGINT: what a shell expects of who was interrupted at once. */
const INTERRUPTED = 130;

/** The first signal asks to stop, the second does not ask. */
function stopOnSignals(stopping: AbortController): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stopping.signal.aborted) process.exit(INTERRUPTED);
      stopping.abort(new Error(`stopped by ${signal}`));
    });
  }
}

/** `proofline … | head` is no fault: whoever wrote on for a closed pipe may stop. */
function endWithReader(stream: NodeJS.WriteStream, stopping: AbortController): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    stopping.abort(new Error('nobody reads the output any more'));
  });
}

async function readAll(stream: AsyncIterable<Buffer>, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > maxBytes)
      throw new ProoflineError('PL_INPUT_INVALID', {
        problem: `standard input has more than ${maxBytes} bytes`,
      });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
