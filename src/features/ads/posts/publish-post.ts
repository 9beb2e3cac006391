import type { NewIds } from '../../../contract/declare/operation.ts';
import type { Post } from '../../../contract/store/posts.ts';
import type { WriteTransaction } from '../../../storage/unit-of-work.ts';
import { addToLibrary, type LibraryContext } from '../media/add-to-library.ts';
import { libraryRows } from '../media/library-rows.ts';
import type { MediaDetails } from '../media/usable-media.ts';
import { detectLanguage } from './detect-language.ts';
import { searchColumns } from './post-content.ts';
import { UNPUBLISHED_DEFAULTS } from './post-view.ts';

/** The context for publishing; `mediaIds` has ids for account media, one for each media of the post. */
interface PublishContext extends LibraryContext {
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
  context: PublishContext,
  post: Post,
  media: readonly MediaDetails[],
): Promise<void> {
  await tx.posts.add(post);
  for (const [index, each] of media.entries()) {
    await addToLibrary(tx, context, each, {}, context.mediaIds[index]!);
  }
  const keys = media.map(({ key }) => key);
  if (keys.length > 0) await tx.records.updateAll(libraryRows, context.actor.account.id, keys, { posted: 1 });
}
