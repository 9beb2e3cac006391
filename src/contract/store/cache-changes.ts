/**
 * What precedes the colon in a tag of what caches hold: the kind of thing that has changed. `delivery` names a webhook
 * to which deliveries are due, for the process that delivers to it; `schema` a migration; `serving` an
 * account whose ads have changed.
 */
export const CACHED_KINDS = [
  'account',
  'application',
  'bearer',
  'delivery',
  'files',
  'publisher',
  'schema',
  'serving',
  'stream',
  'subscription',
  'token',
  'user',
  'webhook',
] as const;

/**
 * A kind of tag that can be listened to. Other processes are not told of new events, with positions (`event`) or without
 * (`outbox`): they are polled for.
 */
export type TagKind = (typeof CACHED_KINDS)[number] | 'event' | 'outbox';

/** The tag of a unit of work that may have changed anything. */
export const EVERYTHING = 'everything';

/** The kind of a tag. */
export function kindOf(tag: string): string {
  return tag.slice(0, tag.indexOf(':'));
}

/** What has changed: tags, or anything. */
export type Changes = ReadonlySet<string> | typeof EVERYTHING;
