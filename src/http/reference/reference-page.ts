import { type Html, html, joinHtml } from '../../base/html.ts';
import type { Operation } from '../../contract/declare/operation.ts';
import type { ProblemName } from '../../contract/problems/problems.ts';
import { UNROUTED } from '../../engine/declared-problems.ts';
import { problemWords, sharedProblems } from '../../engine/describe/words.ts';
import { type DescribedService, type Group, groupsOf } from '../../engine/describe.ts';
import { referenceDocument } from './document.ts';
import { groupTitle } from './group-page.ts';
import { proseHtml } from './member-table.ts';
import { callLine, groupPath, problemTable } from './operation-section.ts';
import { findOperations, SEARCH_MAX } from './search.ts';

/** Renders the overview of the reference: every operation with a link to its group, and the common errors. */
export function referencePage(name: string, operations: readonly Operation[], { servers }: DescribedService): Html {
  const ads = sharedProblems(operations.filter((operation) => operation.family === 'ads'));
  const numeric = sharedProblems(operations.filter((operation) => operation.family === 'numeric'));
  const groups = groupsOf(operations);
  return referenceDocument({
    title: 'API reference',
    name,
    navigation: html`${filterForm('')}
  <div class="contents"><ul><li><a href="#begin">Making requests</a></li><li><a href="#problems">Common errors</a></li></ul>
  <h2>Calls</h2><ul>${groups.map((group) => html`<li><a href="${groupPath(group.name)}">${groupTitle(group.name)}</a></li>`)}</ul></div>`,
    content: html`${introduction(servers)}
${joinHtml(groups.map(groupSection), '\n')}
${commonSection(ads, numeric)}`,
  });
}

/** Renders the search results, by group. */
export function searchPage(name: string, operations: readonly Operation[], search: string): Html {
  const found = findOperations(operations, search);
  return referenceDocument({
    title: `Calls with ${search}`,
    name,
    navigation: html`${filterForm(search)}
  <ul><li><a href="/reference">All calls</a></li></ul>`,
    content: html`<h1>Calls with ${search}</h1>
<p class="lead" role="status">${found.length} of ${operations.length} calls</p>
${joinHtml(groupsOf(found).map(groupSection), '\n')}`,
  });
}

function filterForm(search: string): Html {
  return html`<form class="filter" action="/reference" role="search"><label for="filter">Find calls by path, parameter or error</label>
    <input id="filter" name="q" type="search" autocomplete="off" maxlength="${SEARCH_MAX}" value="${search}" placeholder="bid_amount POST">
    <button>Find</button></form>`;
}

/** Links to the operations of a group. The ids keep links to the former one-page reference working. */
function groupSection(group: Group): Html {
  const path = groupPath(group.name);
  const rows = group.operations.map(
    (
      operation,
    ) => html`<li class="listed" id="${operation.id}"><a class="anchor" href="${path}#${operation.id}">${callLine(operation)}</a>
    <span class="soft">${proseHtml(operation.description)}</span></li>`,
  );
  return html`<section class="group" id="group-${group.name}">
  <h2><a href="${path}">${groupTitle(group.name)}</a></h2>
  <ul class="calls">${rows}</ul>
</section>`;
}

function introduction(servers: DescribedService['servers']): Html {
  return html`<header id="top">
  <h1>API reference</h1>
  <p class="lead">Every endpoint of this service, with its parameters, limits and errors.</p>
  <dl class="facts">
    <div><dt>Production</dt><dd><code>${servers.production}</code></dd></div>
    <div><dt>Sandbox</dt><dd><code>${servers.sandbox}</code></dd></div>
  </dl>
</header>
<section id="begin">
  <h2>Making requests</h2>
  <p>Requests are signed with OAuth 1.0a: HMAC-SHA1 over method, URL and parameters, in an
    <code>Authorization: OAuth …</code> header. <code>npx --no-install barker sign</code> shows each step of a signature,
    <code>npx --no-install barker call</code> signs and sends a request.</p>
  <p>Each call has a page with its reply and an example for curl, Node.js and Python. The examples work as they are
    against the demo world of <code>npm start</code>: run them in the folder where you started it, as they read the keys
    from <code>data/dev.json</code>. They call the sandbox, create what they need, and leave it there. Those for Node.js
    use a <a href="/reference/client.mjs">client of one file</a>, those for Python the packages <code>requests</code> and
    <code>requests-oauthlib</code>.</p>
  <p>Send the parameters of <code>POST</code> and <code>PUT</code> in a form body or in the query. An empty value unsets an
    optional attribute. Lists are separated by commas. Amounts are in micro units, times in UTC.</p>
  <p>A response repeats the parameters of its request. The last page of a list has a <code>next_cursor</code> of
    <code>null</code>.</p>
  <pre class="example" tabindex="0" role="group" aria-label="A response"><code>{
  "request": { "params": { "account_id": "gq4k2m", "count": 2 } },
  "next_cursor": "…",
  "data": [ … ]
}</code></pre>
</section>`;
}

function commonSection(ads: readonly ProblemName[], numeric: readonly ProblemName[]): Html {
  const lost = UNROUTED.filter((name) => name !== 'VERSION_UNKNOWN');
  return html`<section id="problems">
  <h2>Common errors</h2>
  <p class="lead">All invalid parameters of a request are reported together. Codes and messages are stable, so
    that clients can match on them.</p>
  <h3>Advertising</h3>
  ${problemTable(problemWords({ family: 'ads' }, [...ads, ...UNROUTED]))}
  <h3>Tokens</h3>
  ${problemTable(problemWords({ family: 'numeric' }, [...numeric, ...lost]))}
</section>`;
}
