import { column, labelled, type Paint } from './page.js';
import { safeCut, safeLines, safeText } from './safe-text.js';

/** Pieces that the parts of a trail are set with. */

export interface TrailStyle {
  readonly paint: Paint;
  /** Texts whole instead of their beginnings. */
  readonly texts: boolean;
}

/** A branch of the tree: a line, and what hangs below it. */
export interface TrailPart {
  readonly heading: string;
  readonly lines: readonly string[];
}

export const WIDTH = 110;
/** Columns of the labels inside a part. */
const LABEL = 11;

/** A labelled line, broken where it is too long. Nothing for an empty text. */
export function field(label: string, text: string): readonly string[] {
  return labelled(column(label, LABEL), text, WIDTH);
}

/** Lines below a labelled one. */
export function below(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`);
}

/** What a person wrote or a document says: whole, or its beginning on one line. */
export function quoted(text: string, whole: boolean): readonly string[] {
  if (!whole) return [`"${safeCut(text.replace(/\s+/g, ' ').trim(), 100)}"`];
  return safeLines(text).map((line) => `| ${line}`);
}

/** How long after the start it was: `+84 ms`, `+3.2 s`, `+5 min 3 s`. */
export function sinceStart(instant: number | null, startedAt: number | null): string {
  if (instant === null || startedAt === null) return '';
  const after = instant - startedAt;
  return `${after < 0 ? '-' : '+'}${duration(Math.abs(after))}`;
}

export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.floor((ms % 60_000) / 1000)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** An instant for a person, in UTC; one beyond what a date can hold is shown as the number that it is. */
export function instant(epochMs: number): string {
  const date = new Date(epochMs);
  return Number.isNaN(date.getTime()) ? String(epochMs) : date.toISOString().replace('T', ' ');
}

/** The texts that are there, safe, with commas between. */
export function listed(texts: readonly (string | null)[]): string {
  return texts
    .filter((text) => text !== null && text !== '')
    .map((text) => safeText(text ?? ''))
    .join(', ');
}

export function plural(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}
