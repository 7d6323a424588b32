/** Where a pattern stands in a text. `from` never falls from one call to the next; −1 when there is no more. */
export type Search = (from: number) => number;

/** Above this product of lengths the engine's own search may be quadratic. */
const LARGE = 1 << 21;

/** Finds every place, overlapping ones too, in time that grows with the lengths and not with their product. */
export function searchFor(pattern: string, text: string): Search {
  if (pattern.length > text.length) return () => -1;
  if (pattern.length * text.length <= LARGE) return (from) => text.indexOf(pattern, from);
  return searchLinearly(pattern, text);
}

/** Knuth, Morris, Pratt; reads on only as far as it is asked. */
export function searchLinearly(pattern: string, text: string): Search {
  const borders = bordersOf(pattern);
  let read = 0;
  let matched = 0;
  let found = -1;

  function advance(): boolean {
    while (read < text.length) {
      const unit = text.charCodeAt(read);
      while (matched > 0 && (matched === pattern.length || pattern.charCodeAt(matched) !== unit))
        matched = borders[matched - 1] ?? 0;
      if (pattern.charCodeAt(matched) === unit) matched += 1;
      read += 1;
      if (matched < pattern.length) continue;
      found = read - pattern.length;
      return true;
    }
    return false;
  }

  return (from) => {
    while (found < from) if (!advance()) return -1;
    return found;
  };
}

/** Of each prefix of the pattern: how long the longest prefix is that it also ends with. */
function bordersOf(pattern: string): Int32Array {
  const borders = new Int32Array(pattern.length);
  let length = 0;
  for (let i = 1; i < pattern.length; i++) {
    while (length > 0 && pattern.charCodeAt(i) !== pattern.charCodeAt(length))
      length = borders[length - 1] ?? 0;
    if (pattern.charCodeAt(i) === pattern.charCodeAt(length)) length += 1;
    borders[i] = length;
  }
  return borders;
}
