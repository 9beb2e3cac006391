import { hash, randomBytes } from 'node:crypto';

/** A source of randomness: the platform's generator in production, a repeatable one in seeded runs. */
export interface Random {
  /** `count` random bytes. */
  bytes(count: number): Buffer;
}

/** The platform's cryptographic generator: the only caller of `randomBytes`. */
export const secureRandom: Random = { bytes: (count) => randomBytes(count) };

/** A repeatable byte stream that can be restarted. */
export interface RepeatableRandom extends Random {
  /** Restarts the stream at a named mark: the bytes that follow are the same each time. */
  restart(mark: string): void;
}

const POOL_BYTES = 8192;

/** Reads the source in large blocks, for callers that often need few bytes. No byte is returned twice. */
export function pooledRandom(random: Random): Random {
  let pool: Buffer = Buffer.alloc(0);
  return {
    bytes(count) {
      if (pool.length < count) pool = random.bytes(Math.max(POOL_BYTES, count));
      const taken = pool.subarray(0, count);
      pool = pool.subarray(count);
      return taken;
    },
  };
}

/**
 * A repeatable byte stream for development and tests: SHA-256 in counter mode over the seed and a purpose, so that
 * streams of different purposes are independent. Never for production.
 * @source decision 4
 */
export function seededRandom(seed: number, purpose: string): RepeatableRandom {
  let stream = `${seed}/${purpose}`;
  let counter = 0;
  let rest = Buffer.alloc(0);
  return {
    bytes(count) {
      while (rest.length < count) {
        const block = hash('sha256', `${stream}/${counter++}`, 'buffer');
        rest = Buffer.concat([rest, block]);
      }
      const taken = rest.subarray(0, count);
      rest = rest.subarray(count);
      return taken;
    },
    restart(mark) {
      stream = `${seed}/${purpose}/${mark}`;
      counter = 0;
      rest = Buffer.alloc(0);
    },
  };
}

/** A number from 0 to below 1. */
export function fraction(random: Random): number {
  return random.bytes(4).readUInt32BE() / 2 ** 32;
}

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Text of `length` letters and digits, uniformly distributed (bytes that would bias the result are discarded). */
export function alphanumeric(random: Random, length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of random.bytes(length)) {
      if (byte < 248 && text.length < length) text += ALPHANUMERIC[byte % 62];
    }
  }
  return text;
}

/** A random UUID (version 4). */
export function uuid(random: Random): string {
  const bytes = random.bytes(16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
