import { html } from '../../../../base/html.ts';
import type { Page, PageRequest, PageResponse } from '../../../../contract/declare/pages.ts';
import type { Application } from '../../../../contract/store/credentials.ts';
import { tableOf } from '../../../../markup/tables.ts';
import { timestampElement } from '../../../../markup/time-elements.ts';
import { texts } from '../../../../texts/texts.ts';
import { ofApplication } from './application-tabs.ts';
import { APPS_PATH, type DeveloperDeps, forOwner } from './owner-pages.ts';
import { callTable, errorTable, totalsOf, usageOfDay } from './usage-tables.ts';

const { calls: words, overview } = texts.developer;

/** `/developer/apps/:id/calls`: what an application called in the last day, and how near it is to its limits. */
export function callsPage(deps: DeveloperDeps): Page {
  return {
    path: `${APPS_PATH}/:id/calls`,
    methods: ['GET'],
    mayFollowLogin: true,
    answer: (request) => forOwner(deps, request, (application) => shown(deps, request, application)),
  };
}

async function shown(deps: DeveloperDeps, request: PageRequest, application: Application): Promise<PageResponse> {
  const { operations } = deps;
  const counts = await usageOfDay(deps, [application.id]);
  const windows = await deps.usedWindows(application, request.user!.id);
  const { calls, refused } = totalsOf(counts);
  const limits = windows.map(({ environments, name, whose, limit, remaining, reset }) => [
    html`<code>${name}</code>`,
    environments.map((each) => texts.site.environments[each]).join(', '),
    whose === 'user' ? words.you : words.theApplication,
    words.leftOf(remaining, limit),
    timestampElement(new Date(reset * 1000).toISOString()),
  ]);
  const title = words.titleOf(application.name);
  const content = html`<p>${words.sum(calls, refused)}</p>
<section class="card"><h2>${overview.errors}</h2>
${errorTable(counts, { operations })}</section>
<section class="card"><h2>${overview.calls}</h2>
${callTable(counts, { operations })}</section>
<section class="card"><h2>${words.limits}</h2>
<p class="soft">${words.limitsAbout}</p>
${tableOf([words.limit, words.environment, words.whose, words.left, words.reset], limits, words.noLimits)}</section>`;
  return {
    status: 200,
    html: ofApplication(request, application, 'calls', { title, content, width: 'full' }),
    hasForm: true,
  };
}
