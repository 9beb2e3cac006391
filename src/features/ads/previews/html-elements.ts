import { type Html, html, noHtml } from '../../../base/html.ts';
import type { MediaDetails } from '../media/usable-media.ts';

/** An image, GIF or video; `label` is its accessible name. */
export function mediaHtml(media: MediaDetails | undefined, label: string): Html {
  if (!media) return noHtml;
  const { type, url, poster_url, width, height } = media;
  const size = width && height ? html` width="${width}" height="${height}"` : '';
  if (type === 'IMAGE') return html`<img src="${url}" alt="${label}"${size}>`;
  const poster = poster_url === null ? '' : html` poster="${poster_url}"`;
  const playback = type === 'GIF' ? html`controls loop muted playsinline` : html`controls preload="metadata"`;
  return html`<video src="${url}" aria-label="${label}" ${playback}${poster}${size}></video>`;
}

/** A link to an http or https URL. */
export function linkHtml(url: string, content: Html): Html {
  return html`<a href="${url}" target="_blank" rel="noopener noreferrer nofollow">${content}</a>`;
}

/** The host of a URL without `www.`. */
export function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^www\./, '');
}

/** A button without function, since previews are static. @source decision 229 */
export function buttonHtml(label: string, { isOff = false }: { readonly isOff?: boolean } = {}): Html {
  return html`<button type="button"${isOff ? html` disabled` : ''}>${label}</button>`;
}
