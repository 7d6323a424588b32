const VOWEL = /[aeiouy]/;
const VERB_ENDING = /(?:ing|ed|ly)$/;

/**
 * The word without its commonest English endings, so that `timeouts`, `configured` and `configuring` meet
 * `timeout` and `configure`. Light on purpose: words are compared for overlap, not understood.
 */
export function stem(word: string): string {
  if (word.length < 4) return word;
  return withoutFinalE(withoutVerbEnding(singular(word)));
}

function singular(word: string): string {
  if (!word.endsWith('s')) return word;
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:ss|x|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return /[sui]s$/.test(word) ? word : word.slice(0, -1);
}

function withoutVerbEnding(word: string): string {
  const ending = VERB_ENDING.exec(word);
  if (!ending || ending.index < 3) return word;
  const root = word.slice(0, ending.index);
  return VOWEL.test(root) ? undoubled(root) : word;
}

/** `stopp` → `stop`, but `fall` and `pass` keep theirs. */
function undoubled(root: string): string {
  return /([^lsz])\1$/.test(root) ? root.slice(0, -1) : root;
}

function withoutFinalE(word: string): string {
  return word.endsWith('e') && word.length > 3 ? word.slice(0, -1) : word;
}
