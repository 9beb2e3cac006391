import { type Html, html, joinHtml } from '../../../base/html.ts';
import type { CardStructure, Component, Destination } from '../cards/card-structure.ts';
import type { MediaDetails } from '../media/usable-media.ts';
import { buttonHtml, hostOf, linkHtml, mediaHtml } from './html-elements.ts';

type Media = ReadonlyMap<string, MediaDetails>;

/** A component-based card: its components in display order, or its slides side by side. */
export function componentHtml({ components, slides }: CardStructure, media: Media): Html {
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

/** A horizontally scrolling list, focusable for keyboard use. */
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
