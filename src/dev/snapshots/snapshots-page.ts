import { type Html, html, joinHtml } from '../../base/html.ts';
import { hiddenFields, noticeBox } from '../../markup/boxes.ts';
import { AS_TYPED, formField } from '../../markup/form-fields.ts';
import { timestampElement } from '../../markup/time-elements.ts';
import { texts } from '../../texts/texts.ts';
import type { DevReply } from '../surface/call.ts';
import { formPath, type RefusedForm, refusalBox, type ToolPages } from '../surface/tool-pages.ts';

const words = texts.tools.snapshots;

/** A snapshot in the reply of `GET /_dev/snapshots`. */
export interface SnapshotReply {
  readonly name: string;
  readonly at: string;
  readonly clock: string;
  readonly bytes: number;
}

const FORM = formPath('snapshots');

/** Renders the page of snapshots; `snapshots` is undefined where they are not supported. */
export function snapshotsPage(
  pages: ToolPages,
  snapshots: readonly SnapshotReply[] | undefined,
  { refused, done }: { readonly refused?: RefusedForm; readonly done?: string },
): DevReply {
  const taking = refused?.form.get('act') === 'take' ? refused : undefined;
  return pages.render('snapshots', {
    status: refused?.error.status,
    title: words.title,
    content: html`<p>${words.about}</p>
${refusalBox(refused)}
${noticeBox(words.done[done as 'seed'])}
${snapshots ? listAndForms(snapshots, taking) : html`<p>${words.unavailable(html`<code>barker dev</code>`)}</p>`}`,
  });
}

function listAndForms(snapshots: readonly SnapshotReply[], taking: RefusedForm | undefined): Html {
  return html`<section><h2>${words.stored}</h2>
${snapshots.length === 0 ? html`<p class="soft">${words.none}</p>` : html`<ul class="deliveries">${joinHtml(snapshots.map(item), '\n')}</ul>`}
</section>
<section><h2>${words.take}</h2>
<form method="post" action="${FORM}">
${hiddenFields({ act: 'take' })}
${formField({ member: 'name', label: words.name, hint: words.nameHint, attributes: html`required maxlength="64" ${AS_TYPED}` }, taking?.form.get('name') ?? '', taking?.error.message)}
<div class="buttons"><button class="main" type="submit">${words.button}</button></div>
</form></section>
<section><h2>${words.export}</h2>
<p>${words.exportAbout(html`<a href="/_dev/world">${words.exportLink}</a>`, html`<code>barker dev --world</code>`)}</p></section>
<section><h2>${words.reset}</h2>
<p class="soft">${words.resetAbout}</p>
<details><summary>${words.sure}</summary>
<form method="post" action="${FORM}"><div class="buttons">
<button class="bad" type="submit" name="act" value="seed">${words.seed}</button>
<button class="bad" type="submit" name="act" value="empty">${words.empty}</button>
</div></form></details></section>`;
}

function item({ name, at, clock, bytes }: SnapshotReply): Html {
  const button = (act: string, text: string): Html =>
    html`<form method="post" action="${FORM}">${hiddenFields({ act, name })}
<button type="submit" aria-label="${text} ${name}">${text}</button></form>`;
  return html`<li><div><p><strong>${name}</strong></p>
<p class="soft">${words.taken(timestampElement(at), timestampElement(clock))}<br>
${words.size((bytes / 1e6).toFixed(1))}, <a href="/_dev/snapshots/${name}/file" aria-label="${words.downloadIt(name)}">${words.download}</a></p></div>
<div class="buttons">${button('restore', words.restore)}
${button('remove', words.remove)}</div></li>`;
}
