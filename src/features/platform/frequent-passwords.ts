import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/**
 * The 10,000 most frequent passwords of 8 characters or more, in lower case: `passwords.json` of the npm package
 * `@zxcvbn-ts/language-common` 4.1.3 (MIT), which ranks passwords of public breaches. The file has the first four bytes
 * of the SHA-256 of each, sorted, so that it has no readable words; about one other password in 400,000 matches by
 * accident.
 * @source decision 500
 */
const FILE = new URL('./frequent-passwords.bin', import.meta.url);
const BYTES = 4;

let digests: Buffer | undefined;

/** Whether a password is one of the most frequent ones, in any letter case. */
export function isFrequentPassword(password: string): boolean {
  digests ??= readFileSync(FILE);
  const folded = password.normalize('NFKC').toLowerCase();
  const sought = hash('sha256', folded, 'buffer').readUInt32BE();
  let [low, high] = [0, digests.length / BYTES];
  while (low < high) {
    const middle = (low + high) >> 1;
    const found = digests.readUInt32BE(middle * BYTES);
    if (found === sought) return true;
    if (found < sought) low = middle + 1;
    else high = middle;
  }
  return false;
}
