/**
 * Parameters of a signed request: their sources, repeats and normalisation.
 */
import { decode, encode } from '../../../base/percent.ts';
import { malformed, type Parameter, type ParseError } from './parsed-request.ts';

/**
 * The protocol parameters of a request and the pairs its signature covers.
 * @source authentication 2.1, 2.4
 */
export interface MergedParameters {
  /** Value by name, of the names that begin with `oauth_`. */
  readonly protocol: ReadonlyMap<string, string>;
  /** One copy of each protocol parameter, every copy of the others. */
  readonly unique: readonly Parameter[];
  /** Every copy of all, when a protocol parameter stood in more than one source. */
  readonly withRepeats: readonly Parameter[] | undefined;
}

/**
 * Pairs of a query or a form at most, because they are parsed and sorted before the client is authenticated.
 * @source decision 64
 */
const PAIRS_MAX = 2000;

/**
 * Parses a query or a form body: pairs split at `&`, `a` alone is `a=`, `+` is a space, empty pieces are skipped.
 * @returns the decoded pairs in order, or the parse error of a bad escape or of too many pairs.
 * @source authentication 2.1; RFC 5849 3.4.1.3.1
 */
export function parseForm(text: string): Parameter[] | ParseError {
  const pairs: Parameter[] = [];
  for (const piece of text.split('&')) {
    if (piece === '') continue;
    if (pairs.length === PAIRS_MAX) return malformed(`more than ${PAIRS_MAX} parameters`);
    const equals = piece.indexOf('=');
    const name = decode(equals < 0 ? piece : piece.slice(0, equals), true);
    if (name === undefined) return malformed('a parameter name has a bad percent escape');
    const value = equals < 0 ? '' : decode(piece.slice(equals + 1), true);
    if (value === undefined) return malformed(`${name} is not correctly percent-encoded`, name);
    pairs.push({ name, value });
  }
  return pairs;
}

/**
 * Merges the sources of one request. A protocol parameter may be in several sources with one value, but neither twice
 * in one source nor with two values; other parameters may repeat.
 * @source authentication 2.4; RFC 5849 3.1
 */
export function mergeParameters(sources: readonly (readonly Parameter[])[]): MergedParameters | ParseError {
  const protocol = new Map<string, string>();
  const single: Parameter[] = [];
  const copies: Parameter[] = [];
  for (const source of sources) {
    const here = new Set<string>();
    for (const pair of source) {
      copies.push(pair);
      if (!pair.name.startsWith('oauth_')) {
        single.push(pair);
        continue;
      }
      if (here.has(pair.name)) return malformed(`${pair.name} is given twice`, pair.name);
      here.add(pair.name);
      const known = protocol.get(pair.name);
      if (known === undefined) {
        protocol.set(pair.name, pair.value);
        single.push(pair);
      } else if (known !== pair.value) return malformed(`${pair.name} is given with two values`, pair.name);
    }
  }
  return { protocol, unique: single, withRepeats: copies.length === single.length ? undefined : copies };
}

/**
 * Normalises parameters: `oauth_signature` left out, names and values percent-encoded, sorted by encoded name and then
 * encoded value in byte order, joined.
 * @source authentication 2.1; RFC 5849 3.4.1.3.2
 */
export function normalizeParameters(pairs: readonly Parameter[]): string {
  return pairs
    .filter((pair) => pair.name !== 'oauth_signature')
    .map((pair) => ({ name: encode(pair.name), value: encode(pair.value) }))
    .sort(byNameThenValue)
    .map((pair) => `${pair.name}=${pair.value}`)
    .join('&');
}

/** Encoded text is ASCII, so the order of its characters is the order of its bytes. */
function byNameThenValue(left: Parameter, right: Parameter): number {
  if (left.name !== right.name) return left.name < right.name ? -1 : 1;
  if (left.value === right.value) return 0;
  return left.value < right.value ? -1 : 1;
}
