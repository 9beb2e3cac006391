import { type Html, html, joinHtml, noHtml } from '../../base/html.ts';
import { alertBox, hiddenFields } from '../../markup/boxes.ts';
import { timestampElement } from '../../markup/time-elements.ts';
import type { DevReply } from '../surface/call.ts';
import type { ToolPages } from '../surface/tool-pages.ts';

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
    title: 'Snapshots',
    content: html`<p>Copies of everything that the server holds, with its clock. Take one before a test, and go back to it afterwards.</p>
${alertBox(refused?.wrong)}
${snapshots ? listAndForms(snapshots, refused?.name ?? '') : html`<p>They need SQLite: start <code>barker dev</code> without a database URL and an object store.</p>`}`,
  });
}

function listAndForms(snapshots: readonly ShownSnapshot[], name: string): Html {
  return html`<section><h2>Stored</h2>
${snapshots.length === 0 ? html`<p class="soft">There are none.</p>` : html`<ul class="deliveries">${joinHtml(snapshots.map(item), '\n')}</ul>`}
</section>
<section><h2>Take one</h2>
<form method="post" action="${SNAPSHOTS_FORM}">
${hiddenFields({ act: 'take' })}
<div class="field"><label for="name">Name</label>
<p class="hint" id="name-hint">One of the same name is replaced.</p>
<input id="name" name="name" value="${name}" required maxlength="64" spellcheck="false" autocomplete="off" aria-describedby="name-hint"${name === '' ? noHtml : html` aria-invalid="true"`}></div>
<div class="buttons"><button class="main" type="submit">Take a snapshot</button></div>
</form></section>
<section><h2>Take it elsewhere</h2>
<p><a href="/_dev/world">The world as a file</a> <span class="soft">that <code>barker dev --world</code> begins with.</span></p></section>
<section><h2>Begin anew</h2>
<p class="soft">With the world as it was when the server was first started, or with nothing but its users and applications. Everything else is lost,
unless a snapshot has it.</p>
<form method="post" action="${SNAPSHOTS_FORM}"><div class="buttons">
<button class="bad" type="submit" name="act" value="seed">Begin anew</button>
<button class="bad" type="submit" name="act" value="empty">Begin empty</button>
</div></form></section>`;
}

function item({ name, at, clock, bytes }: ShownSnapshot): Html {
  const button = (act: string, text: string): Html =>
    html`<form method="post" action="${SNAPSHOTS_FORM}">${hiddenFields({ act, name })}
<button type="submit" aria-label="${text} ${name}">${text}</button></form>`;
  return html`<li><div><p><strong>${name}</strong></p>
<p class="soft">taken ${timestampElement(at)}; its clock shows ${timestampElement(clock)}<br>
${(bytes / 1e6).toFixed(1)} MB, <a href="/_dev/snapshots/${name}/file" aria-label="Download ${name}">download</a></p></div>
<div class="buttons">${button('restore', 'Go back to')}
${button('remove', 'Remove')}</div></li>`;
}
