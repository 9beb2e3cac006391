import { createHash, createHmac } from 'node:crypto';
import { encode } from '../../base/percent.ts';
import type { Parameter } from '../../features/auth/oauth1/parsed-request.ts';

/** A parameter of a request. */
export interface SentParameter extends Parameter {
  readonly source: 'header' | 'query' | 'body';
  /** Name and value as they were sent, percent-encoded. */
  readonly raw: Parameter;
}

/** The order of the parameters in the parameter string; `encoded` is right. */
type ParameterOrder = 'encoded' | 'decoded' | 'names' | 'sent';

/** How a signature is computed from a base string; `hmac-sha1` is right. */
type Digest = 'hmac-sha1' | 'hmac-sha256' | 'hmac-sha512' | 'sha1' | 'sha256' | 'plaintext';

/**
 * A way of turning a request into a signature: the right one, or one with mistakes.
 * @source RFC 5849 3.4.1, 3.4.2
 */
export interface Signing {
  readonly method: string;
  /** Scheme, host, and port if it is not the scheme's default. */
  readonly origin: string;
  /** The path as sent. */
  readonly path: string;
  /** The parameters in the order header, query, body. */
  readonly parameters: readonly SentParameter[];
  readonly order: ParameterOrder;
  /** Encodes names and values. */
  readonly encodeParameter: (text: string) => string;
  /** Encodes the base URI in the base string. */
  readonly encodeUri: (text: string) => string;
  /** Encodes the parameter string in the base string. */
  readonly encodeString: (text: string) => string;
  readonly key: string;
  readonly digest: Digest;
  /** Writes the digest as text; base64 is right. */
  readonly encoding: 'base64' | 'base64url' | 'hex' | 'base64 of hex';
}

/** The parts from which the base string is made, and the base string. */
export interface BaseString {
  readonly parameterString: string;
  readonly text: string;
}

/**
 * The base string of a way of signing. The ways that are tried one after the other mostly differ in their keys or in one
 * part of the base string, so results are cached as long as the parameters exist.
 * @source RFC 5849 3.4.1.1
 */
export function baseStringOf(signing: Signing): BaseString {
  const { method, origin, path, parameters, order, encodeParameter, encodeUri, encodeString } = signing;
  const ofParameters = cachedIn(madeOf, parameters, () => new Map() as Made);
  const ofEncoder = cachedIn(ofParameters, encodeParameter, () => new Map() as MadeByOrder);
  const { parameterString, encoded, texts } = cachedIn(ofEncoder, order, () => ({
    parameterString: parameterStringOf(signing),
    encoded: new Map(),
    texts: new Map(),
  }));
  const ofString = cachedIn(texts, encodeString, () => new Map() as MadeByUri);
  const ofUri = cachedIn(ofString, encodeUri, () => new Map());
  return cachedIn(ofUri, `${method}&${origin}${path}`, () => {
    const last = cachedIn(encoded, encodeString, () => encodeString(parameterString));
    return { parameterString, text: `${method}&${encodeUri(origin + path)}&${last}` };
  });
}

type Encode = Signing['encodeString'];
type MadeByUri = Map<Encode, Map<string, BaseString>>;

/** A parameter string, its encodings, and the base strings that were made with it. */
interface MadeString {
  readonly parameterString: string;
  readonly encoded: Map<Encode, string>;
  readonly texts: Map<Encode, MadeByUri>;
}

type MadeByOrder = Map<ParameterOrder, MadeString>;
type Made = Map<Encode, MadeByOrder>;

/** Base strings by parameters. */
const madeOf = new WeakMap<readonly SentParameter[], Made>();

/** The value of a map at a key; made and added if there is none. */
function cachedIn<Key, Value>(
  map: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: () => Value,
): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

/** The signature of a base string. */
export function signatureOf({ key, digest, encoding }: Signing, baseString: string): string {
  if (digest === 'plaintext') return key;
  const bytes = digest.startsWith('hmac-')
    ? createHmac(digest.slice('hmac-'.length), key).update(baseString).digest()
    : createHash(digest).update(baseString).digest();
  if (encoding === 'base64 of hex') return Buffer.from(bytes.toString('hex')).toString('base64');
  return bytes.toString(encoding);
}

/** The signing key. @source RFC 5849 3.4.2 */
export function keyOf(consumerSecret: string, tokenSecret: string): string {
  return `${encode(consumerSecret)}&${encode(tokenSecret)}`;
}

function parameterStringOf({ parameters, order, encodeParameter }: Signing): string {
  const encoded = parameters
    .filter(({ name }) => name !== 'oauth_signature')
    .map((parameter) => ({
      decoded: parameter,
      name: encodeParameter(parameter.name),
      value: encodeParameter(parameter.value),
    }));
  if (order === 'encoded')
    encoded.sort((left, right) => compare(left.name, right.name) || compare(left.value, right.value));
  if (order === 'names') encoded.sort((left, right) => compare(left.name, right.name));
  if (order === 'decoded') {
    encoded.sort(
      ({ decoded: left }, { decoded: right }) => compare(left.name, right.name) || compare(left.value, right.value),
    );
  }
  return encoded.map(({ name, value }) => `${name}=${value}`).join('&');
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
