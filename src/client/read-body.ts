import { clientError } from './api-error.js';

/**
 * The bytes of an answer's body, and no more than may come: what a gateway, or whoever answers in its place, sends is
 * not believed to be small.
 * @throws ProoflineApiError PL_GATEWAY_ANSWER when it is larger
 */
export async function readBody(response: Response, maxBytes: number): Promise<Uint8Array> {
  const reader = readerOf(response);
  if (reader === undefined) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return joined(chunks, bytes);
    bytes += value.length;
    if (bytes > maxBytes) {
      await reader.cancel();
      throw clientError('PL_GATEWAY_ANSWER', { problem: `it is larger than ${maxBytes} bytes` });
    }
    chunks.push(value);
  }
}

/** The body as it comes; undefined where there is none. */
export function readerOf({ body }: Response): ReadableStreamDefaultReader<Uint8Array> | undefined {
  return body?.getReader() as ReadableStreamDefaultReader<Uint8Array> | undefined;
}

function joined(chunks: readonly Uint8Array[], bytes: number): Uint8Array {
  const all = new Uint8Array(bytes);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

/** @throws ProoflineApiError PL_GATEWAY_ANSWER for bytes that are no UTF-8 */
export function textOfBody(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw clientError('PL_GATEWAY_ANSWER', { problem: 'it is no UTF-8' }, { cause: error });
  }
}

/** SHA-256, lower-case hex. */
export async function sha256Hex(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', bytes);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
