import { html, joinHtml } from '../../../base/html.ts';
import type { Page } from '../../../contract/declare/pages.ts';
import { dateElement } from '../../../markup/time-elements.ts';
import { texts } from '../../../texts/texts.ts';
import { accountPage, userPage } from './layout.ts';
import type { PagesDeps } from './pages-deps.ts';

const words = texts.settings.notifications;

/** The number of notifications shown; older ones are omitted. */
const SHOWN = 50;

/** `/notifications`: the notifications of a user, newest first. @source creatives 10 */
export function notificationsPage(deps: PagesDeps): Page {
  return userPage(deps, '/notifications', async ({ store, linkFor }, request) => {
    const notifications = await store.read((tx) => tx.notifications.list(request.user.id, SHOWN));
    const items = notifications.map(
      (each) => html`<li>
<p><a href="${linkFor(each)}">${words.preview}</a></p>
<p class="soft">${dateElement(each.created_at)}, ${words.where(each.account_id, each.environment === 'sandbox')}</p>
</li>`,
    );
    const content =
      items.length === 0 ? html`<p>${words.none}</p>` : html`<ul class="entries">${joinHtml(items, '\n')}</ul>`;
    return accountPage(words.title, request, content, { section: 'notifications' });
  });
}
