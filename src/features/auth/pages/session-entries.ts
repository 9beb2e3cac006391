import { type Html, html, joinHtml } from '../../../base/html.ts';
import type { AnySession } from '../../../contract/store/logins.ts';
import { hiddenFields } from '../../../markup/boxes.ts';
import { timestampElement } from '../../../markup/time-elements.ts';
import { texts } from '../../../texts/texts.ts';

const words = texts.settings.sessions;

/** How sessions are listed, and the target of the forms that end them. */
export interface SessionListing<Listed extends AnySession> {
  /** The `id_hash` of the session that views the list. */
  readonly own: string | undefined;
  readonly path: string;
  /** Hidden fields of each form, beside `session`: an `id_hash`, or `others`. */
  readonly formFields: Readonly<Record<string, string>>;
  readonly nameOf: (session: Listed, browser: string) => string;
  readonly endOthers: string;
}

/** Live sessions, the own one first, with a form to end each of the others and one to end them all. */
export function sessionEntries<Listed extends AnySession>(
  live: readonly Listed[],
  { own, path, formFields, nameOf, endOthers }: SessionListing<Listed>,
): Html {
  const isOwn = ({ id_hash }: Listed): boolean => id_hash === own;
  const endForm = (session: string, button: Html): Html =>
    html`<form method="post" action="${path}">
${hiddenFields({ ...formFields, session })}
${button}
</form>`;
  const entries = [...live.filter(isOwn), ...live.filter((each) => !isOwn(each))].map((each) => {
    const name = nameOf(each, each.browser || words.unknownBrowser);
    const end = html`<button type="submit" class="bad" aria-label="${words.endOf(name)}">${words.end}</button>`;
    return html`<li>
<h2>${name}${isOwn(each) ? html` <span class="mark">${words.own}</span>` : ''}</h2>
<dl class="facts">
<dt>${words.since}</dt><dd>${timestampElement(each.created_at)}</dd>
<dt>${words.lastActive}</dt><dd>${timestampElement(each.last_seen_at)}</dd>
<dt>${words.address}</dt><dd>${each.address || texts.settings.unknown}</dd>
</dl>
${isOwn(each) ? '' : endForm(each.id_hash, end)}
</li>`;
  });
  const all = html`<div class="buttons"><button type="submit" class="bad">${endOthers}</button></div>`;
  return html`<ul class="entries">${joinHtml(entries, '\n')}</ul>
${live.length > 1 ? endForm('others', all) : ''}`;
}
