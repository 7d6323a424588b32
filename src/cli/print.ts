import type { CommandContext } from './command.js';
import type { Typed } from './render/advice.js';
import { coloursFor } from './render/error.js';
import { paintFor, type Paint } from './render/page.js';
import { defaultData } from './with-line.js';

/** Prints the answer of a command: as one JSON value with --json, else as lines for a person. */
export function print(
  context: CommandContext,
  json: () => unknown,
  lines: (paint: Paint, typed: Typed) => readonly string[],
): void {
  const { io, global } = context;
  if (global().json) io.out(`${JSON.stringify(json())}\n`);
  else io.out(`${lines(paintFor({ colours: coloursFor(io) }), typedHere(context)).join('\n')}\n`);
}

/** How a command is typed that means the same data folder as this one. */
function typedHere({ io, global }: CommandContext): Typed {
  const { data } = global();
  const folder = data === defaultData(io.env) ? '' : ` --data ${quoted(data)}`;
  return (words) => `proofline${folder} ${words}`;
}

function quoted(path: string): string {
  return /^[\w./:@+=-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
