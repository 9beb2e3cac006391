import type { AccessLevel } from '../../../contract/store/credentials.ts';
import { texts } from '../../../texts/texts.ts';

const words = texts.login.abilities;

/** The display names of the access levels. */
export const LEVEL_NAMES: Readonly<Record<AccessLevel, string>> = texts.login.levels;

/** The permissions of applications, and the access levels that include them. @source authentication 6.3 */
const ABILITIES: readonly (readonly [name: string, levels: readonly AccessLevel[]])[] = [
  [words.see, ['read', 'read-write', 'read-write-directmessages']],
  [words.seeAccounts, ['read', 'read-write', 'read-write-directmessages']],
  [words.manage, ['read-write', 'read-write-directmessages']],
  [words.post, ['read-write', 'read-write-directmessages']],
  [words.messages, ['read-write-directmessages']],
];

/** The permission that is independent of the access level. */
const EMAIL = words.email;

/** Actions that no access level permits. */
const NEVER = [words.password];

/** The actions that an access level permits, and those that it does not. */
export function permissionsOf(
  level: AccessLevel,
  seesEmail: boolean,
): {
  readonly can: readonly string[];
  readonly cannot: readonly string[];
} {
  const isAllowed = ([, levels]: (typeof ABILITIES)[number]): boolean => levels.includes(level);
  const names = (rows: readonly (typeof ABILITIES)[number][]): string[] => rows.map(([name]) => name);
  return {
    can: [...names(ABILITIES.filter(isAllowed)), ...(seesEmail ? [EMAIL] : [])],
    cannot: [...names(ABILITIES.filter((row) => !isAllowed(row))), ...(seesEmail ? [] : [EMAIL]), ...NEVER],
  };
}
