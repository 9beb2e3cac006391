import { cardOf, type KnownCard } from '../cards/by-uri.ts';
import type { PollCard } from '../cards/poll-cards.ts';
import { mediaOfCards } from '../cards/shown-media.ts';
import { mediaIn, structureOf } from '../cards/structure.ts';
import type { Card } from '../cards.ts';
import type { KnownMedia, MediaGround } from '../media/known-media.ts';
import { componentHtml } from './component-view.ts';
import { type Conversation, conversationHtml } from './conversation-view.ts';
import { pollHtml } from './poll-view.ts';

/** A card as a page shows it. */
export interface CardView {
  readonly html: string;
  /** The addresses that it loads. */
  readonly loads: readonly string[];
}

/** The card that an address names, as a page shows it at a time (UTC text); undefined when it is not there any more. */
export async function viewCard(ground: MediaGround, uri: string, now: string): Promise<CardView | undefined> {
  const card = await cardOf(ground.tx, ground.account!.id, uri);
  if (!card) return undefined;
  const { tx, account, media: addresses } = ground;
  const media = await mediaOfCards({ tx, account, media: addresses! }, keysOf(card));
  const loads = [...media.values()].flatMap(({ url, poster_url }) => (poster_url === null ? [url] : [url, poster_url]));
  return { html: htmlOf(card, media, now), loads };
}

function keysOf({ family, row }: KnownCard): (string | null)[] {
  if (family === 'component') return mediaIn(structureOf(row as unknown as Card)).map(({ key }) => key);
  return Object.entries(row).flatMap(([name, value]) => (name.endsWith('media_key') ? [value as string | null] : []));
}

function htmlOf(card: KnownCard, media: ReadonlyMap<string, KnownMedia>, now: string): string {
  const { family, row } = card;
  if (family === 'component') return componentHtml(structureOf(row as unknown as Card), media);
  if (family === 'poll') return pollHtml(row as unknown as PollCard, media, card.isClosed(now));
  return conversationHtml(row as unknown as Conversation, media);
}
