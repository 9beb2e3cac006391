import { html } from '../../../../base/html.ts';
import type { Page } from '../../../../contract/declare/pages.ts';
import { tableOf } from '../../../../markup/tables.ts';
import { timestampElement } from '../../../../markup/time-elements.ts';
import { texts } from '../../../../texts/texts.ts';
import type { PagesDeps } from '../pages-deps.ts';
import { applicationTab, ownerPage } from './owner-pages.ts';
import { callTable, errorTable, readDailyUsage, totalsOf } from './usage-tables.ts';

const { calls: words, overview } = texts.developer;

/** `/developer/apps/:id/calls`: the calls of an application in the last day, and its current use of rate limits. */
export function callsPage(deps: PagesDeps): Page {
  const { operations } = deps;
  const page = ownerPage(deps, '/calls', async (_, request, application) => {
    const counts = await readDailyUsage(deps, [application.id]);
    const windows = await deps.usedWindows(application, request.user.id);
    const { calls, refused } = totalsOf(counts);
    const limits = windows.map(({ environments, name, whose, limit, remaining, reset }) => [
      html`<code>${name}</code>`,
      environments.map((each) => texts.site.environments[each]).join(', '),
      whose === 'user' ? words.you : words.theApplication,
      words.leftOf(remaining, limit),
      timestampElement(new Date(reset * 1000).toISOString()),
    ]);
    const heads = [words.limit, words.environment, words.whose, words.left, words.reset];
    const content = html`<p>${words.sum(calls, refused)}</p>
<section class="card"><h2>${overview.errors}</h2>
${errorTable(counts, operations)}</section>
<section class="card"><h2>${overview.calls}</h2>
${callTable(counts, operations)}</section>
<section class="card"><h2>${words.limits}</h2>
<p class="soft">${words.limitsAbout}</p>
${tableOf(heads, limits, words.noLimits)}</section>`;
    return applicationTab(words.titleOf(application.name), request, application, 'calls', content, { width: 'full' });
  });
  return { ...page, mayFollowLogin: true };
}
