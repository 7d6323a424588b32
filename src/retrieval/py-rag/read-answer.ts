import { parseJson } from '../../contracts/json.js';

/** The JSON of a response, or what is wrong with it as an answer of py-rag. */
export type Answer = { readonly json: unknown } | { readonly problem: string };

/**
 * Reads a 2xx response: JSON in UTF-8, uncompressed (nothing else was asked for), at most `maxBytes`.
 * Rejects only when the connection breaks. What is not read is left to the caller, who aborts the request.
 */
export async function readAnswer(response: Response, maxBytes: number): Promise<Answer> {
  const problem = headerProblem(response.headers, maxBytes);
  if (problem !== null) return { problem };
  const bytes = await readBounded(response.body, maxBytes);
  if (bytes === null) return { problem: tooLarge(maxBytes) };
  const text = decodeUtf8(bytes);
  if (text === null) return { problem: 'it is not UTF-8' };
  const json = parseJson(text);
  return json === undefined ? { problem: 'it is not JSON' } : { json };
}

function headerProblem(headers: Headers, maxBytes: number): string | null {
  const type = mediaType(headers.get('content-type'));
  if (type !== null && !/^application\/([a-z0-9.-]+\+)?json$/.test(type))
    return `its type is ${type}, not JSON`;
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity';
  if (encoding !== 'identity' && encoding !== '') return 'it is compressed, which was not asked for';
  return Number(headers.get('content-length') ?? 0) > maxBytes ? tooLarge(maxBytes) : null;
}

/** The type without its parameters, with nothing in it that could not stand in a log. */
function mediaType(header: string | null): string | null {
  const type = header?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (type === '') return null;
  return /^[a-z0-9.+-]{1,60}\/[a-z0-9.+-]{1,60}$/.test(type) ? type : 'malformed';
}

function tooLarge(maxBytes: number): string {
  return `it is larger than ${maxBytes} bytes`;
}

/** The whole body, or null as soon as it turns out to be larger than `maxBytes`, whatever its headers said. */
async function readBounded(body: Response['body'], maxBytes: number): Promise<Buffer | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (body !== null) {
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      size += chunk.byteLength;
      if (size > maxBytes) return null;
      chunks.push(chunk);
    }
  }
  return Buffer.concat(chunks, size);
}

function decodeUtf8(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
