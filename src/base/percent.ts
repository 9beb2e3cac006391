/** Percent-encoding of RFC 3986, the only form used in request signatures. */

/** Indexed by character code below 256: 1 for unreserved characters, 0 for others. @source RFC 3986 2.3 */
export const UNRESERVED: Uint8Array = new Uint8Array(256);
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~') {
  UNRESERVED[character.charCodeAt(0)] = 1;
}

/** Indexed by ASCII code: the `%XX` escape. @source RFC 3986 2.1 */
export const ESCAPES: readonly string[] = Array.from(
  { length: 128 },
  (_, code) => `%${code.toString(16).toUpperCase().padStart(2, '0')}`,
);

/**
 * Finds the end of the run of unreserved characters that starts at `from`.
 * @returns the index of the first other character, or the length of the text.
 * @source RFC 3986 2.3
 */
export function unreservedEnd(text: string, from: number): number {
  const length = text.length;
  let index = from;
  while (index < length) {
    const code = text.charCodeAt(index);
    if (code > 127 || UNRESERVED[code] === 0) break;
    index += 1;
  }
  return index;
}

/**
 * Percent-encodes text as UTF-8: only `A-Z a-z 0-9 - . _ ~` stay, hex digits are upper case. Text without characters to
 * escape is returned as is. A lone surrogate counts as U+FFFD, so this never throws.
 * @source authentication 2.1; RFC 5849 3.6
 */
export function encode(text: string): string {
  let stop = unreservedEnd(text, 0);
  if (stop === text.length) return text;
  let encoded = '';
  let start = 0;
  while (stop < text.length) {
    const escaped = ESCAPES[text.charCodeAt(stop)];
    if (escaped === undefined) return encodeUnicode(text);
    encoded += stop === start ? escaped : text.slice(start, stop) + escaped;
    start = stop + 1;
    stop = unreservedEnd(text, start);
  }
  return start === stop ? encoded : encoded + text.slice(start, stop);
}

/** `encodeURIComponent` leaves five characters as they are that signatures require escaped. */
function encodeUnicode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, (found) => ESCAPES[found.charCodeAt(0)]!);
}

/**
 * Decodes percent-encoding. Characters outside of escapes stay; hex digits may have either case.
 * @param plusIsSpace true for a query or a form body, where `+` is a space; false for a header.
 * @returns the text, or undefined for an invalid escape or escapes that are not UTF-8.
 * @source authentication 2.1, 2.2; RFC 5849 3.4.1.3.1; decision 65
 */
export function decode(text: string, plusIsSpace: boolean): string | undefined {
  const spaced = plusIsSpace && text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return undefined;
  }
}
