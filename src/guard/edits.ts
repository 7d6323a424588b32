/** True when one text becomes the other by inserting, deleting or replacing exactly one UTF-16 unit. Linear. */
export function isOneEditApart(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (long.length - short.length > 1 || short === long) return false;
  let alike = 0;
  while (alike < short.length && short.charCodeAt(alike) === long.charCodeAt(alike)) alike += 1;
  // Of equally long texts one unit is replaced, else the longer one has it too many: the rest must be equal.
  const rest = short.slice(short.length === long.length ? alike + 1 : alike);
  return rest === long.slice(alike + 1);
}
