import { entitiesOf } from '../../../base/entities.ts';
import { findMediaDetails, type MediaContext } from '../media/usable-media.ts';
import type { RenderContext } from './post-json.ts';
import type { PostView } from './post-view.ts';

/** Reads the data for rendering posts: authors, mentioned users and media. */
export async function readRenderContext(
  mediaContext: MediaContext,
  posts: readonly PostView[],
  how: { readonly source: string; readonly isTrimmed: boolean },
): Promise<RenderContext> {
  const { credentials } = mediaContext.tx;
  const authors = await Promise.all(
    [...new Set(posts.map((post) => post.user_id))].map((id) => credentials.findUser(id)),
  );
  const names = new Set(
    posts.flatMap((post) => entitiesOf(post.text).filter(({ kind }) => kind === 'mention')).map(({ text }) => text),
  );
  const mentioned = await credentials.findUsersByNames([...names]);
  const keys = [...new Set(posts.flatMap((post) => post.media_keys))];
  return {
    ...how,
    authors: new Map(authors.filter((user) => user !== undefined).map((user) => [user.id, user])),
    mentioned: new Map(mentioned.map((user) => [user.screen_name.toLowerCase(), user])),
    media: await findMediaDetails(mediaContext, keys),
  };
}
