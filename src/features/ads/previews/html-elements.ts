import { type Html, html, noHtml } from '../../../base/html.ts';
import type { MediaDetails } from '../media/usable-media.ts';

/** Renders an image, GIF or video; `label` is its accessible name. */
export function mediaHtml(media: MediaDetails | undefined, label: string): Html {
  if (!media) return noHtml;
  const { type, url, poster_url, width, height } = media;
  const size = width && height ? html` width="${width}" height="${height}"` : '';
  if (type === 'IMAGE') return html`<img src="${url}" alt="${label}"${size}>`;
  const poster = poster_url === null ? '' : html` poster="${poster_url}"`;
  const playback = type === 'GIF' ? html`controls loop muted playsinline` : html`controls preload="metadata"`;
  return html`<video src="${url}" aria-label="${label}" ${playback}${poster}${size}></video>`;
}

/** Renders a link to an http or https URL. */
export function linkHtml(url: string, content: Html): Html {
  return html`<a href="${url}" target="_blank" rel="noopener noreferrer nofollow">${content}</a>`;
}

/** Returns the host of a URL without `www.`. */
export function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^www\./, '');
}

/** Renders a button without function, since previews are static. @source decision 229 */
export function buttonHtml(label: string, { isDisabled = false }: { readonly isDisabled?: boolean } = {}): Html {
  return html`<button type="button"${isDisabled ? html` disabled` : ''}>${label}</button>`;
}

// Created lazily: it takes 20 ms.
let format: Intl.DateTimeFormat | undefined;

/** Renders a time element for a UTC text. */
export function timeHtml(at: string): Html {
  format ??= new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: 'UTC',
  });
  return html`<time datetime="${at}">${format.format(new Date(at))} UTC</time>`;
}
