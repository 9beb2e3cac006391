import { entitiesOf } from '../../../base/entities.ts';
import { itemsOf } from '../../../contract/declare/fields.ts';
import type { Change } from '../../../contract/declare/rules.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import { foldedName } from '../../../rows/search-columns.ts';
import { findCard, type ResolvedCard } from '../cards/find-card.ts';
import { checkMediaUses, findUsableMedia, type MediaContext, type MediaDetails } from '../media/usable-media.ts';

/** The content of a post. */
export interface PostContent {
  readonly text: string | null;
  readonly card_uri: string | null;
  /** JSON text of an array. */
  readonly media_keys: string | null;
}

/** The media of a post and its errors. */
interface CheckedMedia {
  readonly media: readonly MediaDetails[];
  readonly errors: readonly ErrorDetail[];
}

const IMAGES_MAX = 4;

/** The problems of a single media key. */
export const MEDIA_PROBLEMS = ['INVALID_MEDIA', 'INVALID_MEDIA_ID', 'MEDIA_NOT_TRANSCODED'] as const;

/** Returns the media keys of a post. */
export function mediaKeysOf({ media_keys }: Pick<PostContent, 'media_keys'>): string[] {
  return itemsOf(media_keys);
}

/** Rule: a post has text or media; a card or white space alone is not enough. @source creatives 10; decision 231 */
export function isNotBlank({ after }: Pick<Change<PostContent>, 'after'>): ErrorDetail | undefined {
  const isBlank = (after.text ?? '').trim() === '' && mediaKeysOf(after).length === 0;
  return isBlank ? { problem: 'POST_CANNOT_BE_BLANK', parameter: 'text' } : undefined;
}

/** Returns the error of more media keys than any post accepts. */
export function checkMediaCount(content: PostContent): ErrorDetail | undefined {
  return mediaKeysOf(content).length > IMAGES_MAX ? { problem: 'MEDIA_MIXED', parameter: 'media_keys' } : undefined;
}

/** The author of a post, and the owners whose uploads may be used without being in the library. @source decision 237 */
interface MediaUsers {
  readonly author: string;
  readonly owners?: readonly string[];
}

/** Looks up the media of a post; unusable keys are errors. */
export async function checkMedia(
  mediaContext: MediaContext,
  content: PostContent,
  { author, owners = [] }: MediaUsers,
): Promise<CheckedMedia> {
  const keys = mediaKeysOf(content);
  const found = await findUsableMedia(mediaContext, keys, { owners });
  const types = ['IMAGE', 'GIF', 'VIDEO'] as const;
  const uses = keys.map((key) => ({ parameter: 'media_keys', key, types, asUser: author }));
  const media = keys.map((key) => found.get(key)).filter((each) => each !== undefined);
  return { media, errors: checkMediaUses(found, uses) };
}

/** Returns the error of media that cannot be combined in one post. @source creatives 10 and 13.1 */
export function checkMediaMix(media: readonly MediaDetails[]): ErrorDetail | undefined {
  const isFit = media.length <= 1 || (media.length <= IMAGES_MAX && media.every(({ type }) => type === 'IMAGE'));
  return isFit ? undefined : { problem: 'MEDIA_MIXED', parameter: 'media_keys' };
}

/** Finds the card of a post, or returns the error of its URI; neither if the post has none. */
export async function checkCard(
  { tx, account }: MediaContext,
  { card_uri }: Pick<PostContent, 'card_uri'>,
): Promise<{ readonly card?: ResolvedCard; readonly error?: ErrorDetail }> {
  if (card_uri === null) return {};
  const card = await findCard(tx, account.id, card_uri);
  if (card) return { card };
  const words = { kind: 'Card' };
  return { error: { problem: 'CARD_NOT_FOUND', parameter: 'card_uri', value: card_uri, words } };
}

/**
 * Checks all requirements for publishing a post.
 * @source creatives 11 and 13.1
 */
export async function checkPublishable(
  mediaContext: MediaContext & { readonly now: string },
  content: PostContent,
  who: MediaUsers,
): Promise<CheckedMedia> {
  const media = await checkMedia(mediaContext, content, who);
  const { card, error } = await checkCard(mediaContext, content);
  const both = { a: 'card_uri', b: 'media_keys' };
  const errors: (ErrorDetail | undefined)[] = [
    isNotBlank({ after: content }),
    ...media.errors,
    media.errors.length > 0 ? undefined : checkMediaMix(media.media),
    error,
    card?.isClosed(mediaContext.now)
      ? { problem: 'CARD_CLOSED', parameter: 'card_uri', words: { raw: content.card_uri! } }
      : undefined,
    content.card_uri !== null && mediaKeysOf(content).length > 0
      ? { problem: 'EXCLUSIVE_PARAMETERS', parameter: 'card_uri, media_keys', words: both }
      : undefined,
  ];
  return { media: media.media, errors: errors.filter((each) => each !== undefined) };
}

/** Derives the columns that lists of posts search. */
export function searchColumns({ name, text }: { readonly name: string | null; readonly text: string | null }) {
  const [first] = entitiesOf((text ?? '').trimStart());
  const isMention = first?.kind === 'mention' && first.start === 0;
  return { name_folded: foldedName(name), starts_with_mention: isMention ? 1 : 0 } as const;
}
