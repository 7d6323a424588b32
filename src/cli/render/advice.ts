import type { Paint } from './page.js';
import { textWidth } from './safe-text.js';

/** How a command is typed, from its words without the program's name. */
export type Typed = (words: string) => string;

/** A command to type next, and what for. */
export interface Advice {
  readonly command: string;
  readonly why: string;
}

/** What to do next, commands in one column and reasons in another. */
export function adviceLines(advice: readonly Advice[], paint: Paint, label = 'next'): readonly string[] {
  const width = Math.max(...advice.map(({ command }) => textWidth(command)));
  return advice.map(({ command, why }, i) => {
    const gap = ' '.repeat(width - textWidth(command) + 3);
    return `${(i === 0 ? label : '').padEnd(LABEL)}${paint('strong', command)}${gap}${paint('faint', why)}`;
  });
}

/** Columns of the words that stand before lines. */
export const LABEL = 10;

/** Columns of a line. */
export const WIDTH = 100;

/** A number and what is counted: `1 item`, `2 items`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
