import { parseJson } from '../contracts/json.js';
import { pointerToForeign } from './pointer.js';

/**
 * What `JSON.parse` cannot tell: whether an object has a key twice, and how deep the text nests. One pass,
 * no recursion, linear in the text. The text need not be JSON: whoever parses it afterwards finds that out.
 */
export interface JsonScan {
  /** True when arrays and objects nest deeper than allowed; the scan ends there. */
  readonly tooDeep: boolean;
  /** JSON pointers of the keys that stand more than once in their object, each named once. */
  readonly duplicates: readonly string[];
}

/** An object or array that is open where the scan stands. */
interface Frame {
  /** Of an object: each key so far, and whether it was named as a duplicate. Null for an array. */
  readonly keys: Map<string, boolean> | null;
  /** The key or index of the member that the scan stands in. */
  member: string | number;
  /** In an object: the next string is a key. */
  expectsKey: boolean;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

export function scanJson(text: string, maxDepth: number): JsonScan {
  const frames: Frame[] = [];
  const duplicates: string[] = [];
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case QUOTE: {
        const end = stringEnd(text, i);
        if (frames.at(-1)?.expectsKey) noteKey(frames, text.slice(i + 1, end), duplicates);
        i = end;
        break;
      }
      case OPEN_OBJECT:
        frames.push({ keys: new Map(), member: '', expectsKey: true });
        break;
      case OPEN_ARRAY:
        frames.push({ keys: null, member: 0, expectsKey: false });
        break;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        frames.pop();
        break;
      case COMMA:
        nextMember(frames.at(-1));
        break;
    }
    if (frames.length > maxDepth) return { tooDeep: true, duplicates };
  }
  return { tooDeep: false, duplicates };
}

/** Index of the quote that ends the string which begins at `start`; the text's length when none does. */
function stringEnd(text: string, start: number): number {
  let end = start;
  do {
    end = text.indexOf('"', end + 1);
    if (end < 0) return text.length;
  } while (isEscaped(text, end));
  return end;
}

/** An odd number of backslashes before it. The string's own opening quote stops the count. */
function isEscaped(text: string, index: number): boolean {
  let first = index;
  while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  return (index - first) % 2 === 1;
}

function noteKey(frames: readonly Frame[], raw: string, duplicates: string[]): void {
  const frame = frames.at(-1);
  if (frame?.keys === undefined || frame.keys === null) return;
  const key = raw.includes('\\') ? unescaped(raw) : raw;
  frame.member = key;
  frame.expectsKey = false;
  const named = frame.keys.get(key);
  if (named === false) duplicates.push(pointerToForeign(frames.map((f) => f.member)));
  frame.keys.set(key, named !== undefined);
}

/** `\u0061` and `a` are the same key. */
function unescaped(raw: string): string {
  const key = parseJson(`"${raw}"`);
  return typeof key === 'string' ? key : raw;
}

function nextMember(frame: Frame | undefined): void {
  if (frame === undefined) return;
  if (frame.keys !== null) frame.expectsKey = true;
  else frame.member = Number(frame.member) + 1;
}
