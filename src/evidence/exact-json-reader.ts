/** A character that JSON must or may escape, or that is half of a pair: a string without one stands for itself. */
const NOT_PLAIN = /[\\\u0000-\u001f\ud800-\udfff]/;

const SHOWN = 40;

/**
 * Reads a JSON text whose every byte is known but for a few values: it must be what `JSON.stringify` would
 * write, character for character. The first difference is remembered as the problem, and nothing after it is
 * read, so that a caller may read on and look at the problem once, at the end.
 */
export class ExactJsonReader {
  readonly #text: string;
  #at = 0;
  #problem: string | null = null;

  constructor(text: string) {
    this.#text = text;
  }

  /** Where the text first differed from what was expected, in words; null as long as it did not. */
  get problem(): string | null {
    return this.#problem;
  }

  /** True, and read, when the text goes on with `expected`; false is no problem. */
  skip(expected: string): boolean {
    if (this.#problem !== null || !this.#text.startsWith(expected, this.#at)) return false;
    this.#at += expected.length;
    return true;
  }

  /** The text must go on with `expected`. */
  literal(expected: string): void {
    if (!this.skip(expected)) this.#fail(expected);
  }

  /** The text must end here. */
  end(): void {
    if (this.#at !== this.#text.length) this.#fail('the end');
  }

  /** A well-formed string; empty when there is none. */
  string(): string {
    const end = this.#text.startsWith('"', this.#at) ? this.#closingQuote(this.#at + 1) : -1;
    const value = this.#problem === null && end >= 0 ? valueOf(this.#text.slice(this.#at, end + 1)) : null;
    if (value === null) {
      this.#fail('a string as JSON.stringify writes it');
      return '';
    }
    this.#at = end + 1;
    return value;
  }

  /** A well-formed string, or null where the text says `null`. */
  stringOrNull(): string | null {
    return this.skip('null') ? null : this.string();
  }

  /** The next quote that is not escaped; -1 when there is none. */
  #closingQuote(from: number): number {
    let quote = this.#text.indexOf('"', from);
    while (quote >= 0 && this.#isEscaped(quote, from)) quote = this.#text.indexOf('"', quote + 1);
    return quote;
  }

  #isEscaped(quote: number, from: number): boolean {
    let start = quote;
    while (start > from && this.#text[start - 1] === '\\') start -= 1;
    return (quote - start) % 2 === 1;
  }

  #fail(expected: string): void {
    if (this.#problem !== null) return;
    const found = JSON.stringify(this.#text.slice(this.#at, this.#at + SHOWN));
    this.#problem = `at character ${this.#at} it goes on with ${found}, not with ${expected}`;
  }
}

/** The value of a JSON string that is written as `JSON.stringify` writes it, and well-formed; else null. */
function valueOf(json: string): string | null {
  const inner = json.slice(1, -1);
  if (!NOT_PLAIN.test(inner)) return inner;
  try {
    const value = JSON.parse(json) as string;
    return JSON.stringify(value) === json && value.isWellFormed() ? value : null;
  } catch {
    return null;
  }
}
