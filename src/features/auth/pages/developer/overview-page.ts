import { type Html, html } from '../../../../base/html.ts';
import type { Page, PageResponse, UserRequest } from '../../../../contract/declare/pages.ts';
import type { Application } from '../../../../contract/store/credentials.ts';
import { tableOf } from '../../../../markup/tables.ts';
import type { ReadTransaction } from '../../../../storage/unit-of-work.ts';
import { texts } from '../../../../texts/texts.ts';
import { developerPage, userPage } from '../layout.ts';
import type { PagesDeps } from '../pages-deps.ts';
import { APPS_PATH } from './owner-pages.ts';
import { errorTable, readDailyUsage, totalsOf, versionTable } from './usage-tables.ts';

const words = texts.developer.overview;

const PATH = '/developer';
/** Maximum number of applications on the page; the list has all. */
const APPLICATIONS_MAX = 100;

/** `/developer`: the calls of a user's applications in the last day, and what needs attention. */
export function overviewPage(deps: PagesDeps): Page {
  return userPage(deps, PATH, render);
}

/** An application with the state of its webhooks and streams. */
interface ApplicationState {
  readonly application: Application;
  readonly webhooks: number;
  readonly brokenWebhooks: number;
  readonly streams: number;
}

async function render(deps: PagesDeps, request: UserRequest): Promise<PageResponse> {
  const { store, operations } = deps;
  const states = await store.read(async (tx) => {
    const query = { owner: request.user.id, after: '', limit: APPLICATIONS_MAX };
    const found: ApplicationState[] = [];
    for (const each of await tx.credentials.listApplications(query)) found.push(await readState(tx, each));
    return found;
  });
  const names = new Map(states.map(({ application: { id, name } }) => [id, name]));
  const counts = await readDailyUsage(deps, [...names.keys()]);
  const numbers = [words.calls, words.refused, words.webhooks, words.streams].map((number) => ({ number }));
  const rows = states.map((each) =>
    rowOf(each, totalsOf(counts.filter((count) => count.application_id === each.application.id))),
  );
  const content =
    rows.length === 0
      ? html`<p>${words.none}</p>
<p><a class="main" href="${APPS_PATH}/new">${words.register}</a></p>`
      : html`<section class="card"><h2>${words.applications}</h2>
${tableOf([words.application, ...numbers], rows, '')}
<p class="soft">${words.since}</p></section>
<section class="card"><h2>${words.errors}</h2>
${errorTable(counts, operations, names)}</section>
<section class="card"><h2>${words.versions}</h2>
${versionTable(counts, operations)}</section>`;
  return developerPage(words.title, request, PATH, content, { width: 'full' });
}

async function readState(tx: ReadTransaction, application: Application): Promise<ApplicationState> {
  const webhooks = await tx.webhooks.list(application.id);
  const streams = await tx.streamConnections.listOpen(application.id);
  return {
    application,
    webhooks: webhooks.length,
    brokenWebhooks: webhooks.filter(({ valid }) => !valid).length,
    streams: streams.length,
  };
}

function rowOf(
  { application: { id, name, suspended }, webhooks, brokenWebhooks, streams }: ApplicationState,
  { calls, refused }: ReturnType<typeof totalsOf>,
): readonly (Html | string)[] {
  const path = `${APPS_PATH}/${id}`;
  const state = suspended ? html` <strong class="failed">${texts.developer.suspended}</strong>` : '';
  const broken = brokenWebhooks === 0 ? '' : html` <span class="failed">${words.invalid(brokenWebhooks)}</span>`;
  return [
    html`<a href="${path}">${name}</a>${state}`,
    html`<a href="${path}/calls" aria-label="${words.callsOf(name, calls)}">${calls}</a>`,
    String(refused),
    html`<a href="${path}/webhooks" aria-label="${words.webhooksOf(name, webhooks)}">${webhooks}</a>${broken}`,
    html`<a href="${path}/streams" aria-label="${words.streamsOf(name, streams)}">${streams}</a>`,
  ];
}
