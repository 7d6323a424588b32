/** A file of `NAME=value` lines with these values: lines of the same names are replaced, all others stay. */
export function withVariables(text: string, values: Readonly<Record<string, string>>): string {
  const others = text.split('\n').filter((line) => {
    const [, name] = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=/.exec(line) ?? [];
    return name === undefined || !Object.hasOwn(values, name);
  });
  while (others.at(-1) === '') others.pop();
  const lines = Object.entries(values).map(([name, value]) => `${name}=${value}`);
  return [...others, ...lines, ''].join('\n');
}
