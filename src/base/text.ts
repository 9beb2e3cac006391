/** Pure functions on text that both databases, the engine and the wire agree on. */

/** Whether every character may be stored and shown: well-formed Unicode, no control characters (U+0000 included). */
export function isLegalText(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  return text.isWellFormed() && !/[\u0000-\u001f\u007f-\u009f]/.test(text);
}

/** Length in Unicode code points, as a person counts characters. */
export function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

/**
 * The form in which names are searched: compatibility-composed, case-folded. We compute it because `lower()` differs
 * between the databases. A prefix folds to a prefix, unless it ends inside a composed character: lower case alone
 * would spell a sigma at the end of a prefix otherwise than inside a word, and a capital sharp s otherwise than a small.
 */
export function foldCase(text: string): string {
  return text.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase().replaceAll('\u03c2', '\u03c3');
}

/** The words of texts in the form in which they are searched: runs of letters and digits, each once. */
export function termsOf(texts: readonly (string | null)[]): string[] {
  const words = texts.flatMap((text) => foldCase(text ?? '').match(/[\p{L}\p{M}\p{N}]+/gu) ?? []);
  return [...new Set(words)].sort();
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the characters of which case is all there is to fold
const PLAIN = /^[\u0000-\u007f]*$/;

/** The form in which public names are searched: case folded, and accents and kinds of apostrophes left out. */
export function foldName(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase();
  const bare = text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[\u02bb\u02bc\u2018\u2019]/g, "'");
  return foldCase(bare);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the characters that JSON must escape
const ESCAPED = /["\\\u0000-\u001f\u007f-\uffff]/;

/** A JSON string; the common plain case skips the general encoder. */
export function jsonText(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** The known word nearest to `word` by edit distance, when it is near enough to be a slip of the finger. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(word, candidate);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(substitution, previous[j]! + 1, current[j - 1]! + 1));
    }
    previous = current;
  }
  return previous[b.length]!;
}

/** Lower case of A to Z alone: other letters that have one of these as their lower case stay what they are. */
export function asciiLowerCase(text: string): string {
  return /[A-Z]/.test(text) ? text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : text;
}

/** Whether a value is a number of JSON that lost digits when it was read: as text it would be another one. */
export function isInexact(value: unknown): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}
