import type { AccessLevel } from '../../../contract/store/credentials.ts';

/** A level in a few words. */
export const LEVEL_NAMES: Readonly<Record<AccessLevel, string>> = {
  read: 'Read',
  'read-write': 'Read and write',
  'read-write-directmessages': 'Read, write and direct messages',
};

/** Each thing that an application may be able to do, and the levels that allow it. @source authentication gaps 6.3 */
const ABILITIES: readonly (readonly [what: string, levels: readonly AccessLevel[]])[] = [
  ['See your profile and your posts', ['read', 'read-write', 'read-write-directmessages']],
  ['See advertising accounts that you can use', ['read', 'read-write', 'read-write-directmessages']],
  ['Change advertising accounts that you can use', ['read-write', 'read-write-directmessages']],
  ['Write posts and update your profile for you', ['read-write', 'read-write-directmessages']],
  ['See and send direct messages for you', ['read-write-directmessages']],
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
