/** What may be told of any error: its kind, its code and where it was thrown. Never its text. */
export interface ErrorTraits {
  readonly error?: string;
  readonly error_code?: string;
  readonly at?: readonly string[];
}

const NAME = /^[A-Za-z_$][\w$]{0,63}$/;
const CODE = /^[A-Z][A-Z0-9_]{0,63}$/;
/** A line of a stack: names of functions and files of this program, and numbers. */
const FRAME = /^ {4}at [\w$.<>[\]/@:# \-+%~()]{1,400}:\d{1,7}:\d{1,7}\)?$/;
const MAX_FRAMES = 5;

export function errorTraits(error: unknown): ErrorTraits {
  if (error === undefined) return {};
  if (!(error instanceof Error)) return { error: typeof error };
  const { code } = error as { readonly code?: unknown };
  const at = framesOf(error);
  return {
    error: NAME.test(error.name) ? error.name : 'Error',
    ...(typeof code === 'string' && CODE.test(code) ? { error_code: code } : {}),
    ...(at.length > 0 ? { at } : {}),
  };
}

/** Where the text of the error ends is known only when the stack begins with it, as it was when it was thrown. */
function framesOf({ name, message, stack = '' }: Error): string[] {
  const head = message === '' ? name : `${name}: ${message}`;
  if (!stack.startsWith(`${head}\n`)) return [];
  const lines = stack.slice(head.length + 1).split('\n', MAX_FRAMES);
  return lines.filter((line) => FRAME.test(line)).map((line) => line.trim());
}
