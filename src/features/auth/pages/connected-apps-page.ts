import type { Clock } from '../../../base/clock.ts';
import { type Html, html, joinHtml } from '../../../base/html.ts';
import { formatInstant } from '../../../base/instants.ts';
import { isLongId } from '../../../contract/declare/long-ids.ts';
import type { FormFields, Page, PageRequest, PageResponse } from '../../../contract/declare/pages.ts';
import type { Store } from '../../../contract/store/store.ts';
import { hiddenFields, noticeBox } from '../../../markup/boxes.ts';
import { dateElement } from '../../../markup/time-elements.ts';
import { texts } from '../../../texts/texts.ts';
import { revokeAccess } from '../applications/administration.ts';
import { type ConnectedApplication, listConnectedApplications } from '../applications/connected-applications.ts';
import { LEVEL_NAMES, permissionsOf } from './access-levels.ts';
import { displayHost } from './callback-target.ts';
import { errorPage } from './error-pages.ts';
import { donePage, settingsPage } from './layout.ts';
import { redirectToLogin } from './login-pages.ts';
import { monogram } from './monogram.ts';

const words = texts.settings.connected;

const PATH = '/settings/connected_apps';

/** The dependencies of the page. */
export interface ConnectedAppsDeps {
  readonly store: Store;
  readonly clock: Clock;
}

/**
 * `/settings/connected_apps`: the applications with access to the account of a user, who can revoke it.
 * @source authentication gaps 9; decision 102
 */
export function connectedAppsPage(deps: ConnectedAppsDeps): Page {
  return {
    path: PATH,
    methods: ['GET', 'POST'],
    mayFollowLogin: true,
    async answer(request) {
      if (!request.user) return redirectToLogin(PATH);
      return request.method === 'GET' ? renderPage(deps, request) : withdraw(deps, request);
    },
  };
}

async function renderPage({ store }: ConnectedAppsDeps, request: PageRequest): Promise<PageResponse> {
  const connected = await store.read((tx) => listConnectedApplications(tx, request.user!.id));
  const withdrawn = request.parameter('withdrawn') === 'yes' ? words.revoked : undefined;
  const list =
    connected.length === 0
      ? html`<p>${words.none}</p>`
      : html`<ul class="entries">${joinHtml(
          connected.map((each) => entry(each, request.formFields)),
          '\n',
        )}</ul>`;
  const { title } = words;
  const page = settingsPage(
    title,
    request,
    PATH,
    html`<h1>${title}</h1>
${noticeBox(withdrawn)}
<p class="soft">${words.about}</p>
${list}`,
  );
  return { status: 200, html: page, hasForm: true };
}

function entry({ application, level, since, lastUsed }: ConnectedApplication, formFields: FormFields): Html {
  const { name, organization_name, website_url, email_access, suspended } = application;
  const { can } = permissionsOf(level, email_access === 1);
  const from = [organization_name, website_url && displayHost(website_url)].filter((text) => text !== '').join(', ');
  return html`<li>
<h2>${monogram(name)}${name}</h2>
${from === '' ? '' : html`<p class="soft">${from}</p>`}
${suspended ? html`<p class="alert">${words.suspended}</p>` : ''}
<dl class="facts">
<dt>${words.access}</dt><dd>${LEVEL_NAMES[level]}</dd>
<dt>${words.since}</dt><dd>${dateElement(since)}</dd>
<dt>${words.lastUsed}</dt><dd>${lastUsed === null ? texts.settings.never : dateElement(lastUsed)}</dd>
</dl>
<details><summary>${words.can}</summary>
<ul class="can">${can.map((item) => html`<li>${item}</li>`)}</ul></details>
<form method="post" action="${PATH}">
${hiddenFields({ ...formFields, application: application.id })}
<button type="submit" class="bad" aria-label="${words.revokeFor(name)}">${words.revoke}</button>
</form>
</li>`;
}

async function withdraw({ store, clock }: ConnectedAppsDeps, request: PageRequest): Promise<PageResponse> {
  const [user, application] = [request.user!.id, request.parameter('application') ?? ''];
  const now = formatInstant(clock.now());
  const event = { event: 'access_withdrawn', user_id: user, application_id: application } as const;
  const isDone = isLongId(application)
    ? await store.write(async (tx) => {
        if (!(await revokeAccess(tx, { user, application }, now))) return false;
        await request.record(tx, event);
        return true;
      })
    : false;
  if (!isDone) return errorPage('page');
  const location = `${PATH}?withdrawn=yes`;
  return { status: 303, location, html: donePage(request), audited: [event] };
}
