import type { AccessLevel } from '../../../contract/store/credentials.ts';

/** A level in a few words. */
export const LEVEL_NAMES: Readonly<Record<AccessLevel, string>> = {
  read: 'Read',
  'read-write': 'Read and write',
  'read-write-directmessages': 'Read, write and direct messages',
};

/** Each thing that an application may be able to do, and the levels that allow it. @source authentication gaps 6.3 */
const ABILITIES: readonly (readonly [what: string, levels: readonly AccessLevel[]])[] = [
  ['See your profile and posts', ['read', 'read-write', 'read-write-directmessages']],
  ['See the advertising accounts you have access to', ['read', 'read-write', 'read-write-directmessages']],
  ['Manage the advertising accounts you have access to', ['read-write', 'read-write-directmessages']],
  ['Post and update your profile on your behalf', ['read-write', 'read-write-directmessages']],
  ['Read and send direct messages on your behalf', ['read-write-directmessages']],
];

/** What is allowed beside the level. */
const EMAIL = 'See your e-mail address';

/** True of every level. */
const NEVER = ['See your password'];

/** What an application of a level will be able to do, and what not. */
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
