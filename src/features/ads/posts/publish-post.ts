import type { Actor, NewIds, RowFactory } from '../../../contract/declare/operation.ts';
import type { Post } from '../../../contract/store/posts.ts';
import type { WriteTransaction } from '../../../storage/unit-of-work.ts';
import { addToLibrary, markPosted } from '../media/add-to-library.ts';
import type { MediaDetails } from '../media/usable-media.ts';

/** The context for publishing; `mediaIds` are ids for account media, one for each media of the post. */
interface PublishContext {
  readonly rowFactory: RowFactory;
  readonly actor: Actor;
  readonly mediaIds: readonly NewIds[];
}

/** Publishes a post and adds its media to the library of the account. @source creatives 3 */
export async function publishPost(
  tx: WriteTransaction,
  { rowFactory, actor, mediaIds }: PublishContext,
  post: Post,
  media: readonly MediaDetails[],
): Promise<void> {
  await tx.posts.add(post);
  for (const [index, each] of media.entries())
    await addToLibrary(tx, { rowFactory, actor }, each, {}, mediaIds[index]!);
  const keys = media.map(({ key }) => key);
  if (keys.length > 0) await markPosted(tx, actor.account!.id, keys);
}
