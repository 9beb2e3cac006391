import { codePointLength, isLegalText } from '../../base/text.ts';
import type { User } from '../../contract/store/credentials.ts';
import type { EventType, NewEvent } from '../../contract/store/events.ts';
import type { WriteTransaction } from '../../storage/unit-of-work.ts';

/** The members of a profile that can change. */
export type ProfileChanges = Partial<
  Pick<User, 'name' | 'screen_name' | 'description' | 'location' | 'url' | 'verified_type' | 'affiliate_id'>
>;

/** The maximum lengths of the texts of a profile, in characters. @source own; decision 349 */
export const PROFILE_MAX = { name: 50, description: 160, location: 30, url: 100 } as const;

/** The error of a description, which may be empty and have several lines; undefined when it is valid. */
export function descriptionError(bio: string): string | undefined {
  const isGood = codePointLength(bio) <= PROFILE_MAX.description && isLegalText(bio.replace(/\r?\n/g, ' '));
  return isGood ? undefined : `a description is at most ${PROFILE_MAX.description} characters`;
}

/** The error of a location; undefined when it is valid. */
export function locationError(location: string): string | undefined {
  const isGood = codePointLength(location) <= PROFILE_MAX.location && isLegalText(location);
  return isGood ? undefined : `a location is at most ${PROFILE_MAX.location} characters`;
}

/** The error of the URL of a profile, which is empty or a web address; undefined when it is valid. */
export function profileUrlError(url: string): string | undefined {
  const isGood = url === '' || (/^https?:\/\/[^\s"<>]+$/.test(url) && URL.canParse(url));
  return isGood && codePointLength(url) <= PROFILE_MAX.url
    ? undefined
    : `an address begins with https:// or http:// and has at most ${PROFILE_MAX.url} characters`;
}

/**
 * Changes a profile, and appends an event for each changed member that webhooks and streams can follow.
 * @returns the user after the change, and whether one of their names changed; undefined when there is no such user.
 * @source activity 16.3, 16.8; decision 325
 */
export async function changeProfile(
  tx: WriteTransaction,
  id: string,
  changes: ProfileChanges,
  now: string,
): Promise<{ readonly user: User; readonly isRenamed: boolean } | undefined> {
  const before = await tx.credentials.lockUser(id);
  if (!before) return undefined;
  const after: User = { ...before, ...changes };
  const changed = Object.keys(changes).filter((name) => before[name as keyof User] !== after[name as keyof User]);
  if (changed.length === 0) return { user: before, isRenamed: false };
  await tx.credentials.changeUser(
    id,
    Object.fromEntries(changed.map((name) => [name, after[name as keyof User]])) as ProfileChanges,
  );
  tx.invalidate(`user:${id}`);
  await tx.events.append(eventsOf(before, after), now);
  return { user: after, isRenamed: changed.includes('name') || changed.includes('screen_name') };
}

/** The members whose change is an event, as payloads have them; `isText` when keyword filters match them. */
const FOLLOWED: readonly {
  readonly type: EventType;
  readonly isText: boolean;
  readonly value: (user: User) => string;
}[] = [
  { type: 'profile.update.bio', isText: true, value: (user) => user.description },
  { type: 'profile.update.screenname', isText: true, value: (user) => user.screen_name },
  { type: 'profile.update.verified', isText: false, value: (user) => user.verified_type },
  { type: 'profile.update.affiliate', isText: false, value: (user) => user.affiliate_id ?? '' },
];

function eventsOf(before: User, after: User): NewEvent[] {
  return FOLLOWED.filter(({ value }) => value(before) !== value(after)).map(({ type, isText, value }) => ({
    event_type: type,
    user_id: after.id,
    direction: null,
    text: isText ? value(after) : null,
    payload: JSON.stringify({ before: value(before), after: value(after) }),
  }));
}

/** The error of a user name; undefined when it is valid. @source decision 10 */
export function userNameError(name: string): string | undefined {
  return /^\w{1,15}$/.test(name) ? undefined : 'a user name is 1 to 15 letters, digits or underscores';
}

/** The error of a display name; undefined when it is valid. */
export function displayNameError(name: string): string | undefined {
  return isNameOf(name, 50) ? undefined : 'a name is 1 to 50 characters';
}

/** The error of an e-mail address; undefined when it is valid. Only sending could tell whether the address exists. */
export function emailError(address: string): string | undefined {
  const isGood = address.length <= 254 && /^[^\s@]+@[^\s@]+$/.test(address) && isLegalText(address);
  return isGood ? undefined : 'an e-mail address has an @ between two parts, and no blank';
}

function isNameOf(text: string, max: number): boolean {
  return text.trim() !== '' && codePointLength(text) <= max && isLegalText(text);
}
