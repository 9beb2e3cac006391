import type { Actor, NewIds, RowFactory } from '../../../contract/declare/operation.ts';
import type { Post } from '../../../contract/store/posts.ts';
import type { WriteTransaction } from '../../../storage/unit-of-work.ts';
import { addToLibrary, markPosted } from '../media/add-to-library.ts';
import type { MediaDetails } from '../media/usable-media.ts';
import { detectLanguage } from './detect-language.ts';
import { searchColumns } from './post-content.ts';
import { UNPUBLISHED_DEFAULTS } from './post-view.ts';

/** The context for publishing; `mediaIds` has ids for account media, one for each media of the post. */
interface PublishContext {
  readonly rowFactory: RowFactory;
  readonly actor: Actor;
  readonly mediaIds: readonly NewIds[];
}

type DefaultName = keyof typeof UNPUBLISHED_DEFAULTS;
type DerivedName = 'starts_with_mention' | 'repost_of' | 'lang';

/** Builds a post from its values, defaults and derived columns. */
export function buildPost(values: Omit<Post, DefaultName | DerivedName> & Partial<Pick<Post, DefaultName>>): Post {
  const { starts_with_mention } = searchColumns(values);
  const lang = detectLanguage(values.text ?? '');
  return { ...UNPUBLISHED_DEFAULTS, ...values, starts_with_mention, repost_of: null, lang };
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
