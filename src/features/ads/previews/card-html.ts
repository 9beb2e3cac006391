import { type Html, html, joinHtml } from '../../../base/html.ts';
import {
  type CardStructure,
  type Component,
  type Destination,
  mediaReferences,
  parseStructure,
} from '../cards/card-structure.ts';
import type { ImageConversationCard, VideoConversationCard } from '../cards/conversation-cards.ts';
import { findCard, type ResolvedCard } from '../cards/find-card.ts';
import { closesAt, type PollCard } from '../cards/poll-cards.ts';
import type { Card } from '../cards.ts';
import { findMediaDetails, type MediaContext, type MediaDetails } from '../media/usable-media.ts';
import type { PostView } from '../posts/post-view.ts';
import { buttonHtml, hostOf, linkHtml, mediaHtml, timeHtml } from './html-elements.ts';

/** A rendered card. */
interface RenderedCard {
  readonly html: Html;
  /** URLs of the media it loads, for the content security policy. */
  readonly mediaUrls: readonly string[];
}

/** Renders the card of a post at `now` (UTC text); undefined if there is none, or if the post does not keep it. */
export async function renderCard(
  mediaContext: MediaContext,
  { card_uri, type }: Pick<PostView, 'card_uri' | 'type'>,
  now: string,
): Promise<RenderedCard | undefined> {
  if (card_uri === null) return undefined;
  const deleted = type === 'PUBLISHED' ? 'shown' : 'hidden';
  const card = await findCard(mediaContext.tx, mediaContext.account.id, card_uri, { deleted });
  if (!card) return undefined;
  const media = await findMediaDetails(mediaContext, keysOf(card));
  return { html: htmlOf(card, media, now), mediaUrls: urlsOf(media) };
}

/** Returns the URLs of media and their posters. */
export function urlsOf(media: Media): string[] {
  return [...media.values()].flatMap(({ url, poster_url }) => (poster_url === null ? [url] : [url, poster_url]));
}

function keysOf({ format, row }: ResolvedCard): (string | null)[] {
  if (format === 'component') return mediaReferences(parseStructure(row as Card)).map(({ key }) => key);
  return Object.entries(row).flatMap(([name, value]) => (name.endsWith('media_key') ? [value as string | null] : []));
}

function htmlOf(card: ResolvedCard, media: Media, now: string): Html {
  const { format, row } = card;
  if (format === 'component') return componentHtml(parseStructure(row as Card), media);
  if (format === 'poll') return pollHtml(row as PollCard, media, card.isClosed(now));
  return conversationHtml(row as Conversation, media);
}

type Media = ReadonlyMap<string, MediaDetails>;

/** Renders a component-based card: its components in display order, or its slides side by side. */
function componentHtml({ components, slides }: CardStructure, media: Media): Html {
  if (components) return html`<section class="card" aria-label="Card">${componentsHtml(components, media)}</section>`;
  const all = slides!.map((slide) => componentsHtml(slide, media));
  return html`<section class="card" aria-label="Card">${scrollingList(all, 'slides', 'Slides')}</section>`;
}

function componentsHtml(components: readonly Component[], media: Media): Html {
  const title = components.find(({ type }) => type === 'DETAILS')?.title;
  const url = components.find(({ destination }) => destination?.type === 'WEBSITE')?.destination?.url;
  const isSwiped = components.some(({ type }) => type === 'SWIPEABLE_MEDIA');
  // Scrolling lists and video controls cannot be inside a link.
  const hasControls = components.some(({ media_key }) => media_key && media.get(media_key)?.type === 'VIDEO');
  const isWhole = url !== undefined && !isSwiped && !hasControls;
  const pieces = components.map((each) => {
    const piece = partHtml(each, media, title);
    return each.type === 'DETAILS' && !isWhole ? linkHtml(url!, piece) : piece;
  });
  return isWhole ? linkHtml(url, html`${pieces}`) : html`${pieces}`;
}

