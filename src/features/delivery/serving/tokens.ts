import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto';
import { boundedCache } from '../../../base/bounded-cache.ts';
import type { Random } from '../../../base/random.ts';
import type { SecretBox } from '../../../base/secret-box.ts';
import type { Environment } from '../../../contract/declare/account-state.ts';
import type { ServedAd } from './beacon.ts';

/** The kinds of tokens: `i` reports an impression, `c` a click. */
export type TokenKind = 'i' | 'c';

/** The content of a token. */
export interface OpenedToken {
  readonly beacon: ServedAd;
  /** The click target; empty in tokens of impressions. */
  readonly target: string;
}

/** Encrypts and decrypts the tokens of beacons. */
export interface Tokens {
  seal(kind: TokenKind, opened: OpenedToken, now_ms: number): string;
  /** Decrypts a token of this kind and environment, expired or not; undefined for anything else. */
  open(kind: TokenKind, token: string): OpenedToken | undefined;
}

const DAY_MS = 86_400_000;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const DAY_BYTES = 2;
const FORMAT = /^([a-z0-9]{1,16})\.([A-Za-z0-9_-]{40,6000})$/;
/** Maximum number of cached keys: one for each day and master key. */
const KEYS_MAX = 16;

/**
 * Creates the token codec of an environment: AES-256-GCM with a key per day, derived from the master key, to bound the number
 * of tokens under one key. Tokens are bound to their kind and environment.
 * @param random cryptographic, also in development, because an IV must never repeat under a key
 * @source decision 980
 */
export function openTokens(box: SecretBox, environment: Environment, random: Random): Tokens {
  const keys = boundedCache<string, KeyObject>(KEYS_MAX);
  let current: { readonly day: number; readonly keyId: string; readonly key: KeyObject } | undefined;
  const keyOf = (day: number, keyId?: string): { readonly keyId: string; readonly key: KeyObject } | undefined => {
    if (keyId === undefined && current?.day === day) return current;
    const known = keyId === undefined ? undefined : keys.get(`${keyId} ${day}`);
    if (known) return { keyId: keyId!, key: known };
    const derived = box.derive(`delivery beacons ${environment} ${day}`, keyId);
    if (!derived) return undefined;
    // Creating a cipher is several times faster with a KeyObject.
    const found = { keyId: derived.keyId, key: createSecretKey(derived.key) };
    keys.set(`${found.keyId} ${day}`, found.key);
    if (keyId === undefined) current = { day, ...found };
    return found;
  };
  const associatedData = { i: Buffer.from(`${environment}\ni`), c: Buffer.from(`${environment}\nc`) };
  return {
    seal(kind, opened, now_ms) {
      const day = Math.floor(now_ms / DAY_MS);
      const { keyId, key } = keyOf(day)!;
      const iv = random.bytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
      cipher.setAAD(associatedData[kind]);
      const head = Buffer.alloc(DAY_BYTES);
      head.writeUInt16BE(day);
      const sealed = Buffer.concat([
        head,
        iv,
        cipher.update(encode(opened), 'utf8'),
        cipher.final(),
        cipher.getAuthTag(),
      ]);
      return `${keyId}.${sealed.toString('base64url')}`;
    },
    open(kind, token) {
      const [, keyId, body] = FORMAT.exec(token) ?? [];
      if (body === undefined) return undefined;
      const bytes = Buffer.from(body, 'base64url');
      if (bytes.toString('base64url') !== body || bytes.length <= DAY_BYTES + IV_BYTES + TAG_BYTES) return undefined;
      const derived = keyOf(bytes.readUInt16BE(0), keyId);
      if (!derived) return undefined;
      const iv = bytes.subarray(DAY_BYTES, DAY_BYTES + IV_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', derived.key, iv, { authTagLength: TAG_BYTES });
      decipher.setAAD(associatedData[kind]);
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        const start = decipher.update(bytes.subarray(DAY_BYTES + IV_BYTES, -TAG_BYTES));
        return decode(Buffer.concat([start, decipher.final()]).toString('utf8'));
      } catch {
        return undefined;
      }
    },
  };
}

/** The members of a beacon, in the order of the token format. */
const MEMBERS = [
  'nonce',
  'account',
  'timezone',
  'line',
  'campaign',
  'instrument',
  'creative',
  'placement',
  'publisher',
  'person',
  'price',
  'billed',
  'click',
  'isMeasured',
  'expires_ms',
] as const satisfies readonly (keyof ServedAd)[];

function encode({ beacon, target }: OpenedToken): string {
  return JSON.stringify([target, beacon.segments.join(' '), ...MEMBERS.map((name) => beacon[name])]);
}

function decode(text: string): OpenedToken {
  const [target, segments, ...values] = JSON.parse(text) as [string, string, ...unknown[]];
  const members = Object.fromEntries(MEMBERS.map((name, place) => [name, values[place]]));
  return { target, beacon: { ...members, segments: segments.split(' ') } as unknown as ServedAd };
}
