import { column } from './page.js';
import { safeText, textWidth } from './safe-text.js';

/** Rows below a heading, each column as wide as its widest cell. Cells are made safe; the last one is not padded. */
export function renderTable(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heading.map((title, i) =>
    Math.max(...[title, ...rows.map((row) => row[i] ?? '')].map((cell) => textWidth(safeText(cell)))),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => column(cell, widths[i] ?? 0))
      .join('  ')
      .trimEnd();
  return `${[heading, ...rows].map(line).join('\n')}\n`;
}
