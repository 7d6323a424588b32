import { isJsonObject, type JsonObject } from '../contracts/json.js';

/**
 * When two events are equal. A line that is replayed, restarted or killed in between makes the same events again; what
 * may differ is when and where it was done, never what it says. Pure.
 */

/** One place in which two events differ. */
export interface Difference {
  /** JSON pointer into the event, in its TypeScript names; empty for the whole of it. */
  readonly path: string;
  /** What the one that was recorded has there; undefined where it has nothing. */
  readonly recorded: unknown;
  readonly replayed: unknown;
}

export interface Equality {
  /**
   * True for an event that a producer published again, and for all that follows from it: then `occurredAt` and `ext`
   * may differ as well. The first one on the partition counts.
   */
  readonly repeated?: boolean;
  /** Fields of the event that are not compared at all. */
  readonly without?: readonly string[];
  /** No more differences than these are looked for. */
  readonly most?: number;
}

/** Measured, or a place in a log that nobody signs. */
const MAY_DIFFER: readonly string[] = ['measured', 'requestOffset'];
const MAY_DIFFER_AGAIN: readonly string[] = ['occurredAt', 'ext'];
/** Where the guard read the ledger. */
const MAY_DIFFER_IN_READ: readonly string[] = ['partition', 'offset'];
/** Texts that tell of a request's findings once more. */
const PROMPTS: ReadonlySet<string> = new Set(['/promptZh', '/promptEn']);

/** An item of a verdict's `read`, also of the verdict that a run's state holds. */
const READ_ITEM = /(?:^|\/)read\/\d+$/;

/** B1 is said for B2 where the index of call ids lags. */
const UNKNOWN: ReadonlySet<unknown> = new Set(['TOOL_CALL_UNKNOWN', 'TOOL_CALL_FOREIGN_RUN']);

export function areEqual(a: object, b: object, equality: Equality = {}): boolean {
  return differencesBetween(a, b, equality).length === 0;
}

/** Where two events of one topic differ, in the order of the recorded one's fields. */
export function differencesBetween(
  recorded: object,
  replayed: object,
  { repeated = false, without = [], most = Infinity }: Equality = {},
): readonly Difference[] {
  const found: Difference[] = [];
  const said = { unknown: false };

  function compareFields(a: JsonObject, b: JsonObject, path: string, except: readonly string[]): void {
    for (const name of new Set([...Object.keys(a), ...Object.keys(b)]))
      if (!except.includes(name)) compare(a[name], b[name], `${path}/${pointerPart(name)}`);
  }

  function compare(a: unknown, b: unknown, path: string): void {
    if (found.length >= most || Object.is(a, b)) return;
    if (path === '/violationCodes') compareCodes(a, b, path);
    else if (Array.isArray(a) && Array.isArray(b)) compareItems(a, b, path);
    else if (isBytes(a) && isBytes(b) && Buffer.compare(a, b) === 0) return;
    else if (isPlain(a) && isPlain(b)) compareObjects(a, b, path);
    else found.push({ path, recorded: a, replayed: b });
  }

  function compareItems(a: readonly unknown[], b: readonly unknown[], path: string): void {
    for (let i = 0; i < Math.max(a.length, b.length); i++) compare(a[i], b[i], `${path}/${i}`);
  }

  /** Each code once: B2 is written as B1. */
  function compareCodes(a: unknown, b: unknown, path: string): void {
    const [codes, others] = [plainCodes(a), plainCodes(b)];
    if (codes !== others) found.push({ path, recorded: a, replayed: b });
  }

  function compareObjects(a: JsonObject, b: JsonObject, path: string): void {
    if (READ_ITEM.test(path)) return compareFields(a, b, path, exceptOfRead(a, b));
    if (!isOtherUnknown(a, b)) return compareFields(a, b, path, []);
    // Words and details of B1 and B2 differ with the code.
    said.unknown = true;
    compare(a['path'], b['path'], `${path}/path`);
  }

  const except = [...MAY_DIFFER, ...without, ...(repeated ? MAY_DIFFER_AGAIN : [])];
  compareFields(recorded as JsonObject, replayed as JsonObject, '', except);
  return said.unknown ? found.filter(({ path }) => !PROMPTS.has(path)) : found;
}

function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array;
}

function isPlain(value: unknown): value is JsonObject {
  return isJsonObject(value) && !isBytes(value);
}

function plainCodes(codes: unknown): string {
  const plain = (codes as readonly unknown[]).map((code) => (UNKNOWN.has(code) ? 'TOOL_CALL_UNKNOWN' : code));
  return JSON.stringify([...new Set(plain)]);
}

function isOtherUnknown(a: JsonObject, b: JsonObject): boolean {
  return a['code'] !== b['code'] && UNKNOWN.has(a['code']) && UNKNOWN.has(b['code']);
}

/** Where the run has no entry, whether another run's was found is what B1 and B2 tell apart. */
function exceptOfRead(a: JsonObject, b: JsonObject): readonly string[] {
  const isMissing = a['state'] === null && b['state'] === null;
  return isMissing ? [...MAY_DIFFER_IN_READ, 'foundRunId'] : MAY_DIFFER_IN_READ;
}

function pointerPart(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
