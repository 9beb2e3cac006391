import { knownMedia, type MediaGround } from '../media/known-media.ts';
import { entitiesOf } from './entities.ts';
import type { Scenery } from './shape.ts';
import type { ShownPost } from './shown.ts';

/** Reads what showing posts takes: their authors, whom they mention, their media. */
export async function sceneryOf(
  ground: MediaGround,
  posts: readonly ShownPost[],
  how: { readonly source: string; readonly isTrimmed: boolean },
): Promise<Scenery> {
  const { credentials } = ground.tx;
  const authors = await Promise.all([...new Set(posts.map((post) => post.user_id))].map(credentials.findUser));
  const names = new Set(
    posts.flatMap((post) => entitiesOf(post.text).filter(({ kind }) => kind === 'mention')).map(({ text }) => text),
  );
  const mentioned = await credentials.findUsersByNames([...names]);
  const keys = [...new Set(posts.flatMap((post) => post.media_keys))];
  return {
    ...how,
    authors: new Map(authors.filter((user) => user !== undefined).map((user) => [user.id, user])),
    mentioned: new Map(mentioned.map((user) => [user.screen_name.toLowerCase(), user])),
    media: keys.length === 0 ? new Map() : await shownMedia(ground, keys),
  };
}

/** Media that posts show already: what left the library since is shown all the same. */
function shownMedia(ground: MediaGround, keys: readonly string[]): ReturnType<typeof knownMedia> {
  return knownMedia(ground, keys);
}
