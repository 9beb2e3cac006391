/**
 * Whether a text may be stored and returned: well-formed Unicode without control characters (U+0000 included).
 * @source decision 24
 */
export function isLegalText(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters
  return text.isWellFormed() && !/[\u0000-\u001f\u007f-\u009f]/.test(text);
}

/** Length in Unicode code points, as a person counts characters. @source decision 23 */
export function codePointLength(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

/**
 * Folds a name for search: compatibility-composed, case-folded. Computed here because `lower()` differs between the
 * databases. A prefix folds to a prefix, unless it ends inside a composed character: lower-casing alone would change a
 * sigma at the end of a prefix differently than one inside a word, and a capital sharp s differently than a small one.
 * @source decision 44
 */
export function foldCase(text: string): string {
  return text.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase().replaceAll('\u03c2', '\u03c3');
}

/** The search terms of texts: folded runs of letters and digits, without duplicates. */
export function searchTerms(texts: readonly (string | null)[]): string[] {
  const words = texts.flatMap((text) => foldCase(text ?? '').match(/[\p{L}\p{M}\p{N}]+/gu) ?? []);
  return [...new Set(words)].sort();
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII only needs lower-casing
const PLAIN = /^[\u0000-\u007f]*$/;

/** Folds a public name for search: case, accents and kinds of apostrophe are ignored. @source decision 154 */
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

/** Encodes a JSON string, with a fast path for plain text. */
export function jsonText(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** Returns the known word nearest to `word` by edit distance, if close enough to be a typo. */
export function nearestWord(word: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(word, candidate);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Returns the end of a message that suggests the nearest known word; empty if none is near. */
export function didYouMean(word: string, known: Iterable<string>): string {
  const near = nearestWord(word, known);
  return near === undefined ? '' : `; did you mean ${near}?`;
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

/** Lower-cases A to Z only, unlike `toLowerCase`, which maps the Kelvin sign to k. */
export function asciiLowerCase(text: string): string {
  return /[A-Z]/.test(text) ? text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : text;
}

/**
 * Whether a JSON number lost digits when it was parsed, so that its text would be another number.
 * @source decision 176
 */
export function isInexact(value: unknown): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}
