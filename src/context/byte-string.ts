const ASCII = /^[\x00-\x7f]*$/;
const encoder = new TextEncoder();
/** Filled again by each call; as long as a call may have arguments. */
const buffer = new Uint8Array(8192);

/** The text's UTF-8 bytes as a string of one character a byte. The text is well-formed. */
export function byteString(text: string): string {
  if (ASCII.test(text)) return text;
  let bytes = '';
  for (let at = 0; at < text.length;) {
    const { read, written } = encoder.encodeInto(at === 0 ? text : text.slice(at), buffer);
    bytes += String.fromCharCode(...buffer.subarray(0, written));
    at += read;
  }
  return bytes;
}
