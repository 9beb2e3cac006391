import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { codePointLength } from '../../base/text.ts';
import type { User } from '../../contract/store/credentials.ts';

/** The settings of password rules. */
export interface PasswordRules {
  /** The minimum length of a password, in characters. */
  readonly password_length_min: number;
  /** The name of the service, which no password may contain. */
  readonly service: string;
}

/** The maximum length of a password, in characters; all of them count. */
export const PASSWORD_LENGTH_MAX = 256;
/** Shorter names are ignored, because they occur in many words. */
const NAME_LENGTH_MIN = 3;
const WORD_LENGTH_MIN = 4;

/**
 * Returns the rule that a new password breaks, if any. The rules concern length and guessable passwords; composition rules
 * lead to worse passwords.
 * @source decision 500
 */
export function passwordError(
  password: string,
  of: Pick<User, 'screen_name' | 'name'>,
  { password_length_min: least, service }: PasswordRules,
): string | undefined {
  const length = codePointLength(password);
  if (length < least || length > PASSWORD_LENGTH_MAX) {
    return `the password must have ${least} to ${PASSWORD_LENGTH_MAX} characters`;
  }
  if (isFrequentPassword(password)) return 'the password is one of the 10,000 most common, which are tried first';
  const folded = fold(password);
  const contains = (name: string): boolean => codePointLength(name) >= NAME_LENGTH_MIN && folded.includes(fold(name));
  if (contains(of.screen_name)) return 'the password must not contain the user name';
  const words = of.name.split(/\s+/).filter((word) => codePointLength(word) >= WORD_LENGTH_MIN);
  if ([of.name, ...words].some(contains)) return 'the password must not contain the name of the user';
  return contains(service) ? 'the password must not contain the name of the service' : undefined;
}

/** Text as it is compared: without whitespace, letter case folded. */
function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/g, '');
}

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
function isFrequentPassword(password: string): boolean {
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
