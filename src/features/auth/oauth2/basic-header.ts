import { isUtf8 } from 'node:buffer';
import { decode } from '../../../base/percent.ts';

/** One reading of a key and a secret. */
export interface KeyAndSecret {
  readonly key: string;
  readonly secret: string;
}

const BASIC = /^[ \t]*basic[ \t]+([A-Za-z0-9+/]+)(={0,2})[ \t]*$/i;

/**
 * Parses an `Authorization: Basic ...` header. Some clients percent-encode key and secret before they join them, others
 * do not, so both readings are returned: first as sent, then percent-decoded once, where `+` stays a plus sign.
 * @returns one or two readings, or undefined when the header is not Basic or cannot be read.
 * @source authentication 10.1; RFC 7617
 */
export function parseBasicHeader(authorization: string | undefined): readonly KeyAndSecret[] | undefined {
  const [, digits, padding] = BASIC.exec(authorization ?? '') ?? [];
  if (digits === undefined || !isPaddedRight(digits, padding!)) return undefined;
  const bytes = Buffer.from(digits, 'base64');
  const text = bytes.toString();
  const colon = text.indexOf(':');
  if (!isUtf8(bytes) || colon < 0) return undefined;
  const raw = { key: text.slice(0, colon), secret: text.slice(colon + 1) };
  const decoded = decodedOnce(raw);
  return decoded === undefined || (decoded.key === raw.key && decoded.secret === raw.secret) ? [raw] : [raw, decoded];
}

/** Padding may be absent, but not wrong. One digit alone is not a byte. */
function isPaddedRight(digits: string, padding: string): boolean {
  const over = digits.length % 4;
  return over !== 1 && (padding === '' || over + padding.length === 4);
}

function decodedOnce(raw: KeyAndSecret): KeyAndSecret | undefined {
  const [key, secret] = [decode(raw.key, false), decode(raw.secret, false)];
  return key === undefined || secret === undefined ? undefined : { key, secret };
}
