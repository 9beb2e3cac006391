import { html } from 'ghtml';
import type { Clock } from '../../../base/clock.ts';
import { formatInstant } from '../../../base/instants.ts';
import { isLongId } from '../../../contract/declare/long-ids.ts';
import type { Page, PageAnswer, Visit } from '../../../contract/declare/pages.ts';
import type { Store } from '../../../contract/store/store.ts';
import { withdrawAccess } from '../applications/administer.ts';
import { type Connected, connectedTo } from '../applications/connected.ts';
import { dayElement } from './days.ts';
import { shownHost } from './destination.ts';
import { accountDocument, hidden, noticeOf, settingsDocument } from './layout.ts';
import { monogram } from './monogram.ts';
import { refusal } from './refusals.ts';
import { loginFirst } from './session-pages.ts';
import { abilitiesOf, LEVEL_NAMES } from './wordings.ts';

const PATH = '/settings/connected_apps';

/** What the page works with. */
export interface ConnectedAppsParts {
  readonly store: Store;
  readonly clock: Clock;
}

/** `/settings/connected_apps`: what applications may do for a user, and the way to withdraw it. @source authentication gaps 9 */
export function connectedAppsPage(parts: ConnectedAppsParts): Page {
  return {
    path: PATH,
    methods: ['GET', 'POST'],
    async answer(visit) {
      if (!visit.user) return loginFirst(PATH);
      return visit.method === 'GET' ? shown(parts, visit) : withdraw(parts, visit);
    },
  };
}

async function shown({ store }: ConnectedAppsParts, visit: Visit): Promise<PageAnswer> {
  const connected = await store.read((tx) => connectedTo(tx, visit.user!.id));
  const withdrawn = visit.parameter('withdrawn') === 'yes' ? 'The application no longer has access.' : undefined;
  const list =
    connected.length === 0
      ? '<p>No application has access to your account.</p>'
      : `<ul class="entries">${connected.map((each) => entry(each, visit.formToken)).join('\n')}</ul>`;
  const title = 'Connected apps';
  const page = settingsDocument(
    title,
    visit,
    PATH,
    html`<h1>${title}</h1>
!${noticeOf(withdrawn)}
<p class="soft">Applications that you have given access to your account.</p>
!${list}`,
  );
  return { status: 200, html: page, hasForm: true };
}

function entry({ application, level, since, lastUsed }: Connected, formToken: string): string {
  const { name, organization_name, website_url, email_access, suspended } = application;
  const { can } = abilitiesOf(level, email_access === 1);
  const from = [organization_name, website_url && shownHost(website_url)].filter((text) => text !== '').join(', ');
  return html`<li>
<h2>!${monogram(name)}${name}</h2>
!${from === '' ? '' : html`<p class="soft">${from}</p>`}
!${suspended ? '<p class="alert">This application is suspended; it cannot use its access at the moment.</p>' : ''}
<dl class="facts">
<dt>Access</dt><dd>${LEVEL_NAMES[level]}</dd>
<dt>Given</dt><dd>!${dayElement(since)}</dd>
<dt>Last used</dt><dd>!${lastUsed === null ? 'Never' : dayElement(lastUsed)}</dd>
</dl>
<details><summary>What it can do</summary>
<ul class="can">!${can.map((item) => html`<li>${item}</li>`).join('')}</ul></details>
<form method="post" action="${PATH}">
!${hidden({ authenticity_token: formToken, application: application.id })}
<button type="submit" class="bad" aria-label="Withdraw access of ${name}">Withdraw access</button>
</form>
</li>`;
}

async function withdraw({ store, clock }: ConnectedAppsParts, visit: Visit): Promise<PageAnswer> {
  const [user, application] = [visit.user!.id, visit.parameter('application') ?? ''];
  const now = formatInstant(clock.now());
  const event = { event: 'access_withdrawn', user_id: user, application_id: application } as const;
  const isDone = isLongId(application)
    ? await store.write(async (tx) => {
        if (!(await withdrawAccess(tx, { user, application }, now))) return false;
        await visit.record(tx, event);
        return true;
      })
    : false;
  if (!isDone) return refusal('page');
  const location = `${PATH}?withdrawn=yes`;
  return { status: 303, location, html: accountDocument('Withdrawn', visit, '<h1>Withdrawn</h1>'), noted: [event] };
}
