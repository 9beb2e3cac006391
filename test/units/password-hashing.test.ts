import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secureRandom } from '../../src/base/random.ts';
import { hashPassword, verifyPassword } from '../../src/features/platform/password-hashing.ts';

test('a password is hashed with the parameters that guidance recommends, and a salt of its own', async () => {
  const stored = await hashPassword('a long password', secureRandom);
  assert.match(stored, /^argon2id\$m=19456,t=2,p=1\$[\w-]{22}\$[\w-]{43}$/);
  assert.notEqual(await hashPassword('a long password', secureRandom), stored);
  assert.equal(await verifyPassword('a long password', stored), true);
  assert.equal(await verifyPassword('another password', stored), false);
});

test('a password is verified with the parameters of its stored form', async () => {
  const stored = await hashPassword('pässword', secureRandom, { memory_kib: 8, passes: 1 });
  assert.match(stored, /^argon2id\$m=8,t=1,p=1\$/);
  assert.equal(await verifyPassword('pa\u0308ssword', stored), true);
  assert.equal(await verifyPassword('password', stored), false);
  assert.equal(await verifyPassword('pässword', stored.replace('t=1', 't=2')), false);
});

test('nothing matches what is no stored form', async () => {
  for (const stored of ['', 'argon2id', 'argon2id$m=8,t=1,p=1$$', 'scrypt$m=8,t=1,p=1$c2FsdA$dGFn']) {
    assert.equal(await verifyPassword('', stored), false, stored);
  }
});
