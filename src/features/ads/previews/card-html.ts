import type { Html } from '../../../base/html.ts';
import { mediaReferences, parseStructure } from '../cards/card-structure.ts';
import { findCard, type ResolvedCard } from '../cards/find-card.ts';
import type { PollCard } from '../cards/poll-cards.ts';
import type { Card } from '../cards.ts';
import { findMediaDetails, type MediaContext, type MediaDetails } from '../media/usable-media.ts';
import type { PostView } from '../posts/post-view.ts';
import { componentHtml } from './component-html.ts';
import { type Conversation, conversationHtml } from './conversation-html.ts';
import { pollHtml } from './poll-html.ts';

/** A card as HTML. */
export interface RenderedCard {
  readonly html: Html;
  /** URLs of the media it loads, for the content security policy. */
  readonly mediaUrls: readonly string[];
}

/** Renders the card of a post at `now` (UTC text); undefined without one, or when the post does not keep it. */
export async function renderCard(
  mediaContext: MediaContext,
  { card_uri, type }: Pick<PostView, 'card_uri' | 'type'>,
  now: string,
): Promise<RenderedCard | undefined> {
  if (card_uri === null) return undefined;
  const deleted = type === 'PUBLISHED' ? 'shown' : 'hidden';
  const card = await findCard(mediaContext.tx, mediaContext.account!.id, card_uri, { deleted });
  if (!card) return undefined;
  const media = await findMediaDetails(mediaContext, keysOf(card));
  const mediaUrls = [...media.values()].flatMap(({ url, poster_url }) =>
    poster_url === null ? [url] : [url, poster_url],
  );
  return { html: htmlOf(card, media, now), mediaUrls };
}

function keysOf({ format, row }: ResolvedCard): (string | null)[] {
  if (format === 'component') return mediaReferences(parseStructure(row as unknown as Card)).map(({ key }) => key);
  return Object.entries(row).flatMap(([name, value]) => (name.endsWith('media_key') ? [value as string | null] : []));
}

function htmlOf(card: ResolvedCard, media: ReadonlyMap<string, MediaDetails>, now: string): Html {
  const { format, row } = card;
  if (format === 'component') return componentHtml(parseStructure(row as unknown as Card), media);
  if (format === 'poll') return pollHtml(row as unknown as PollCard, media, card.isClosed(now));
  return conversationHtml(row as unknown as Conversation, media);
}
