import type { FreshIds, Making, Occasion } from '../../../contract/declare/operation.ts';
import type { Post } from '../../../contract/store/posts.ts';
import type { Writing } from '../../../contract/store/store.ts';
import type { KnownMedia } from '../media/known-media.ts';
import { markPosted, shelve } from '../media/shelve.ts';

/** What publishing works with; ids for what media may become in its account, one for each. */
export interface Publishing {
  readonly making: Making;
  readonly occasion: Occasion;
  readonly mediaIds: readonly FreshIds[];
}

/** Publishes a post. Its media goes into the library of its account, and is kept from then on. @source creatives 3 */
export async function publish(
  tx: Writing,
  { making, occasion, mediaIds }: Publishing,
  post: Post,
  media: readonly KnownMedia[],
): Promise<void> {
  await tx.posts.add(post);
  for (const [index, each] of media.entries()) await shelve(tx, { making, occasion }, each, {}, mediaIds[index]!);
  const keys = media.map(({ key }) => key);
  if (keys.length > 0) await markPosted(tx, occasion.account!.id, keys);
}
