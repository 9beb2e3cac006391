import type { AccessLevel } from '../../../contract/store/credentials.ts';

/** The display names of the access levels. */
export const LEVEL_NAMES: Readonly<Record<AccessLevel, string>> = {
  read: 'Read',
  'read-write': 'Read and write',
  'read-write-directmessages': 'Read, write and direct messages',
};

/** The permissions of applications, and the access levels that include them. @source authentication gaps 6.3 */
const ABILITIES: readonly (readonly [what: string, levels: readonly AccessLevel[]])[] = [
  ['See your profile and posts', ['read', 'read-write', 'read-write-directmessages']],
  ['See the advertising accounts you have access to', ['read', 'read-write', 'read-write-directmessages']],
  ['Manage the advertising accounts you have access to', ['read-write', 'read-write-directmessages']],
  ['Post and update your profile on your behalf', ['read-write', 'read-write-directmessages']],
  ['Read and send direct messages on your behalf', ['read-write-directmessages']],
];

/** The permission that is independent of the access level. */
const EMAIL = 'See your e-mail address';

/** What no access level permits. */
const NEVER = ['See your password'];

/** What an access level permits and does not permit. */
export function permissionsOf(
  level: AccessLevel,
  seesEmail: boolean,
): {
  readonly can: readonly string[];
  readonly cannot: readonly string[];
} {
  const isAllowed = ([, levels]: (typeof ABILITIES)[number]): boolean => levels.includes(level);
  const names = (rows: readonly (typeof ABILITIES)[number][]): string[] => rows.map(([what]) => what);
  return {
    can: [...names(ABILITIES.filter(isAllowed)), ...(seesEmail ? [EMAIL] : [])],
    cannot: [...names(ABILITIES.filter((row) => !isAllowed(row))), ...(seesEmail ? [] : [EMAIL]), ...NEVER],
  };
}
