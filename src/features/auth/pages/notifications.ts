import { html } from 'ghtml';
import type { Page } from '../../../contract/declare/pages.ts';
import type { Notification } from '../../../contract/store/posts.ts';
import type { Store } from '../../../contract/store/store.ts';
import { dayElement } from './days.ts';
import { accountDocument } from './layout.ts';
import { loginFirst } from './session-pages.ts';

const PATH = '/notifications';
/** As many as are shown; older ones are of no use. */
const SHOWN = 50;

/** What the page works with. */
export interface NotificationsParts {
  readonly store: Store;
  /** Where that leads of which a user is told. */
  readonly leadsTo: (notification: Notification) => string;
}

/** `/notifications`: what a user was told of, the newest first. @source creatives 10 */
export function notificationsPage({ store, leadsTo }: NotificationsParts): Page {
  return {
    path: PATH,
    methods: ['GET'],
    async answer(visit) {
      if (!visit.user) return loginFirst(PATH);
      const told = await store.read((tx) => tx.notifications.list(visit.user!.id, SHOWN));
      const list = told.map(
        (each) => html`<li>
<p><a href="${leadsTo(each)}">Preview of a draft post</a></p>
<p class="soft">!${dayElement(each.created_at)}, account ${each.account_id}${each.environment === 'sandbox' ? ' (sandbox)' : ''}</p>
</li>`,
      );
      const title = 'Notifications';
      const page = accountDocument(
        title,
        visit,
        html`<h1>${title}</h1>
!${list.length === 0 ? '<p>There is nothing to see yet.</p>' : `<ul class="entries">${list.join('\n')}</ul>`}`,
      );
      return { status: 200, html: page, hasForm: true };
    },
  };
}
