import { type Html, html, joinHtml } from '../../../base/html.ts';
import { formatInstant } from '../../../base/instants.ts';
import { isLongId } from '../../../contract/declare/long-ids.ts';
import type { FormFields, Page, PageResponse, UserRequest } from '../../../contract/declare/pages.ts';
import { ACCESS_LEVELS, type AccessLevel, type Application } from '../../../contract/store/credentials.ts';
import { hiddenFields } from '../../../markup/boxes.ts';
import { dateElement } from '../../../markup/time-elements.ts';
import type { ReadTransaction } from '../../../storage/unit-of-work.ts';
import { texts } from '../../../texts/texts.ts';
import { revokeAccess } from '../applications/administration.ts';
import { LEVEL_NAMES, permissionsOf } from './access-levels.ts';
import { displayHost } from './callback-target.ts';
import { errorPage } from './error-pages.ts';
import { noticeAfter, redirect, settingsPage, userPage } from './layout.ts';
import { monogram } from './monogram.ts';
import type { PagesDeps } from './pages-deps.ts';

const words = texts.settings.connected;

const PATH = '/settings/connected_apps';

/**
 * `/settings/connected_apps`: the applications with access to the account of a user, who can revoke it.
 * @source authentication 9; decision 102
 */
export function connectedAppsPage(deps: PagesDeps): Page {
  return userPage(deps, PATH, list, revoke);
}

async function list({ store }: PagesDeps, request: UserRequest): Promise<PageResponse> {
  const connected = await store.read((tx) => listConnected(tx, request.user.id));
  const entries = connected.map((each) => entry(each, request.formFields));
  const content = html`${noticeAfter(request, 'withdrawn', words.revoked)}
<p class="soft">${words.about}</p>
${entries.length === 0 ? html`<p>${words.none}</p>` : html`<ul class="entries">${joinHtml(entries, '\n')}</ul>`}`;
  return settingsPage(words.title, request, PATH, content);
}

/** An application with access to the account of a user. */
interface ConnectedApplication {
  readonly application: Application;
  /** The highest access level of its tokens. */
  readonly level: AccessLevel;
  /** When the oldest of its tokens was issued, UTC text. */
  readonly since: string;
  /** The day any of its tokens was last used; null when none was used. */
  readonly lastUsed: string | null;
}

/** The applications with access to the account of a user, sorted by name. @source authentication 9 */
async function listConnected(tx: ReadTransaction, user: string): Promise<ConnectedApplication[]> {
  const tokens = Map.groupBy(await tx.credentials.listTokensOf(user), (token) => token.application_id);
  const found: ConnectedApplication[] = [];
  for (const [id, own] of tokens) {
    const levels = own.map((token) => token.access_level);
    found.push({
      application: (await tx.credentials.findApplication(id))!,
      level: ACCESS_LEVELS.findLast((level) => levels.includes(level))!,
      since: own.map((token) => token.created_at).sort()[0]!,
      lastUsed:
        own
          .flatMap((token) => token.last_used_at ?? [])
          .sort()
          .at(-1) ?? null,
    });
  }
  return found.sort((a, b) => (a.application.name < b.application.name ? -1 : 1));
}

function entry({ application, level, since, lastUsed }: ConnectedApplication, formFields: FormFields): Html {
  const { id, name, organization_name, website_url, email_access, suspended } = application;
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
${hiddenFields({ ...formFields, application: id })}
<button type="submit" class="bad" aria-label="${words.revokeFor(name)}">${words.revoke}</button>
</form>
</li>`;
}

async function revoke({ store, clock }: PagesDeps, request: UserRequest): Promise<PageResponse> {
  const [user, application] = [request.user.id, request.parameter('application') ?? ''];
  const event = { event: 'access_withdrawn', user_id: user, application_id: application } as const;
  if (!isLongId(application)) return errorPage('page');
  const isDone = await store.write(async (tx) => {
    if (!(await revokeAccess(tx, { user, application }, formatInstant(clock.now())))) return false;
    await request.record(tx, event);
    return true;
  });
  return isDone ? redirect(request, `${PATH}?withdrawn=yes`, [event]) : errorPage('page');
}
