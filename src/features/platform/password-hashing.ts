import { argon2, timingSafeEqual } from 'node:crypto';
import type { Random } from '../../base/random.ts';

/** The cost parameters of a hash. */
export interface HashCost {
  readonly memory_kib: number;
  readonly passes: number;
}

/** The parameters that current guidance recommends for interactive logins. */
const COST: HashCost = { memory_kib: 19_456, passes: 2 };

/** For random passwords: 16 letters and digits cannot be guessed, however cheap each guess is. @source decision 907 */
export const RANDOM_PASSWORD_COST: HashCost = { memory_kib: 8, passes: 1 };

const STORED = /^argon2id\$m=(\d+),t=(\d+),p=1\$([\w-]+)\$([\w-]+)$/;

/** The stored form of a password: algorithm, parameters, salt and argon2id hash. */
export async function hashPassword(password: string, random: Random, cost = COST): Promise<string> {
  const salt = random.bytes(16);
  const tag = await derive(password, salt, cost);
  const { memory_kib, passes } = cost;
  return `argon2id$m=${memory_kib},t=${passes},p=1$${salt.toString('base64url')}$${tag.toString('base64url')}`;
}

/** Whether a password matches its stored form, which states its own cost parameters. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [, memory_kib, passes, salt, tag] = STORED.exec(stored) ?? [];
  if (!salt || !tag) return false;
  const expected = Buffer.from(tag, 'base64url');
  const cost = { memory_kib: Number(memory_kib), passes: Number(passes) };
  const actual = await derive(password, Buffer.from(salt, 'base64url'), cost);
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

function derive(password: string, nonce: Buffer, { memory_kib, passes }: HashCost): Promise<Buffer> {
  const parameters = {
    message: Buffer.from(password.normalize('NFKC')),
    nonce,
    parallelism: 1,
    tagLength: 32,
    memory: memory_kib,
    passes,
  };
  return new Promise((resolve, reject) => {
    argon2('argon2id', parameters, (error, tag) => (error ? reject(error) : resolve(tag)));
  });
}
