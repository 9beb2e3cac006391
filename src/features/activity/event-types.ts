import { EVENT_TYPE_RULES, EVENT_TYPES, type EventType } from '../../contract/store/events.ts';

/** The type that a name stands for, and whether the name is deprecated. */
export interface ResolvedType {
  readonly type: EventType;
  readonly isDeprecated: boolean;
}

const ALIASES: readonly (readonly [alias: string, type: EventType])[] = EVENT_TYPES.flatMap((type) => {
  const { alias } = EVENT_TYPE_RULES[type];
  return alias === undefined ? [] : [[alias, type] as const];
});

/**
 * The deprecated names that are still accepted, with their types. Replies to requests that use them carry a deprecation
 * notice.
 * @source activity 0.1
 */
export const DEPRECATED_TYPE_NAMES: readonly (readonly [deprecated: string, type: EventType])[] = EVENT_TYPES.flatMap(
  (type) => {
    const { deprecatedName } = EVENT_TYPE_RULES[type];
    return deprecatedName === undefined ? [] : [[deprecatedName, type] as const];
  },
);

const TYPES_BY_NAME: ReadonlyMap<string, ResolvedType> = new Map<string, ResolvedType>([
  ...EVENT_TYPES.map((type) => [type, { type, isDeprecated: false }] as const),
  ...ALIASES.map(([name, type]) => [name, { type, isDeprecated: false }] as const),
  ...DEPRECATED_TYPE_NAMES.map(([name, type]) => [name, { type, isDeprecated: true }] as const),
]);

/** The type that a name stands for; case-sensitive. */
export function resolveType(name: string): ResolvedType | undefined {
  return TYPES_BY_NAME.get(name);
}

/** Every accepted name with its type. @source decision 330 */
export const EVENT_TYPE_NAMES: readonly (readonly [name: string, ResolvedType])[] = [...TYPES_BY_NAME];