function partHtml(component: Component, media: Media, title = ''): Html {
  const { type, media_key, media_keys = [], label, destination } = component;
  switch (type) {
    case 'MEDIA':
      return mediaHtml(media.get(media_key!), title || kindOf(media.get(media_key!)));
    case 'SWIPEABLE_MEDIA': {
      const items = media_keys.map((key, at) =>
        mediaHtml(media.get(key), `${kindOf(media.get(key))} ${at + 1} of ${media_keys.length}`),
      );
      return scrollingList(items, 'pictures', 'Pictures');
    }
    case 'DETAILS':
      return html`<p class="lead"><span class="title">${title}</span>
<span class="host">${hostOf(destination!.url!)}</span></p>`;
    case 'BUTTON':
      return html`<div class="call"><span class="host">${appOf(destination!)}</span>
${buttonHtml(capital(label!.value))}</div>`;
  }
}

/** Renders a horizontally scrolling list, focusable for keyboard use. */
function scrollingList(items: readonly Html[], kind: string, label: string): Html {
  const list = joinHtml(
    items.map((item) => html`<li>${item}</li>`),
    '\n',
  );
  return html`<ul class="${kind}" tabindex="0" aria-label="${label}">${list}</ul>`;
}

function appOf({ android_store_app_id: android, ios_store_identifier: ios }: Destination): string {
  return [android, ios].filter((each) => each !== undefined).join(' · ');
}

function kindOf(media: MediaDetails | undefined): string {
  return media?.type === 'VIDEO' ? 'Video' : 'Image';
}

function capital(word: string): string {
  return word.charAt(0) + word.slice(1).toLowerCase();
}

/** The columns of both conversation card formats. */
type Conversation = ImageConversationCard &
  Partial<Pick<VideoConversationCard, 'poster_media_key' | 'unlocked_video_media_key'>>;

const ORDINALS = ['first', 'second', 'third', 'fourth'] as const;

/** Renders a conversation card: its hashtags with their proposed posts, and the thank-you part after posting. */
function conversationHtml(row: Conversation, media: Media): Html {
  const own = media.get(row.media_key ?? '');
  const poster = media.get(row.poster_media_key ?? '');
  const framed = own && poster ? { ...own, poster_url: poster.url } : own;
  const calls = ORDINALS.filter((ordinal) => row[`${ordinal}_cta`] !== null).map(
    (ordinal) => html`<li>${buttonHtml(`Post ${row[`${ordinal}_cta`]}`)}
<span class="host">${row[`${ordinal}_cta_post`] ?? ''}</span></li>`,
  );
  return html`<section class="card conversation" aria-label="Conversation">
${mediaHtml(framed, row.title ?? 'Shown with the conversation')}
${row.title === null ? '' : html`<p class="title">${row.title}</p>`}
<ul class="choices">${joinHtml(calls, '\n')}</ul>
<details><summary>After posting</summary>
<p class="title">${row.thank_you_text ?? ''}</p>
${row.thank_you_url === null ? '' : linkHtml(row.thank_you_url, html`${hostOf(row.thank_you_url)}`)}
${mediaHtml(media.get(row.unlocked_image_media_key ?? ''), 'Unlocked image')}
${mediaHtml(media.get(row.unlocked_video_media_key ?? ''), 'Unlocked video')}
</details>
</section>`;
}

/** Renders a poll with its choices and closing time. */
function pollHtml(row: PollCard, media: Media, isClosed: boolean): Html {
  const choices = [row.first_choice, row.second_choice, row.third_choice, row.fourth_choice];
  const buttons = choices
    .filter((choice) => choice !== null)
    .map((choice) => buttonHtml(choice, { isDisabled: isClosed }));
  return html`<section class="card poll" aria-label="Poll">
${mediaHtml(media.get(row.media_key ?? ''), 'Shown with the poll')}
<ul class="choices">${buttons.map((button) => html`<li>${button}</li>`)}</ul>
<p class="host">${isClosed ? 'Closed' : 'Closes'} ${timeHtml(closesAt(row))}</p>
</section>`;
}
