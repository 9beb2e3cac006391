import { type Html, html } from '../../../../base/html.ts';
import type { Page, PageRequest, PageResponse } from '../../../../contract/declare/pages.ts';
import type { Application } from '../../../../contract/store/credentials.ts';
import type { ReadTransaction } from '../../../../contract/store/store.ts';
import { tableOf } from '../../../../markup/tables.ts';
import { developerPage } from '../layout.ts';
import { APPS_PATH, type DeveloperDeps, forUser } from './owner-pages.ts';
import { errorTable, totalsOf, usageOfDay, versionTable } from './usage-tables.ts';

const PATH = '/developer';
/** Applications that are looked at; the list has all. */
const APPLICATIONS_MAX = 100;

/** `/developer`: what the applications of a user did in the last day, and what needs attention. */
export function overviewPage(deps: DeveloperDeps): Page {
  return {
    path: PATH,
    methods: ['GET'],
    mayFollowLogin: true,
    answer: (request) => forUser(request, PATH, (user) => shown(deps, request, user)),
  };
}

/** An application, and what it holds. */
interface Standing {
  readonly application: Application;
  readonly webhooks: number;
  readonly brokenWebhooks: number;
  readonly streams: number;
}

async function shown(deps: DeveloperDeps, request: PageRequest, user: string): Promise<PageResponse> {
  const { store, operations } = deps;
  const standings = await store.read(async (tx) => {
    const query = { owner: user, after: '', limit: APPLICATIONS_MAX };
    const found: Standing[] = [];
    for (const application of await tx.credentials.listApplications(query))
      found.push(await standingOf(tx, application));
    return found;
  });
  const names = new Map(standings.map(({ application: { id, name } }) => [id, name]));
  const counts = await usageOfDay(deps, [...names.keys()]);
  const title = 'Overview';
  const content =
    standings.length === 0
      ? html`<p>Register an application, and get the keys with which it calls the API.</p>
<p><a class="main" href="${APPS_PATH}/new">Register an application</a></p>`
      : html`<section class="card"><h2>Applications</h2>
${tableOf(
  ['Application', ...['Calls', 'Refused', 'Webhooks', 'Open streams'].map((number) => ({ number }))],
  standings.map((each) =>
    rowOf(each, totalsOf(counts.filter((count) => count.application_id === each.application.id))),
  ),
  '',
)}
<p class="soft">Calls of the last 24 hours. Those whose credentials were wrong belong to no application.</p></section>
<section class="card"><h2>Errors</h2>
${errorTable(counts, { operations, names })}</section>
<section class="card"><h2>Versions</h2>
${versionTable(counts, { operations })}</section>`;
  const page = developerPage(title, request, PATH, html`<h1>${title}</h1>\n${content}`, 'full');
  return { status: 200, html: page, hasForm: true };
}

async function standingOf(tx: ReadTransaction, application: Application): Promise<Standing> {
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
  { application: { id, name, suspended }, webhooks, brokenWebhooks, streams }: Standing,
  { calls, refused }: { readonly calls: number; readonly refused: number },
): readonly (Html | string)[] {
  const path = `${APPS_PATH}/${id}`;
  const state = suspended ? html` <strong class="failed">Suspended</strong>` : '';
  const broken = brokenWebhooks === 0 ? '' : html` <span class="failed">(${brokenWebhooks} not valid)</span>`;
  return [
    html`<a href="${path}">${name}</a>${state}`,
    html`<a href="${path}/calls" aria-label="Calls of ${name}: ${calls}">${calls}</a>`,
    String(refused),
    html`<a href="${path}/webhooks" aria-label="Webhooks of ${name}: ${webhooks}">${webhooks}</a>${broken}`,
    html`<a href="${path}/streams" aria-label="Streams of ${name}: ${streams}">${streams}</a>`,
  ];
}
