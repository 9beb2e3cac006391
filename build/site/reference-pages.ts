import { type Html, html, joinHtml, noHtml } from '../../src/base/html.ts';
import type { Operation } from '../../src/contract/declare/operation.ts';
import { prose } from '../../src/markup/prose.ts';
import { type Group, groupsOf } from '../openapi/openapi.ts';
import { codeBlock } from './markdown.ts';
import { callLine, groupPath, groupTitle, operationLinks, operationPath } from './operation-parts.ts';
import { type LinkTo, linksFrom, type SitePage } from './page.ts';

/** The overview of the reference: every operation by group. */
export function referencePage(operations: readonly Operation[]): SitePage {
  const groups = groupsOf(operations);
  const headings = [
    { id: 'making-requests', depth: 2, text: 'Making requests' },
    ...groups.map(({ name }) => ({ id: groupId(name), depth: 2, text: groupTitle(name) })),
  ];
  return {
    path: 'reference',
    title: 'API reference',
    headings,
    content: (linkTo) => html`<h1>API reference</h1>
<p class="lead">Every call, with its parameters, reply, errors and an example. As one file:
<a href="⟦openapi⟧">OpenAPI 3.1</a>.</p>
<dl class="facts">
<div><dt>Production</dt><dd><code>⟦production⟧</code></dd></div>
<div><dt>Sandbox</dt><dd><code>⟦sandbox⟧</code></dd></div>
</dl>
${introduction(linkTo)}
${joinHtml(
  groups.map((group) => groupSection(group, linkTo)),
  '\n',
)}`,
    records: [
      {
        at: 'reference',
        page: 'API reference',
        title: '',
        names: 'api endpoints',
        text: 'Every call of the interface.',
      },
      {
        at: 'reference#making-requests',
        page: 'API reference',
        title: 'Making requests',
        names: '',
        text: 'Requests are signed with OAuth 1.0a. Examples work against the demo world. Amounts are in micro units, times in UTC.',
      },
    ],
    markdown: `# API reference\n\n${groups.map(groupMarkdown).join('\n')}`,
  };
}

/** The page of a group: its operations, with what each does. */
export function groupPage(group: Group): SitePage {
  const { name, operations } = group;
  const title = groupTitle(name);
  const about = aboutOf(group);
  return {
    ...{ path: groupPath(name), title, within: 'reference', headings: [] },
    content: (linkTo) => html`<p class="up"><a href="${linkTo('reference')}">API reference</a></p>
<h1>${title}</h1>
${about === '' ? noHtml : html`<p class="lead">${prose(about)}</p>`}
${callsOf(operations, linkTo)}`,
    records: [{ at: groupPath(name), page: title, title: '', names: name, text: about }],
    markdown: groupMarkdown(group).replace('##', '#'),
  };
}

const groupId = (name: string): string => `group-${name.replaceAll(' ', '_')}`;

function aboutOf({ about, operations }: Group): string {
  return operations.some(({ groupDescription }) => groupDescription) ? about : '';
}

/** Links to the operations of a group. */
function groupSection(group: Group, linkTo: LinkTo): Html {
  return html`<section class="group"><h2 id="${groupId(group.name)}"><a href="${linkTo(groupPath(group.name))}">${groupTitle(group.name)}</a></h2>
${callsOf(group.operations, linkTo)}</section>`;
}

function callsOf(operations: readonly Operation[], linkTo: LinkTo): Html {
  return operationLinks(
    operations,
    (each) => html`<a id="${each.id}" href="${linkTo(operationPath(each.id))}">${callLine(each)}</a>
<span class="soft">${prose(each.description)}</span>`,
  );
}

function groupMarkdown(group: Group): string {
  const linkTo = linksFrom('reference/group');
  const lines = group.operations.map(({ id, method, path, description }) => {
    return `- [\`${method} ${path}\`](${linkTo(`${operationPath(id)}.md`)}): ${description}`;
  });
  return `## ${groupTitle(group.name)}\n\n${[aboutOf(group), lines.join('\n')].filter(Boolean).join('\n\n')}\n`;
}

function introduction(linkTo: LinkTo): Html {
  return html`<section>
<h2 id="making-requests">Making requests</h2>
<p>Requests are signed with OAuth 1.0a: HMAC-SHA1 over method, URL and parameters, in an <code>Authorization: OAuth …</code>
header. <code>npx --no-install barker sign</code> shows each step of a signature, <code>npx --no-install barker call</code>
signs and sends a request.</p>
<p>Each call has a page with its reply and an example for curl, Node.js and Python. The examples call the sandbox, create what
they need, and leave it there. Where a development server shows this page, they have the keys of its demo world, and work as
they are; elsewhere, put in the keys of your application and of a user in place of the names in capitals. A development
server also keeps its keys in <code>data/dev.json</code>. Examples for Node.js use a
<a href="${linkTo('reference/client.mjs')}">client of one file</a>, those for Python the packages <code>requests</code> and
<code>requests-oauthlib</code>.</p>
<p>Send the parameters of <code>POST</code> and <code>PUT</code> in a form body or in the query. An empty value unsets an optional
attribute. Lists are separated by commas. Amounts are in micro units, times in UTC.</p>
<p>A reply repeats the parameters of its request. The last page of a list has a <code>next_cursor</code> of <code>null</code>.
All invalid parameters of a request are reported together; codes and messages are stable, so that clients can match on
<a href="${linkTo('problems')}">them</a>.</p>
${codeBlock(REPLY, noHtml, 'A reply')}</section>`;
}

const REPLY = `{
  "request": { "params": { "account_id": "gq4k2m", "count": 2 } },
  "next_cursor": "…",
  "data": [ … ]
}`;
