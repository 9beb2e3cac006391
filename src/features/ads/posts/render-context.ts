import { entitiesOf } from '../../../base/entities.ts';
import { parseMediaKey } from '../../../contract/services/media.ts';
import { describeMedia } from '../media/describe-media.ts';
import { type MediaContext, type MediaDetails, uploadsById } from '../media/usable-media.ts';
import type { RenderContext } from './post-json.ts';
import type { PostView } from './post-view.ts';

/** Reads what rendering posts needs: authors, mentioned users and media. */
export async function readRenderContext(
  mediaContext: MediaContext,
  posts: readonly PostView[],
  how: { readonly source: string; readonly isTrimmed: boolean },
): Promise<RenderContext> {
  const { credentials } = mediaContext.tx;
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
    media: keys.length === 0 ? new Map() : await readMedia(mediaContext, keys),
  };
}

/** The media of posts by key, including media that has left the library since. */
async function readMedia(
  { tx, media, account }: MediaContext,
  keys: readonly string[],
): Promise<Map<string, MediaDetails>> {
  const parsed = keys.flatMap((key) => {
    const number = parseMediaKey(key)?.number;
    return number === undefined ? [] : [[key, number] as const];
  });
  const uploads = await uploadsById(
    tx,
    parsed.map(([, number]) => number),
  );
  const place = { media: media!, environment: account!.environment };
  return new Map(parsed.map(([key, number]) => [key, describeMedia(key, uploads.get(number), place)]));
}
