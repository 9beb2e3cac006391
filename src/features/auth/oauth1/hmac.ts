import { type HmacKey, hmacKey } from '../../../base/hmac.ts';
import { encode } from '../../../base/percent.ts';

/**
 * Prepares the key enc(consumer secret) `&` enc(token secret); the `&` stays when the token secret is empty.
 * @source authentication gaps 2.1; RFC 5849 3.4.2
 */
export function signingKey(consumerSecret: string, tokenSecret: string): HmacKey {
  return hmacKey('sha1', Buffer.from(`${encode(consumerSecret)}&${encode(tokenSecret)}`, 'latin1'));
}

/**
 * Compares a base64 digest with a percent-encoded signature in a time that does not depend on where they differ.
 * @source authentication gaps 1.3
 */
export function sameSignature(expected: string, encoded: string): boolean {
  const length = encoded.length;
  let difference = 0;
  let position = 0;
  let at = 0;
  while (at < length) {
    let code = encoded.charCodeAt(at);
    at += 1;
    if (code === 0x25) {
      code = (hexValue(encoded.charCodeAt(at)) << 4) | hexValue(encoded.charCodeAt(at + 1));
      at += 2;
    }
    difference |= position < expected.length ? code ^ expected.charCodeAt(position) : 1;
    position += 1;
  }
  return difference === 0 && position === expected.length;
}

/** The value of an upper-case hex digit; the escapes were checked or written by this server. */
function hexValue(code: number): number {
  return code < 0x3a ? code - 0x30 : code - 0x37;
}
