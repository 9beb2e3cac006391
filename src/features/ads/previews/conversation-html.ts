import { type Html, html, joinHtml } from '../../../base/html.ts';
import type { ImageConversationCard } from '../cards/image-conversation-cards.ts';
import type { VideoConversationCard } from '../cards/video-conversation-cards.ts';
import type { MediaDetails } from '../media/usable-media.ts';
import { buttonHtml, hostOf, linkHtml, mediaHtml } from './html-elements.ts';

/** The columns of both conversation card formats. */
export type Conversation = ImageConversationCard &
  Partial<Pick<VideoConversationCard, 'poster_media_key' | 'unlocked_video_media_key'>>;

const ORDINALS = ['first', 'second', 'third', 'fourth'] as const;

/** A conversation card: its hashtags with their proposed posts, and the thank-you part after posting. */
export function conversationHtml(row: Conversation, media: ReadonlyMap<string, MediaDetails>): Html {
  const shown = media.get(row.media_key ?? '');
  const poster = media.get(row.poster_media_key ?? '');
  const framed = shown && poster ? { ...shown, poster_url: poster.url } : shown;
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
