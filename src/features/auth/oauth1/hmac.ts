/**
 * HMAC-SHA1 of base strings by two one-shot digests, which take about half the time of a `createHmac` object.
 */
import { hash } from 'node:crypto';
import { encode } from '../../../base/percent.ts';

const BLOCK = 64;
const DIGEST = 20;
const SCRATCH_LENGTH = 4096;

/**
 * The prepared HMAC key of one credential. Opaque; create it once and reuse it.
 * @source RFC 2104 2
 */
export interface SigningKey {
  /** The key block XOR 0x36. */
  readonly inner: Buffer;
  /** The key block XOR 0x5c, then room for the inner digest of the current call. */
  readonly outer: Buffer;
}

/**
 * Prepares the key enc(consumer secret) `&` enc(token secret); the `&` stays when the token secret is empty.
 * @source authentication gaps 2.1; RFC 5849 3.4.2
 */
export function signingKey(consumerSecret: string, tokenSecret: string): SigningKey {
  const text = `${encode(consumerSecret)}&${encode(tokenSecret)}`;
  const bytes = text.length > BLOCK ? hash('sha1', text, 'buffer') : Buffer.from(text, 'latin1');
  const inner = Buffer.alloc(BLOCK, 0x36);
  const outer = Buffer.alloc(BLOCK + DIGEST, 0x5c);
  for (const [index, byte] of bytes.entries()) {
    inner[index] = byte ^ 0x36;
    outer[index] = byte ^ 0x5c;
  }
  return { inner, outer };
}

/** Reused for every digest, since all work here is synchronous. */
const scratch = Buffer.alloc(SCRATCH_LENGTH);

/**
 * The base64 HMAC-SHA1 of an ASCII text.
 * @param head its first part, as bytes, since it is the same for every request; may be empty.
 * @param rest the rest of it.
 * @source authentication gaps 2.1; RFC 5849 3.4.2
 */
export function hmac(key: SigningKey, head: Uint8Array, rest: string): string {
  const restAt = BLOCK + head.length;
  const length = restAt + rest.length;
  const buffer = length <= scratch.length ? scratch : Buffer.alloc(length);
  buffer.set(key.inner);
  buffer.set(head, BLOCK);
  buffer.write(rest, restAt, 'latin1');
  key.outer.write(hash('sha1', buffer.subarray(0, length), 'binary'), BLOCK, 'latin1');
  return hash('sha1', key.outer, 'base64');
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
