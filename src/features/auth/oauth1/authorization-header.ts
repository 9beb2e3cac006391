/**
 * Grammar of the Authorization header of a signed request.
 */
import { decode } from '../../../base/percent.ts';
import { decodeUtf8, malformed, type Parameter, type ParseError } from './parsed-request.ts';

/** A name, optional whitespace, `=`. Names have no whitespace, comma, quote or equals sign. */
const NAME = /([^\s,="]+)[ \t]*=[ \t]*/y;
/** An HTTP quoted string; a backslash escapes the next character. */
const QUOTED = /"((?:[^"\\]|\\.)*)"/y;
/** A value without quotes, as one legacy client sends it. */
const BARE = /[^\s,"]*/y;
/** The separator of two parameters: whitespace and commas; HTTP list rules allow more than one comma. */
const SEPARATOR = /[ \t]*(?:,[ \t]*)+|[ \t]+$/y;
/** Characters that no percent-encoded value contains, not even a carelessly encoded one. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters
const FORBIDDEN = /[\x00-\x1f\x7f\\]/;

/**
 * Reads the parameters of an `Authorization: OAuth k="v", ...` header, decoded, in order, without `realm`.
 * Tolerated: any case of the scheme, no space after a comma, empty list elements, lower-case hex, needless escapes,
 * values without quotes, characters that should have been escaped.
 * @param header raw header value, one character per byte.
 * @returns the parameters, undefined for another scheme, or the parse error.
 * @source authentication 2.2; RFC 5849 3.5.1
 */
export function parseAuthorizationHeader(header: string): Parameter[] | ParseError | undefined {
  const scheme = /^[ \t]*oauth(?:[ \t]+|$)/i.exec(header);
  if (scheme === null) return undefined;
  const text = decodeUtf8(header);
  if (text === undefined) return malformed('the Authorization header is not UTF-8');
  const pairs: Parameter[] = [];
  let position = afterFirstSeparators(text, scheme[0].length);
  while (position < text.length) {
    const parameter = readParameter(text, position);
    if ('reason' in parameter) return parameter;
    if (parameter.pair !== undefined) pairs.push(parameter.pair);
    const next = matchAt(SEPARATOR, text, parameter.end);
    if (next === null && parameter.end < text.length) return malformed('parameters must be separated by commas');
    position = parameter.end + (next?.[0].length ?? 0);
  }
  return pairs;
}

function afterFirstSeparators(text: string, position: number): number {
  return position + (matchAt(SEPARATOR, text, position)?.[0].length ?? 0);
}

function matchAt(pattern: RegExp, text: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position;
  return pattern.exec(text);
}

/** Reads one parameter; `pair` is undefined for a realm. */
function readParameter(text: string, position: number): { pair: Parameter | undefined; end: number } | ParseError {
  const opening = matchAt(NAME, text, position);
  if (opening === null) return malformed('the Authorization header holds something that is not name="value"');
  const valueAt = position + opening[0].length;
  const quoted = matchAt(QUOTED, text, valueAt);
  const found = quoted ?? matchAt(BARE, text, valueAt)!;
  const end = valueAt + found[0].length;
  const name = decode(opening[1]!, false);
  if (name === undefined) return malformed('a parameter name has a bad percent escape');
  if (quoted === null && text[end] === '"') return malformed(`the quotes of ${name} do not match`, name);
  if (name.toLowerCase() === 'realm') return { pair: undefined, end };
  const raw = quoted?.[1] ?? found[0];
  const value = FORBIDDEN.test(raw) ? undefined : decode(raw, false);
  if (value === undefined) return malformed(`${name} is not correctly percent-encoded`, name);
  return { pair: { name, value }, end };
}
