import { html, joinHtml } from '../../../base/html.ts';
import type { Page } from '../../../contract/declare/pages.ts';
import type { Notification } from '../../../contract/store/posts.ts';
import type { Store } from '../../../contract/store/store.ts';
import { dateElement } from '../../../markup/time-elements.ts';
import { texts } from '../../../texts/texts.ts';
import { accountPage } from './layout.ts';
import { redirectToLogin } from './login-pages.ts';

const words = texts.settings.notifications;

const PATH = '/notifications';
/** The number of notifications shown; older ones are omitted. */
const SHOWN = 50;

/** The dependencies of the page. */
export interface NotificationsDeps {
  readonly store: Store;
  /** The link to the subject of a notification. */
  readonly linkFor: (notification: Notification) => string;
}

/** `/notifications`: the notifications of a user, newest first. @source creatives 10 */
export function notificationsPage({ store, linkFor }: NotificationsDeps): Page {
  return {
    path: PATH,
    methods: ['GET'],
    mayFollowLogin: true,
    async answer(request) {
      if (!request.user) return redirectToLogin(PATH);
      const notifications = await store.read((tx) => tx.notifications.list(request.user!.id, SHOWN));
      const list = notifications.map(
        (each) => html`<li>
<p><a href="${linkFor(each)}">${words.preview}</a></p>
<p class="soft">${dateElement(each.created_at)}, ${words.where(each.account_id, each.environment === 'sandbox')}</p>
</li>`,
      );
      const { title } = words;
      const page = accountPage(
        title,
        request,
        html`<h1>${title}</h1>
${list.length === 0 ? html`<p>${words.none}</p>` : html`<ul class="entries">${joinHtml(list, '\n')}</ul>`}`,
        { section: 'notifications' },
      );
      return { status: 200, html: page, hasForm: true };
    },
  };
}
