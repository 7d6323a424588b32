import { PREFIX, variableNames, variables } from './variables.js';

/** A row of the reference of all variables. */
export interface ConfigurationRow {
  /** With its prefix. */
  readonly name: string;
  /** What it may be; completes "it must be …". */
  readonly takes: string;
  /** What it has when it is not set; empty where nothing stands for it. */
  readonly fallback: string;
  readonly doc: string;
}

/** The reference of all variables, as docs/configuration.md shows it. */
export const configurationTable: readonly ConfigurationRow[] = variableNames.map((name) => {
  const { takes, default: fallback, doc } = variables[name];
  return { name: `${PREFIX}${name}`, takes, fallback: fallback === null ? '' : String(fallback), doc };
});
