/** The value of a pure function without arguments, worked out when it is first asked for. */
export function once<T extends object>(work: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= work());
}
