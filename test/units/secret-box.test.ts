import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { keyFingerprint, parseKeyEntries, parseMasterKey, sealingKeyId, secretBox } from '../../src/base/secret-box.ts';

const OLD = Buffer.alloc(32, 1);
const NEW = Buffer.alloc(32, 2);
const PLACE = 'applications.consumer_secret:7';

function boxOf(currentKeyId: string, keys: Record<string, Buffer>) {
  return secretBox({ currentKeyId, keys, random: (count) => randomBytes(count) });
}

/** The text with the character at `index` (from the end when negative) replaced by another of the alphabet. */
function altered(text: string, index: number): string {
  const at = index < 0 ? text.length + index : index;
  return `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;
}

describe('secret box', () => {
  for (const plain of ['', 'secret', 'ünïcødé 🔑', 'x'.repeat(5000)]) {
    test(`opens what it sealed: ${plain.length} characters`, () => {
      const box = boxOf('k1', { k1: OLD });
      const sealed = box.seal(plain, PLACE);
      assert.match(sealed, /^k1\.[\w-]{16}\.[\w-]{22,}$/);
      assert.equal(box.open(sealed, PLACE), plain);
    });
  }

  test('seals the same text differently each time', () => {
    const box = boxOf('k1', { k1: OLD });
    assert.notEqual(box.seal('secret', PLACE), box.seal('secret', PLACE));
  });

  test('opens old values after a rotation and reports that they need resealing', () => {
    const sealed = boxOf('k1', { k1: OLD }).seal('secret', PLACE);
    const rotated = boxOf('k2', { k2: NEW, k1: OLD });
    assert.equal(rotated.open(sealed, PLACE), 'secret');
    assert.equal(rotated.needsResealing(sealed), true);
    assert.equal(rotated.needsResealing(rotated.seal('secret', PLACE)), false);
  });

  const box = boxOf('k1', { k1: OLD, k2: OLD });
  const sealed = box.seal('top secret content', PLACE);
  const refused: [input: string, sealed: string, context: string, message: RegExp][] = [
    ['another row', sealed, 'applications.consumer_secret:8', /key k1/],
    ['an altered iv', altered(sealed, 4), PLACE, /key k1/],
    ['altered ciphertext', altered(sealed, 22), PLACE, /key k1/],
    ['an altered tag', altered(sealed, -2), PLACE, /key k1/],
    ['stray last bits', `k1.${'A'.repeat(16)}.${'A'.repeat(21)}B`, PLACE, /key k1/],
    ['a relabelled key of equal bytes', sealed.replace('k1', 'k2'), PLACE, /key k2/],
    ['an unknown key id', sealed.replace('k1', 'k9'), PLACE, /id k9/],
    ['a key id that every object has', sealed.replace('k1', 'constructor'), PLACE, /id constructor/],
    ['a truncated value', sealed.slice(0, 25), PLACE, /not a sealed value/],
    ['an unsealed value', 'top secret content', PLACE, /not a sealed value/],
    ['empty text', '', PLACE, /not a sealed value/],
  ];
  for (const [input, text, context, message] of refused) {
    test(`refuses ${input}`, () => {
      assert.throws(
        () => box.open(text, context),
        (error: Error) => {
          assert.match(error.message, message);
          assert.doesNotMatch(error.message, /secret content/);
          return true;
        },
      );
    });
  }

  const misbuilt: [input: string, build: () => unknown, message: RegExp][] = [
    ['no current key', () => boxOf('k3', { k1: OLD }), /id k3/],
    ['a short key', () => boxOf('k1', { k1: Buffer.alloc(16) }), /key k1 has 16 bytes/],
    ['a bad id', () => boxOf('K.1', { 'K.1': OLD }), /key id/],
  ];
  for (const [input, build, message] of misbuilt) {
    test(`cannot be built with ${input}`, () => assert.throws(build, { message }));
  }

  test('refuses a random source that returns too little', () => {
    const short = secretBox({ currentKeyId: 'k1', keys: { k1: OLD }, random: () => Buffer.alloc(3) });
    assert.throws(() => short.seal('secret', PLACE), { message: /3 bytes/ });
  });
});

describe('master keys', () => {
  const bytes = randomBytes(32);
  const accepted: [input: string, text: string][] = [
    ['hex', bytes.toString('hex')],
    ['upper case hex', bytes.toString('hex').toUpperCase()],
    ['base64', bytes.toString('base64')],
    ['base64url', bytes.toString('base64url')],
  ];
  for (const [input, text] of accepted) {
    test(`reads ${input}`, () => assert.deepEqual(parseMasterKey(text), bytes));
  }

  for (const text of [
    '',
    'short',
    'g'.repeat(64),
    'a'.repeat(63),
    `${'a'.repeat(64)}\n`,
    '+_'.repeat(21).concat('A='),
  ]) {
    test(`refuses ${text.length} characters that are not a key, without quoting them`, () => {
      assert.throws(() => parseMasterKey(text), {
        message: 'a master key is 64 hex characters or base64 of 32 bytes',
      });
    });
  }

  test('parses entries of old keys', () => {
    const keys = parseKeyEntries([`k0:${OLD.toString('hex')}`, `k1:${NEW.toString('base64')}`]);
    assert.deepEqual(keys, { k0: OLD, k1: NEW });
  });

  const key = OLD.toString('hex');
  const broken: [input: string, entries: string[], message: RegExp][] = [
    ['no id', [key], /entry 1/],
    ['a bad id', [`K1:${key}`], /entry 1/],
    ['three parts', [`k1:${key}`, `k2:${key}:x`], /entry 2/],
    ['a repeated id', [`k1:${key}`, `k1:${key}`], /entry 2 repeats/],
    ['a bad key', ['k1:1234'], /64 hex/],
  ];
  for (const [input, entries, message] of broken) {
    test(`refuses an entry with ${input}`, () => assert.throws(() => parseKeyEntries(entries), { message }));
  }

  test('has fingerprints of keys that do not reveal them', () => {
    // A manifest that holds it must be understood by later versions.
    assert.equal(keyFingerprint(OLD), '28032990556699f9');
    assert.notEqual(keyFingerprint(OLD), keyFingerprint(NEW));
    assert.equal(sealingKeyId(boxOf('k2', { k2: NEW }).seal('secret', PLACE)), 'k2');
    assert.throws(() => sealingKeyId('a secret that is not sealed'), { message: 'not a sealed value' });
  });
});
