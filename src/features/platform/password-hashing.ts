import { argon2, timingSafeEqual } from 'node:crypto';
import type { Random } from '../../base/random.ts';

// The parameters that current guidance recommends for interactive logins.
const MEMORY_KIB = 19_456;
const PASSES = 2;

/** The stored form of a password: algorithm, parameters, salt and argon2id hash. */
export async function hashPassword(password: string, random: Random): Promise<string> {
  const salt = random.bytes(16);
  const tag = await derive(password, salt);
  return `argon2id$m=${MEMORY_KIB},t=${PASSES},p=1$${salt.toString('base64url')}$${tag.toString('base64url')}`;
}

/** Whether a password matches its stored form. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [, , salt, tag] = stored.split('$');
  if (!salt || !tag) return false;
  const expected = Buffer.from(tag, 'base64url');
  const actual = await derive(password, Buffer.from(salt, 'base64url'));
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

function derive(password: string, nonce: Buffer): Promise<Buffer> {
  const parameters = {
    message: Buffer.from(password.normalize('NFKC')),
    nonce,
    parallelism: 1,
    tagLength: 32,
    memory: MEMORY_KIB,
    passes: PASSES,
  };
  return new Promise((resolve, reject) => {
    argon2('argon2id', parameters, (error, tag) => (error ? reject(error) : resolve(tag)));
  });
}
