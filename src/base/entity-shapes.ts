import { type Entity, entitiesOf } from './entities.ts';

/** A user mentioned in a text. */
interface Mentioned {
  readonly id: string;
  readonly name: string;
  readonly screen_name: string;
}

/** The entities of a text, as replies contain them. `users` is keyed by lower-case name; unknown users are omitted. */
export function textEntities(text: string, users: ReadonlyMap<string, Mentioned>): Record<string, unknown> {
  const found = entitiesOf(text);
  const of = (kind: Entity['kind']): Entity[] => found.filter((entity) => entity.kind === kind);
  return {
    hashtags: of('hashtag').map(tagged),
    symbols: of('symbol').map(tagged),
    user_mentions: of('mention').flatMap((entity) => {
      const user = users.get(entity.text.toLowerCase());
      if (!user) return [];
      const { id, name, screen_name } = user;
      return [{ screen_name, name, id, id_str: id, indices: placeOf(entity) }];
    }),
    urls: of('url').map((entity) => {
      const url = entity.text;
      return { url, expanded_url: url, display_url: displayUrl(url), indices: placeOf(entity) };
    }),
  };
}

function placeOf({ start, end }: Entity): [number, number] {
  return [start, end];
}

function tagged(entity: Entity): Record<string, unknown> {
  return { text: entity.text, indices: placeOf(entity) };
}

const DISPLAYED_MAX = 27;

/** A URL for display: without its scheme, and truncated. */
export function displayUrl(url: string): string {
  const bare = url.replace(/^https?:\/\/(www\.)?/i, '').replace(/\/$/, '');
  return bare.length > DISPLAYED_MAX ? `${bare.slice(0, DISPLAYED_MAX - 1)}\u2026` : bare;
}
