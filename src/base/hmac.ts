import { hash } from 'node:crypto';

/** A prepared, reusable HMAC key. @source RFC 2104 2 */
export interface HmacKey {
  readonly digest: 'sha1' | 'sha256';
  /** The key block XOR 0x36. */
  readonly inner: Buffer;
  /** The key block XOR 0x5c, then room for the inner digest of the current call. */
  readonly outer: Buffer;
}

const BLOCK = 64;
const DIGEST_BYTES = { sha1: 20, sha256: 32 } as const;
const SCRATCH_BYTES = 4096;

/** Prepares a key of any length. */
export function hmacKey(digest: HmacKey['digest'], key: Uint8Array): HmacKey {
  const bytes = key.length > BLOCK ? hash(digest, key, 'buffer') : key;
  const inner = Buffer.alloc(BLOCK, 0x36);
  const outer = Buffer.alloc(BLOCK + DIGEST_BYTES[digest], 0x5c);
  for (const [index, byte] of bytes.entries()) {
    inner[index] = byte ^ 0x36;
    outer[index] = byte ^ 0x5c;
  }
  return { digest, inner, outer };
}

/** Reused for every digest, since all work here is synchronous. */
const scratch = Buffer.alloc(SCRATCH_BYTES);

/**
 * The base64 HMAC of an ASCII text, by two one-shot digests, which take about half the time of a `createHmac` object.
 * @param head the first part as bytes, which many texts share; may be empty.
 * @param rest the rest of the text.
 * @source RFC 2104 2
 */
export function hmacOfText(key: HmacKey, head: Uint8Array, rest: string): string {
  const restAt = BLOCK + head.length;
  const length = restAt + rest.length;
  const buffer = length <= scratch.length ? scratch : Buffer.alloc(length);
  buffer.set(head, BLOCK);
  buffer.write(rest, restAt, 'latin1');
  return digestOf(key, buffer, length);
}

/** The base64 HMAC of an ASCII text followed by bytes. */
export function hmacOfBytes(key: HmacKey, head: string, rest: Uint8Array): string {
  const restAt = BLOCK + head.length;
  const length = restAt + rest.length;
  const buffer = length <= scratch.length ? scratch : Buffer.alloc(length);
  buffer.write(head, BLOCK, 'latin1');
  buffer.set(rest, restAt);
  return digestOf(key, buffer, length);
}

function digestOf({ digest, inner, outer }: HmacKey, buffer: Buffer, length: number): string {
  buffer.set(inner);
  outer.write(hash(digest, buffer.subarray(0, length), 'binary'), BLOCK, 'latin1');
  return hash(digest, outer, 'base64');
}
