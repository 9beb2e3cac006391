import { createCipheriv, createDecipheriv, createHmac, createSecretKey, type KeyObject } from 'node:crypto';

/** Encrypts secrets for storage, so that a copy of the database alone does not reveal them. */
export interface SecretBox {
  /** Encrypts `plain`. `context` names where it is stored, such as `applications.consumer_secret:7`. */
  seal(plain: string, context: string): string;
  /** Decrypts a text; throws if the key is unknown, the text was altered, or `context` differs. */
  open(sealed: string, context: string): string;
  /**
   * Derives a key for one purpose from the master key with this id, the current one by default; undefined for an unknown
   * id. It reveals nothing about the master key.
   */
  derive(purpose: string, keyId?: string): DerivedKey | undefined;
  /** Whether the text is encrypted with a key other than the current one. Throws if it is not an encrypted text. */
  needsResealing(sealed: string): boolean;
}

/** A key derived from a master key. */
interface DerivedKey {
  readonly keyId: string;
  /** 32 bytes. */
  readonly key: Buffer;
}

/** A text is encrypted with a key that the box does not have. */
export class UnknownKey extends Error {
  readonly keyId: string;
  constructor(keyId: string) {
    super(`no key with id ${keyId}`);
    this.name = 'UnknownKey';
    this.keyId = keyId;
  }
}

/** Whether a box can decrypt a text. */
export function opens(box: SecretBox, sealed: string, context: string): boolean {
  try {
    box.open(sealed, context);
    return true;
  } catch {
    return false;
  }
}

const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const SEALED_FORM = /^([a-z0-9]{1,16})\.([A-Za-z0-9_-]{16})\.([A-Za-z0-9_-]{22,})$/;

/** Whether a text is a valid key id: 1 to 16 of a-z and 0-9. */
export function isKeyId(text: string): boolean {
  return /^[a-z0-9]{1,16}$/.test(text);
}

/** Parses a 32-byte key from 64 hex characters or base64 (either alphabet). Errors never quote the text. */
export function parseMasterKey(text: string): Buffer {
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, 'hex');
  if (/^([A-Za-z0-9+/]{43}|[A-Za-z0-9_-]{43})=?$/.test(text)) return Buffer.from(text, 'base64');
  throw new Error('a master key is 64 hex characters or base64 of 32 bytes');
}

/** Parses `id:key` entries into keys by id. Throws on a malformed or repeated entry, reporting its position only. */
export function parseKeyEntries(entries: readonly string[]): Record<string, Buffer> {
  const keys = new Map<string, Buffer>();
  for (const [index, entry] of entries.entries()) {
    const [id = '', key = '', ...rest] = entry.split(':');
    if (!isKeyId(id) || rest.length > 0) throw new Error(`key entry ${index + 1} is not of the form id:key`);
    if (keys.has(id)) throw new Error(`key entry ${index + 1} repeats an earlier id`);
    keys.set(id, parseMasterKey(key));
  }
  return Object.fromEntries(keys);
}

/**
 * Returns sixteen hex characters that identify a key to people and in manifests, and reveal nothing about it.
 */
export function keyFingerprint(key: Buffer): string {
  return createHmac('sha256', key).update('barker master key fingerprint').digest('hex').slice(0, 16);
}

/** Returns the id of the key that a text is encrypted with. Throws if it is not an encrypted text. */
export function sealingKeyId(sealed: string): string {
  return sealedParts(sealed).keyId;
}

/**
 * Creates a box that encrypts with the current key and decrypts with any of `keys` (AES-256-GCM). The text is
 * `<keyId>.<base64url iv>.<base64url ciphertext and tag>`. `random` must be cryptographic, also in development:
 * a repeated iv under one key breaks the cipher.
 */
export function secretBox(options: {
  currentKeyId: string;
  keys: Readonly<Record<string, Buffer>>;
  random: (count: number) => Buffer;
}): SecretBox {
  const { currentKeyId, random } = options;
  const keys = checkedKeys(options.keys);
  const currentKey = keyOf(keys, currentKeyId);

  return {
    seal(plain, context) {
      const iv = random(IV_BYTES);
      if (iv.length !== IV_BYTES) throw new Error(`the random source gave ${iv.length} bytes, not ${IV_BYTES}`);
      const cipher = createCipheriv('aes-256-gcm', currentKey, iv, { authTagLength: TAG_BYTES });
      cipher.setAAD(binding(currentKeyId, context));
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `${currentKeyId}.${iv.toString('base64url')}.${body.toString('base64url')}`;
    },
    open(sealed, context) {
      const { keyId, iv, body } = sealedParts(sealed);
      const decipher = createDecipheriv('aes-256-gcm', keyOf(keys, keyId), iv, { authTagLength: TAG_BYTES });
      decipher.setAAD(binding(keyId, context));
      decipher.setAuthTag(body.subarray(-TAG_BYTES));
      const start = decipher.update(body.subarray(0, -TAG_BYTES));
      try {
        return Buffer.concat([start, decipher.final()]).toString('utf8');
      } catch {
        throw new Error(`value sealed with key ${keyId} was altered, moved, or sealed with another key of that id`);
      }
    },
    derive(purpose, keyId = currentKeyId) {
      const master = keys.get(keyId);
      if (!master) return undefined;
      return { keyId, key: createHmac('sha256', master).update(`barker derived key\n${purpose}`).digest() };
    },
    needsResealing(sealed) {
      return sealedParts(sealed).keyId !== currentKeyId;
    },
  };
}

/** Decrypts a text that may come from a client; undefined if the box cannot. */
export function tryOpen(box: SecretBox, sealed: string, context: string): string | undefined {
  try {
    return box.open(sealed, context);
  } catch {
    return undefined;
  }
}

/** Validates the keys and prepares them once: preparing a key costs more than encrypting a short text. */
function checkedKeys(input: Readonly<Record<string, Buffer>>): ReadonlyMap<string, KeyObject> {
  for (const [id, key] of Object.entries(input)) {
    if (!isKeyId(id)) throw new Error('a key id is 1 to 16 of a-z and 0-9');
    if (key.length !== KEY_BYTES) throw new Error(`key ${id} has ${key.length} bytes, not ${KEY_BYTES}`);
  }
  return new Map(Object.entries(input).map(([id, key]) => [id, createSecretKey(key)]));
}

function keyOf(keys: ReadonlyMap<string, KeyObject>, id: string): KeyObject {
  const key = keys.get(id);
  if (key === undefined) throw new UnknownKey(id);
  return key;
}

/** Additional authenticated data: the key id, so that relabelling fails, and the context. */
function binding(keyId: string, context: string): Buffer {
  return Buffer.from(`${keyId}\n${context}`, 'utf8');
}

function sealedParts(sealed: string): { keyId: string; iv: Buffer; body: Buffer } {
  const [, keyId, iv, body] = SEALED_FORM.exec(sealed) ?? [];
  // A text of another form may be an unsealed secret, so no part of it is quoted.
  if (keyId === undefined || iv === undefined || body === undefined) throw new Error('not a sealed value');
  const bytes = Buffer.from(body, 'base64url');
  // Decoding ignores stray trailing bits; without this check two texts would open to one value.
  if (bytes.toString('base64url') !== body) throw new Error(`value sealed with key ${keyId} was altered`);
  return { keyId, iv: Buffer.from(iv, 'base64url'), body: bytes };
}
