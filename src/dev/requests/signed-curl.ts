import type { Clock } from '../../base/clock.ts';
import { decode } from '../../base/percent.ts';
import type { Random } from '../../base/random.ts';
import { sign } from '../../features/auth/oauth1/signature.ts';
import type { KnownApplication } from '../signatures/known-keys.ts';
import { DevError } from '../surface/call.ts';
import type { Entry } from './entry.ts';
import { typeOf } from './show.ts';

/** The dependencies of a new signature. */
export interface SigningParts {
  /** The origin that it was sent to. */
  readonly origin: string;
  readonly known: readonly KnownApplication[];
  /** The consumer key of the demo application, which signs requests of unknown applications. */
  readonly demoKey: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
}

/** Headers that belong to the connection or the signature, or that curl writes itself. */
const NOT_REPEATED =
  /^(?:host|authorization|content-length|connection|accept-encoding|cookie|transfer-encoding|expect)$/i;

/**
 * A curl command that sends a request again, with a new signature by the keys that it was signed with, if they are
 * known, and otherwise by those of the demo application.
 * @throws DevError
 */
export function signedCurl(entry: Entry, parts: SigningParts): string {
  const { method, target, headers, body, bodyBytes } = entry;
  if (entry.direction === 'out') {
    throw new DevError(
      409,
      'NOT_RECEIVED',
      'the service sent this request itself; resend it with barker webhooks resend',
    );
  }
  if (bodyBytes > body.length) {
    throw new DevError(409, 'BODY_NOT_KEPT', `only the first ${body.length} bytes of its body are kept`);
  }
  const url = parts.origin + target;
  const authorization = headerOf(headers, 'authorization');
  const words = ['curl', '-i', '-X', method, quoted(url)];
  if (/^oauth\s/i.test(authorization)) {
    words.push('-H', quoted(`Authorization: ${signature(entry, url, authorization, parts)}`));
  } else if (authorization !== '') {
    words.push('-H', `"Authorization: ${authorization.split(' ', 1)[0]} $CREDENTIAL"`);
  }
  for (let at = 0; at < headers.length; at += 2) {
    if (!NOT_REPEATED.test(headers[at]!)) words.push('-H', quoted(`${headers[at]}: ${headers[at + 1]}`));
  }
  if (body.length > 0) words.push('--data-binary', quoted(textOf(body)));
  return `${words.join(' ')}\n`;
}

function signature({ method, headers, body }: Entry, url: string, authorization: string, parts: SigningParts): string {
  const { known, demoKey, clock, random } = parts;
  const sent = protocolParameters(authorization);
  const application =
    known.find(({ consumerKey }) => consumerKey === sent.get('oauth_consumer_key')) ??
    known.find(({ consumerKey }) => consumerKey === demoKey);
  if (!application)
    throw new DevError(409, 'KEYS_UNKNOWN', 'neither its keys nor those of a demo application are known');
  const named = sent.get('oauth_token');
  const isSigned = named !== undefined;
  const token = application.tokens.find((each) => each.token === named) ?? application.tokens[0];
  if (isSigned && !token) throw new DevError(409, 'KEYS_UNKNOWN', 'the secret of its token is not known');
  const isForm = /^application\/x-www-form-urlencoded/i.test(typeOf(headers));
  return sign({
    method,
    url,
    form: isForm ? formPairs(textOf(body)) : [],
    oauth: {
      oauth_consumer_key: application.consumerKey,
      oauth_nonce: random.bytes(16).toString('hex'),
      oauth_signature_method: 'HMAC-SHA1',
      oauth_timestamp: String(Math.floor(clock.now() / 1000)),
      ...(isSigned && { oauth_token: token!.token }),
      oauth_version: '1.0',
    },
    consumerSecret: application.consumerSecret,
    tokenSecret: isSigned ? token!.tokenSecret : '',
  }).header;
}

/** The OAuth parameters of an Authorization header, decoded. */
export function protocolParameters(authorization: string): ReadonlyMap<string, string> {
  const found = authorization.matchAll(/(oauth_\w+)\s*=\s*"?([^",\s]*)"?/g);
  return new Map([...found].map(([, name, value]) => [name!, decode(value!, false) ?? '']));
}

function formPairs(text: string): [string, string][] {
  return [...new URLSearchParams(text)];
}

/** The value of a header; empty without it. */
export function headerOf(headers: readonly string[], name: string): string {
  const at = headers.findIndex((each, index) => index % 2 === 0 && each.toLowerCase() === name);
  return at < 0 ? '' : headers[at + 1]!;
}

/** @throws DevError */
function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new DevError(409, 'BODY_NOT_TEXT', 'its body is not text');
  }
}

/** For a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
