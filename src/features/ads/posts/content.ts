import { entitiesOf } from '../../../base/entities.ts';
import { foldCase } from '../../../base/text.ts';
import { itemsOf } from '../../../contract/declare/fields.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import { cardOf, type KnownCard } from '../cards/by-uri.ts';
import { type KnownMedia, knownMedia, type MediaGround, mediaFaults } from '../media/known-media.ts';

/** What a post says. */
export interface Content {
  readonly text: string | null;
  readonly card_uri: string | null;
  /** JSON text: a list. */
  readonly media_keys: string | null;
}

/** Media of a post, and what is wrong with it. */
export interface JudgedMedia {
  readonly known: readonly KnownMedia[];
  readonly errors: readonly ErrorDetail[];
}

const IMAGES_MAX = 4;

/** What can be wrong with each key. */
export const MEDIA_PROBLEMS = ['INVALID_MEDIA', 'INVALID_MEDIA_ID', 'MEDIA_NOT_TRANSCODED'] as const;

/** Media keys of a post. */
export function keysOf({ media_keys }: Pick<Content, 'media_keys'>): string[] {
  return itemsOf(media_keys ?? '[]');
}

/** A post needs text or media; a card alone is not enough, and neither are blanks. @source creatives 10 */
export function blank(content: Content): ErrorDetail | undefined {
  const isBlank = (content.text ?? '').trim() === '' && keysOf(content).length === 0;
  return isBlank ? { problem: 'POST_CANNOT_BE_BLANK', parameter: 'text' } : undefined;
}

/** More keys than any post takes. */
export function tooMuchMedia(content: Content): ErrorDetail | undefined {
  return keysOf(content).length > IMAGES_MAX ? { problem: 'MEDIA_MIXED', parameter: 'media_keys' } : undefined;
}

/** Who shows media, and whose uploads may be shown that are not in the library. */
export interface MediaUsers {
  readonly author: string;
  readonly owners?: readonly string[];
}

/** The media of a post: keys that may not be used are faults. */
export async function judgedMedia(
  ground: MediaGround,
  content: Content,
  { author, owners = [] }: MediaUsers,
): Promise<JudgedMedia> {
  const keys = keysOf(content);
  const found = await knownMedia(ground, keys, { owners });
  const uses = keys.map((key) => {
    return { parameter: 'media_keys', key, types: ['IMAGE', 'GIF', 'VIDEO'], asUser: author } as const;
  });
  const known = keys.map((key) => found.get(key)).filter((media) => media !== undefined);
  return { known, errors: keys.length === 0 ? [] : mediaFaults(found, uses) };
}

/** Media that does not go together. @source creatives 10 and 13.1 */
export function mixed(known: readonly KnownMedia[]): ErrorDetail | undefined {
  const isFit = known.length <= 1 || (known.length <= IMAGES_MAX && known.every(({ type }) => type === 'IMAGE'));
  return isFit ? undefined : { problem: 'MEDIA_MIXED', parameter: 'media_keys' };
}

/** The card of a post, or what is wrong with its address; neither when it has none. */
export async function judgedCard(
  { tx, account }: MediaGround,
  { card_uri }: Pick<Content, 'card_uri'>,
): Promise<{ readonly card?: KnownCard; readonly error?: ErrorDetail }> {
  if (card_uri === null) return {};
  const card = await cardOf(tx, account!.id, card_uri);
  if (card) return { card };
  const words = { kind: 'Card' };
  return { error: { problem: 'CARD_NOT_FOUND', parameter: 'card_uri', value: card_uri, words } };
}

/**
 * Everything that must be right when a post is published.
 * @source creatives 11 and 13.1
 */
export async function publishable(
  ground: MediaGround & { readonly now: string },
  content: Content,
  who: MediaUsers,
): Promise<JudgedMedia> {
  const media = await judgedMedia(ground, content, who);
  const { card, error } = await judgedCard(ground, content);
  const both = { a: 'card_uri', b: 'media_keys' };
  const errors: (ErrorDetail | undefined)[] = [
    blank(content),
    ...media.errors,
    media.errors.length > 0 ? undefined : mixed(media.known),
    error,
    card?.isClosed(ground.now)
      ? { problem: 'CARD_CLOSED', parameter: 'card_uri', words: { raw: content.card_uri! } }
      : undefined,
    content.card_uri !== null && keysOf(content).length > 0
      ? { problem: 'EXCLUSIVE_PARAMETERS', parameter: 'card_uri, media_keys', words: both }
      : undefined,
  ];
  return { known: media.known, errors: errors.filter((each) => each !== undefined) };
}

/** What lists look for in posts of every kind. */
export function searched({ name, text }: { readonly name: string | null; readonly text: string | null }): {
  readonly name_folded: string | null;
  readonly starts_with_mention: 0 | 1;
} {
  const [first] = entitiesOf((text ?? '').trimStart());
  const isMention = first?.kind === 'mention' && first.start === 0;
  return { name_folded: name === null ? null : foldCase(name), starts_with_mention: isMention ? 1 : 0 };
}
