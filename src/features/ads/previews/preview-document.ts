import { entitiesOf } from '../../../base/entities.ts';
import { displayUrl } from '../../../base/entity-shapes.ts';
import { type Html, type HtmlValue, html, joinHtml, noHtml } from '../../../base/html.ts';
import type { MediaDetails } from '../media/usable-media.ts';
import type { RenderContext } from '../posts/post-json.ts';
import type { PostView } from '../posts/post-view.ts';
import { linkHtml, mediaHtml, timeHtml } from './html-elements.ts';

/** Renders the HTML document of a post preview. */
export function previewDocument(post: PostView, { authors, media }: RenderContext, card: Html = noHtml): Html {
  const author = authors.get(post.user_id);
  const name = author?.name ?? post.user_id;
  const handle = author?.screen_name ?? '';
  const attached = post.media_keys.map((key) => media.get(key)).filter((each) => each !== undefined);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Post of ${name}</title>
<link rel="icon" href="/pages/favicon">
<link rel="stylesheet" href="/pages/preview.css">
</head>
<body>
<main>
<article>
<header>
<span class="portrait" aria-hidden="true">${([...name.trim()][0] ?? '?').toUpperCase()}</span>
<h1><span class="name">${name}</span> <span class="handle">@${handle}</span></h1>
${stateHtml(post)}
</header>
${textHtml(post)}
${attached.length > 0 ? galleryHtml(attached, post) : ''}
${card}
<footer>
<p>${timeHtml(post.scheduled_at ?? post.created_at)}</p>
${post.nullcast ? html`<p class="promoted">Promoted</p>` : ''}
</footer>
</article>
</main>
</body>
</html>
`;
}

function stateHtml({ type, scheduled_status }: PostView): Html {
  const label = type === 'DRAFT' ? 'Draft' : scheduled_status === 'FAILED' ? 'Not published' : 'Scheduled';
  return type === 'PUBLISHED' || scheduled_status === 'SUCCESS' ? noHtml : html`<p class="state">${label}</p>`;
}

/** Renders the text of a post with entities marked; only URLs are links. */
function textHtml({ text, lang }: PostView): Html {
  if (text === '') return noHtml;
  const points = [...text];
  const output: HtmlValue[] = [];
  let done = 0;
  for (const { kind, text: inner, start, end } of entitiesOf(text)) {
    output.push(
      points.slice(done, start).join(''),
      kind === 'url'
        ? linkHtml(inner, html`${displayUrl(inner)}`)
        : html`<span class="entity">${points.slice(start, end).join('')}</span>`,
    );
    done = end;
  }
  output.push(points.slice(done).join(''));
  const language = lang === undefined || lang === 'und' ? '' : html` lang="${lang}"`;
  return html`<p class="text" dir="auto"${language}>${output}</p>`;
}

function galleryHtml(media: readonly MediaDetails[], { video_title, video_description }: PostView): Html {
  const items = media.map((each, index) =>
    mediaHtml(each, MEDIA_LABELS[each.type] + (media.length === 1 ? '' : ` ${index + 1} of ${media.length}`)),
  );
  const title = video_title === null ? '' : html`<p class="title">${video_title}</p>`;
  const description = video_description === null ? '' : html`<p class="description">${video_description}</p>`;
  return html`<div class="gallery of-${media.length}">${joinHtml(items, '\n')}</div>${title}${description}`;
}

const MEDIA_LABELS = { IMAGE: 'Image', GIF: 'Animation', VIDEO: 'Video' } as const;
