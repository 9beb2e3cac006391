import { html } from 'ghtml';
import type { Operation } from '../../contract/declare/operation.ts';
import type { ProblemName } from '../../contract/problems/problems.ts';
import { UNROUTED } from '../../engine/declared-problems.ts';
import { successSchema } from '../../engine/describe/replies.ts';
import { type Json, type NamedSchemas, nullable } from '../../engine/describe/schemas.ts';
import { problemWords, sharedProblems, valueWords } from '../../engine/describe/words.ts';
import { type DescribedService, type Group, groupsOf } from '../../engine/describe.ts';
import { VERSION } from '../../engine/operations.ts';
import { FAVICON_PATH } from '../pages/branding.ts';
import { breakableCode, enumValues, operationSection, problemTable, proseHtml } from './operation-section.ts';

/** The reference of the whole interface as one page of HTML. It works without scripts and loads nothing from elsewhere. */
export function referencePage(
  name: string,
  operations: readonly Operation[],
  { servers, limits }: DescribedService,
): string {
  const groups = groupsOf(operations);
  const ads = sharedProblems(operations.filter((operation) => operation.family === 'ads'));
  const numeric = sharedProblems(operations.filter((operation) => operation.family === 'numeric'));
  const sections = groups.map((group) =>
    groupSection(group, limits, group.operations[0]!.family === 'ads' ? ads : numeric),
  );
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>API reference · ${name}</title>
<link rel="icon" href="${FAVICON_PATH}">
<link rel="stylesheet" href="/reference/style.css">
<link rel="stylesheet" href="/reference/rows.css">
<link rel="stylesheet" href="/reference/narrow.css">
<script src="/reference/filter.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<div class="frame">
<nav aria-label="Contents">
  <p class="brand"><a href="/">${name}</a> <span class="soft">version ${VERSION}</span></p>
  <div class="filter" hidden><label for="filter">Filter</label><input id="filter" type="search" autocomplete="off"
    placeholder="campaigns, DELETE, batch"><p class="soft" role="status"></p></div>
  <details class="contents" open><summary>Contents</summary>
    <ul><li><a href="#begin">How to call</a></li></ul>
    !${groups.map(contents).join('')}
    <ul><li><a href="#problems">Problems of every call</a></li></ul>
  </details>
</nav>
<main id="content">
!${introduction(servers)}
!${sections.join('\n')}
!${commonSection(ads, numeric)}
<footer class="soft">The same as <a href="/openapi.json">OpenAPI 3.1</a>. Made from the running service.</footer>
</main>
</div>
</body>
</html>
`;
}

function contents(group: Group): string {
  const links = group.operations.map(
    ({ id, method, path, description }) => html`<li data-link="${id}"><a href="#${id}" title="${method} ${path}">
      <span class="method small ${method.toLowerCase()}">${method}</span>${description.replace(/\.$/, '')}</a></li>`,
  );
  return html`<h2><a href="#group-${group.name}">${title(group.name)}</a></h2><ul>!${links.join('')}</ul>`;
}

function title(name: string): string {
  return name === 'oauth' ? 'Tokens' : `${name[0]!.toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`;
}

function introduction(servers: DescribedService['servers']): string {
  return html`<header id="top">
  <h1>Reference</h1>
  <p class="lead">Every call of this service, with its parameters, limits and problems.</p>
  <dl class="facts">
    <div><dt>Production</dt><dd><code>${servers.production}</code></dd></div>
    <div><dt>Sandbox</dt><dd><code>${servers.sandbox}</code></dd></div>
  </dl>
</header>
<section id="begin">
  <h2>How to call</h2>
  <p>Each call is signed with OAuth 1.0a: HMAC-SHA1 over method, address and parameters, in an
    <code>Authorization: OAuth …</code> header. <code>npx barker sign</code> shows each step of a signature,
    <code>npx barker call</code> signs and sends.</p>
  <p>Parameters of <code>POST</code> and <code>PUT</code> stand in a form body, or in the query. An empty value unsets what
    may be null. Lists are separated by commas. Money is in micro units, times are UTC.</p>
  <p>A reply echoes what was asked beside the data. A list ends when <code>next_cursor</code> is <code>null</code>.</p>
  <pre class="example" tabindex="0" aria-label="A reply"><code>{
  "request": { "params": { "account_id": "gq4k2m", "count": 2 } },
  "next_cursor": "…",
  "data": [ … ]
}</code></pre>
</section>`;
}

function groupSection(group: Group, limits: DescribedService['limits'], common: readonly ProblemName[]): string {
  const sections = group.operations.map((operation) => operationSection(operation, { limits, common }));
  return html`<section class="group" id="group-${group.name}">
  <h2>${title(group.name)}</h2>
  !${group.operations.some((operation) => operation.groupDescription) ? html`<p class="lead">${group.about}</p>` : ''}
  !${memberTables(group)}
  !${sections.join('\n')}
</section>`;
}

/** What the replies of a group are made of, where that has a name. */
function memberTables(group: Group): string {
  const named: NamedSchemas = {};
  for (const operation of group.operations) successSchema(operation, named);
  return Object.entries(named)
    .map(([name, schema]) => {
      const rows = Object.entries(schema.properties as Record<string, Json>)
        .map(memberRow)
        .join('');
      const count = Object.keys(schema.properties as Json).length;
      return html`<details class="members"><summary>${spaced(name)} in replies <span class="soft">${count} members</span></summary>
    <table class="rows"><thead><tr><th scope="col">Member</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
    <tbody>!${rows}</tbody></table></details>`;
    })
    .join('');
}

function spaced(name: string): string {
  return name.replace(/(?<=.)([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);
}

function memberRow([name, schema]: [string, Json]): string {
  const { type, limits, choices } = valueWords(schema);
  const isNullable =
    JSON.stringify(schema) === JSON.stringify(nullable(schema)) || [schema.type].flat().includes('null');
  return html`<tr><th scope="row"><code>!${breakableCode(name)}</code></th>
    <td>${type}!${isNullable ? html` <span class="soft">or null</span>` : ''}!${limits ? html`<span class="limits">${limits}</span>` : ''}</td>
    <td>!${proseHtml(String(schema.description ?? ''))}!${enumValues(choices)}</td></tr>`;
}

function commonSection(ads: readonly ProblemName[], numeric: readonly ProblemName[]): string {
  const lost = UNROUTED.filter((name) => name !== 'VERSION_UNKNOWN');
  return html`<section id="problems">
  <h2>Problems of every call</h2>
  <p class="lead">Whatever is wrong with the parameters of a call is reported together. Clients may match on codes and on
    messages; both stay as they are.</p>
  <h3>Advertising</h3>
  !${problemTable(problemWords({ family: 'ads' }, [...ads, ...UNROUTED]))}
  <h3>Tokens</h3>
  !${problemTable(problemWords({ family: 'numeric' }, [...numeric, ...lost]))}
</section>`;
}
