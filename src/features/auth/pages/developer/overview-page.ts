import { type Html, html } from '../../../../base/html.ts';
import type { Page, PageRequest, PageResponse } from '../../../../contract/declare/pages.ts';
import type { Application } from '../../../../contract/store/credentials.ts';
import type { ReadTransaction } from '../../../../contract/store/store.ts';
import { tableOf } from '../../../../markup/tables.ts';
import { texts } from '../../../../texts/texts.ts';
import { developerPage } from '../layout.ts';
import { APPS_PATH, type DeveloperDeps, forUser } from './owner-pages.ts';
import { errorTable, totalsOf, usageOfDay, versionTable } from './usage-tables.ts';

const words = texts.developer.overview;

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
  const { title } = words;
  const content =
    standings.length === 0
      ? html`<p>${words.none}</p>
<p><a class="main" href="${APPS_PATH}/new">${words.register}</a></p>`
      : html`<section class="card"><h2>${words.applications}</h2>
${tableOf(
  [words.application, ...[words.calls, words.refused, words.webhooks, words.streams].map((number) => ({ number }))],
  standings.map((each) =>
    rowOf(each, totalsOf(counts.filter((count) => count.application_id === each.application.id))),
  ),
  '',
)}
<p class="soft">${words.since}</p></section>
<section class="card"><h2>${words.errors}</h2>
${errorTable(counts, { operations, names })}</section>
<section class="card"><h2>${words.versions}</h2>
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
