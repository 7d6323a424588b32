/** What places in a text count. Slicing a JavaScript string takes UTF-16; other languages count otherwise. */
export type OffsetUnit = 'utf16' | 'code_points' | 'utf8_bytes';

/**
 * Turns places (UTF-16, inside a well-formed text) into those of another unit. Places that are asked for in order take
 * one pass over the text; one that lies before the last begins again.
 */
export function offsetsIn(text: string, unit: OffsetUnit): (utf16: number) => number {
  if (unit === 'utf16') return (utf16) => utf16;
  const weigh = unit === 'code_points' ? () => 1 : utf8Bytes;
  let at = 0;
  let counted = 0;
  return (utf16) => {
    if (utf16 < at) at = counted = 0;
    while (at < utf16) {
      const point = text.codePointAt(at) ?? 0;
      counted += weigh(point);
      at += point > 0xffff ? 2 : 1;
    }
    return counted;
  };
}

function utf8Bytes(point: number): number {
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point < 0x10000 ? 3 : 4;
}
