import type { AccessLevel } from '../../../contract/store/credentials.ts';
import { texts } from '../../../texts/texts.ts';

const words = texts.login.abilities;

/** The display names of the access levels. */
export const LEVEL_NAMES: Readonly<Record<AccessLevel, string>> = texts.login.levels;

/** The permissions of applications, and the access levels that include them. @source authentication 6.3 */
const PERMISSIONS: readonly (readonly [name: keyof typeof words, levels: readonly AccessLevel[]])[] = [
  ['see', ['read', 'read-write', 'read-write-directmessages']],
  ['seeAccounts', ['read', 'read-write', 'read-write-directmessages']],
  ['manage', ['read-write', 'read-write-directmessages']],
  ['post', ['read-write', 'read-write-directmessages']],
  ['messages', ['read-write-directmessages']],
];

/** Returns the display names of the permissions that an access level includes, and of the others. */
export function permissionsOf(
  level: AccessLevel,
  seesEmail: boolean,
): {
  readonly can: readonly string[];
  readonly cannot: readonly string[];
} {
  const isAllowed = ([, levels]: (typeof PERMISSIONS)[number]): boolean => levels.includes(level);
  const names = (rows: readonly (typeof PERMISSIONS)[number][]): string[] => rows.map(([name]) => words[name]);
  const { email, password } = words;
  return {
    can: [...names(PERMISSIONS.filter(isAllowed)), ...(seesEmail ? [email] : [])],
    cannot: [...names(PERMISSIONS.filter((row) => !isAllowed(row))), ...(seesEmail ? [] : [email]), password],
  };
}
