import { type Html, html, joinHtml } from '../../base/html.ts';
import type { Operation } from '../../contract/declare/operation.ts';
import type { ProblemName } from '../../contract/problems/problems.ts';
import { UNROUTED } from '../../engine/declared-problems.ts';
import { replyTables } from '../../engine/describe/member-words.ts';
import { problemWords, sharedProblems } from '../../engine/describe/words.ts';
import { type DescribedService, type Group, groupsOf } from '../../engine/describe.ts';
import { referenceDocument } from './document.ts';
import { memberTable } from './member-table.ts';
import { operationSection, problemTable } from './operation-section.ts';

/** The reference of the whole API as one HTML page. It works without scripts and loads nothing from other sites. */
export function referencePage(
  name: string,
  operations: readonly Operation[],
  { servers, limits }: DescribedService,
): Html {
  const groups = groupsOf(operations);
  const ads = sharedProblems(operations.filter((operation) => operation.family === 'ads'));
  const numeric = sharedProblems(operations.filter((operation) => operation.family === 'numeric'));
  const sections = groups.map((group) =>
    groupSection(group, limits, group.operations[0]!.family === 'ads' ? ads : numeric),
  );
  return referenceDocument({
    title: 'API reference',
    name,
    scripts: ['/reference/filter.js'],
    navigation: html`<div class="filter" hidden><label for="filter">Filter</label><input id="filter" type="search" autocomplete="off"
    placeholder="campaigns, DELETE, batch"><p class="soft" role="status"></p></div>
  <details class="contents" open><summary>Contents</summary>
    <ul><li><a href="#begin">Making requests</a></li></ul>
    ${groups.map(contents)}
    <ul><li><a href="#problems">Common errors</a></li></ul>
  </details>`,
    content: html`${introduction(servers)}
${joinHtml(sections, '\n')}
${commonSection(ads, numeric)}`,
  });
}

function contents(group: Group): Html {
  const links = group.operations.map(
    ({ id, method, path, description }) => html`<li data-link="${id}"><a href="#${id}" title="${method} ${path}">
      <span class="method small ${method.toLowerCase()}">${method}</span>${description.replace(/\.$/, '')}</a></li>`,
  );
  return html`<h2><a href="#group-${group.name}">${title(group.name)}</a></h2><ul>${links}</ul>`;
}

function title(name: string): string {
  return name === 'oauth' ? 'Tokens' : `${name[0]!.toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`;
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

function groupSection(group: Group, limits: DescribedService['limits'], common: readonly ProblemName[]): Html {
  const sections = group.operations.map((operation) => operationSection(operation, { limits, common }));
  return html`<section class="group" id="group-${group.name}">
  <h2>${title(group.name)}</h2>
  ${group.operations.some((operation) => operation.groupDescription) ? html`<p class="lead">${group.about}</p>` : ''}
  ${memberTables(group)}
  ${joinHtml(sections, '\n')}
</section>`;
}

/** Tables of the named objects in the replies of a group. */
function memberTables(group: Group): readonly Html[] {
  const named = new Map(group.operations.flatMap(replyTables).map((table) => [table.title, table]));
  return [...named.values()].flatMap(({ title: name, members }) =>
    name === undefined
      ? []
      : html`<details class="members"><summary>${name} in replies <span class="soft">${members.length} members</span></summary>
    ${memberTable(members)}</details>`,
  );
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
