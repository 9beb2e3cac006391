import { html } from '../../../../base/html.ts';
import type { Page, PageRequest, PageResponse } from '../../../../contract/declare/pages.ts';
import type { Application } from '../../../../contract/store/credentials.ts';
import { tableOf } from '../../../../markup/tables.ts';
import { timestampElement } from '../../../../markup/time-elements.ts';
import { ofApplication } from './application-tabs.ts';
import { APPS_PATH, type DeveloperDeps, forOwner } from './owner-pages.ts';
import { callTable, errorTable, totalsOf, usageOfDay } from './usage-tables.ts';

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
  const limits = windows.map(({ environment, name, whose, limit, remaining, reset }) => [
    html`<code>${name}</code>`,
    environment === 'sandbox' ? 'Sandbox' : 'Production',
    whose === 'user' ? 'You' : 'The application',
    `${remaining} of ${limit}`,
    timestampElement(new Date(reset * 1000).toISOString()),
  ]);
  const title = `Calls of ${application.name}`;
  const content = html`<p>In the last 24 hours: ${calls} ${calls === 1 ? 'call' : 'calls'}, ${refused} refused. Calls whose credentials were wrong belong to
no application, and are not among them.</p>
<section class="card"><h2>Errors</h2>
${errorTable(counts, { operations })}</section>
<section class="card"><h2>Calls</h2>
${callTable(counts, { operations })}</section>
<section class="card"><h2>Limits in use</h2>
<p class="soft">Those of calls with your access token, and of calls with the bearer token. Each opens anew at its time.</p>
${tableOf(['Limit', 'Environment', 'Whose', 'Left', 'Opens anew'], limits, 'None is in use at the moment.')}</section>`;
  return {
    status: 200,
    html: ofApplication(request, application, 'calls', { title, content, width: 'full' }),
    hasForm: true,
  };
}
