import { html } from 'ghtml';
import type { MediaDetails } from '../media/usable-media.ts';

/** An image or a video of a card; `label` says what it is to whoever cannot see it. */
export function mediaHtml(media: MediaDetails | undefined, label: string): string {
  if (!media) return '';
  const { type, url, poster_url, width, height } = media;
  const size = width && height ? html` width="${width}" height="${height}"` : '';
  if (type === 'IMAGE') return html`<img src="${url}" alt="${label}"!${size}>`;
  const poster = poster_url === null ? '' : html` poster="${poster_url}"`;
  return html`<video src="${url}" aria-label="${label}" controls preload="metadata"!${poster}!${size}></video>`;
}

/** A link to a page of the web: http or https, as cards have them. */
export function linkHtml(url: string, content: string): string {
  return html`<a href="${url}" target="_blank" rel="noopener noreferrer nofollow">!${content}</a>`;
}

/** The host of an address, as people read it. */
export function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^www\./, '');
}

/** Something to choose; it does nothing in a preview. */
export function buttonHtml(label: string, { isOff = false }: { readonly isOff?: boolean } = {}): string {
  return html`<button type="button"!${isOff ? ' disabled' : ''}>${label}</button>`;
}
