import { type Html, html, joinHtml, noHtml } from '../../base/html.ts';
import { alertBox, hiddenFields } from '../../markup/boxes.ts';
import { toSentence } from '../../markup/form-fields.ts';
import { timestampElement } from '../../markup/time-elements.ts';
import { texts } from '../../texts/texts.ts';
import type { DevReply } from '../surface/call.ts';
import type { ToolPages } from '../surface/tool-pages.ts';

const words = texts.tools.snapshots;

/** A snapshot, as `GET /_dev/snapshots` replies. */
export interface ShownSnapshot {
  readonly name: string;
  readonly at: string;
  readonly clock: string;
  readonly bytes: number;
}

/** Where the forms of the page go. */
export const SNAPSHOTS_FORM = '/_dev/forms/snapshots';

/** The snapshots as a page; undefined where there can be none. `wrong` is why a form was refused. */
export function snapshotsPage(
  pages: ToolPages,
  snapshots: readonly ShownSnapshot[] | undefined,
  refused?: { readonly status: number; readonly wrong: string; readonly name: string },
): DevReply {
  return pages.render('snapshots', {
    ...(refused && { status: refused.status }),
    title: words.title,
    content: html`<p>${words.about}</p>
${alertBox(refused && toSentence(refused.wrong))}
${snapshots ? listAndForms(snapshots, refused?.name ?? '') : html`<p>${words.unavailable(html`<code>barker dev</code>`)}</p>`}`,
  });
}

function listAndForms(snapshots: readonly ShownSnapshot[], name: string): Html {
  return html`<section><h2>${words.stored}</h2>
${snapshots.length === 0 ? html`<p class="soft">${words.none}</p>` : html`<ul class="deliveries">${joinHtml(snapshots.map(item), '\n')}</ul>`}
</section>
<section><h2>${words.take}</h2>
<form method="post" action="${SNAPSHOTS_FORM}">
${hiddenFields({ act: 'take' })}
<div class="field"><label for="name">${words.name}</label>
<p class="hint" id="name-hint">${words.nameHint}</p>
<input id="name" name="name" value="${name}" required maxlength="64" spellcheck="false" autocomplete="off" aria-describedby="name-hint"${name === '' ? noHtml : html` aria-invalid="true"`}></div>
<div class="buttons"><button class="main" type="submit">${words.button}</button></div>
</form></section>
<section><h2>${words.export}</h2>
<p>${words.exportAbout(html`<a href="/_dev/world">${words.exportLink}</a>`, html`<code>barker dev --world</code>`)}</p></section>
<section><h2>${words.reset}</h2>
<p class="soft">${words.resetAbout}</p>
<form method="post" action="${SNAPSHOTS_FORM}"><div class="buttons">
<button class="bad" type="submit" name="act" value="seed">${words.seed}</button>
<button class="bad" type="submit" name="act" value="empty">${words.empty}</button>
</div></form></section>`;
}

function item({ name, at, clock, bytes }: ShownSnapshot): Html {
  const button = (act: string, text: string): Html =>
    html`<form method="post" action="${SNAPSHOTS_FORM}">${hiddenFields({ act, name })}
<button type="submit" aria-label="${text} ${name}">${text}</button></form>`;
  return html`<li><div><p><strong>${name}</strong></p>
<p class="soft">${words.taken(timestampElement(at), timestampElement(clock))}<br>
${words.size(bytes)}, <a href="/_dev/snapshots/${name}/file" aria-label="${words.downloadIt(name)}">${words.download}</a></p></div>
<div class="buttons">${button('restore', words.restore)}
${button('remove', words.remove)}</div></li>`;
}
