import { type Direction, EVENT_TYPES, type EventType } from '../../contract/store/events.ts';

/** Types whose events have a direction that a filter may select. @source activity gaps 16.1 and 17.2 */
export const DIRECTIONAL_TYPES: ReadonlySet<EventType> = new Set([
  'dm.sent',
  'dm.received',
  'dm.read',
  'dm.indicate_typing',
]);

/** Types with a single direction. @source decision 335 */
export const FIXED_DIRECTIONS: Readonly<Partial<Record<EventType, Direction>>> = {
  'dm.sent': 'sent',
  'dm.received': 'received',
};

/** Whether events of a type require the consent of their user. @source activity gaps 16.1 */
export function isPrivate(type: EventType): boolean {
  return type.startsWith('dm.');
}

/**
 * Whether a filter of this type must have `user_id`; for other types a keyword alone is enough.
 * @source activity gaps 17.2
 */
export function requiresUser(type: EventType): boolean {
  return !type.startsWith('spaces.');
}

/** Accepted aliases of types. @source activity gaps 16.1 */
const ALIASES: Readonly<Record<string, EventType>> = {
  'profile.update.verified_badge': 'profile.update.verified',
  'profile.update.affiliate_badge': 'profile.update.affiliate',
  'profile.update.handle': 'profile.update.screenname',
};

/**
 * PascalCase names, older than the dotted ones. Replies to requests that use them carry a deprecation notice.
 * @source advertising: Events
 */
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

/** The type that a name stands for, and whether the name is deprecated. */
export interface ResolvedType {
  readonly type: EventType;
  readonly isDeprecated: boolean;
}

const TYPES_BY_NAME: ReadonlyMap<string, ResolvedType> = new Map<string, ResolvedType>([
  ...EVENT_TYPES.map((type) => [type, { type, isDeprecated: false }] as const),
  ...Object.entries(ALIASES).map(([name, type]) => [name, { type, isDeprecated: false }] as const),
  ...Object.entries(DEPRECATED).map(([name, type]) => [name, { type, isDeprecated: true }] as const),
]);

/** The type that a name stands for; case-sensitive. */
export function resolveType(name: string): ResolvedType | undefined {
  return TYPES_BY_NAME.get(name);
}

/** Every accepted name with its type. @source decision 330 */
export const EVENT_TYPE_NAMES: readonly (readonly [name: string, ResolvedType])[] = [...TYPES_BY_NAME];

/** The deprecated names that are still accepted, with their types. */
export const DEPRECATED_TYPE_NAMES: readonly (readonly [deprecated: string, type: EventType])[] =
  Object.entries(DEPRECATED);
