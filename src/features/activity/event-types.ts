import { type Direction, EVENT_TYPES, type EventType } from '../../contract/store/events.ts';

/** Types whose events say who did it, so that a filter may ask for one direction. @source activity gaps 16.1 and 17.2 */
export const DIRECTED: ReadonlySet<EventType> = new Set(['dm.sent', 'dm.received', 'dm.read', 'dm.indicate_typing']);

/** Types that have one direction only. */
export const FIXED_DIRECTIONS: Readonly<Partial<Record<EventType, Direction>>> = {
  'dm.sent': 'sent',
  'dm.received': 'received',
};

/** Whether events of a type are for their own user only. @source activity gaps 16.1 */
export function isPrivate(type: EventType): boolean {
  return type.startsWith('dm.');
}

/** Whether a filter may name a keyword alone. @source activity gaps 17.2 */
export function needsUser(type: EventType): boolean {
  return !type.startsWith('spaces.');
}

/** Names that are taken for a type, beside its own. @source activity gaps 16.1 */
const ALIASES: Readonly<Record<string, EventType>> = {
  'profile.update.verified_badge': 'profile.update.verified',
  'profile.update.affiliate_badge': 'profile.update.affiliate',
  'profile.update.handle': 'profile.update.screenname',
};

/** Names of the time before types were written with dots; replies to them say that they are deprecated. @source advertising: Events */
const DEPRECATED: Readonly<Record<string, EventType>> = {
  ProfileBioUpdate: 'profile.update.bio',
  ProfileVerifiedBadgeUpdate: 'profile.update.verified',
  ProfileAffiliateBadgeUpdate: 'profile.update.affiliate',
  ProfileScreennameUpdate: 'profile.update.screenname',
  DmReceived: 'dm.received',
  DmSent: 'dm.sent',
  DmRead: 'dm.read',
  DmIndicateTyping: 'dm.indicate_typing',
  SpacesStart: 'spaces.start',
  SpacesEnd: 'spaces.end',
};

/** A type as a caller named it. */
export interface NamedType {
  readonly type: EventType;
  readonly isDeprecated: boolean;
}

const NAMED: ReadonlyMap<string, NamedType> = new Map<string, NamedType>([
  ...EVENT_TYPES.map((type) => [type, { type, isDeprecated: false }] as const),
  ...Object.entries(ALIASES).map(([name, type]) => [name, { type, isDeprecated: false }] as const),
  ...Object.entries(DEPRECATED).map(([name, type]) => [name, { type, isDeprecated: true }] as const),
]);

/** The type that a name stands for; names are compared letter by letter. */
export function typeNamed(name: string): NamedType | undefined {
  return NAMED.get(name);
}

/** Every name that is taken, with the type that it stands for. */
export const TYPE_NAMES: readonly (readonly [name: string, NamedType])[] = [...NAMED];

/** The names that are taken though they are deprecated, with the type that each stands for. */
export const DEPRECATED_TYPE_NAMES: readonly (readonly [deprecated: string, type: EventType])[] =
  Object.entries(DEPRECATED);
