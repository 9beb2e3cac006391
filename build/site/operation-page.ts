import { type Html, html, joinHtml, noHtml } from '../../src/base/html.ts';
import { STATUS_CODES } from '../../src/base/node-http.ts';
import type { Operation } from '../../src/contract/declare/operation.ts';
import { declaredProblems } from '../../src/engine/declared-problems.ts';
import { parameterWords } from '../../src/engine/describe/words.ts';
import { type WorkedExample, workedExamples } from '../../src/http/reference/worked-examples.ts';
import { prose } from '../../src/markup/prose.ts';
import { bodyTables, itemsWords, replyTables } from '../docs/member-words.ts';
import { operationMarkdown } from '../docs/reference-markdown.ts';
import { problemWords } from '../docs/words.ts';
import { nodeSnippet } from '../snippets/node.ts';
import { pythonSnippet } from '../snippets/python.ts';
import { shellSnippet } from '../snippets/shell.ts';
import { callsOf, type SnippetPlan, snippetPlan } from '../snippets/steps.ts';
import { onlyIn } from './frame.ts';
import { codeBlock } from './markdown.ts';
import { memberLists, parameterList, problemList, together } from './members.ts';
import {
  callLine,
  groupPath,
  groupTitle,
  LIMITS,
  methodMark,
  operationFacts,
  operationLinks,
  operationPath,
  operationTitle,
} from './operation-parts.ts';
import type { LinkTo, SearchRecord, SitePage } from './page.ts';

/** The page of one operation: parameters, reply, all errors, and an example. */
export function operationPage(operation: Operation, operations: readonly Operation[]): SitePage {
  const title = operationTitle(operation);
  const path = operationPath(operation.id);
  return {
    ...{ path, title, within: 'reference', layout: 'operation', headings: [] },
    navigation: (linkTo) => navigation(operation, operations, linkTo),
    content: (linkTo) => content(operation, operations, linkTo),
    records: [record(operation, path, title)],
    markdown: `# ${title}\n\n${operationMarkdown(operation, operations, { limits: LIMITS, sandbox: '⟦sandbox⟧' })}\n`,
  };
}

function content(operation: Operation, operations: readonly Operation[], linkTo: LinkTo): Html {
  const { id, group } = operation;
  const { variables, examples } = workedExamples();
  const example = examples[id]!;
  const operationOf = (each: string): Operation => operations.find((one) => one.id === each)!;
  const plan = snippetPlan(example, variables, operationOf, '⟦sandbox⟧', (name) => `⟦${name}⟧`);
  const items = problemWords(operation, operation.itemProblems ?? []);
  return html`<p class="up"><a href="${linkTo('reference')}">API reference</a> › <a href="${linkTo(groupPath(group))}">${groupTitle(group)}</a></p>
<h1>${operationTitle(operation)}</h1>
<p class="call">${callLine(operation)}${onlyIn('dev', html` <a class="try" href="/_dev/workbench?operation=${id}">Try it in the workbench</a>`)}</p>
<div class="halves">
<div class="said">
<dl class="facts">${operationFacts(operation).map(([name, value]) => html`<div><dt>${name}</dt><dd>${prose(value)}</dd></div>\n`)}</dl>
<section id="parameters"><h2>Parameters <a class="anchor" href="#parameters" aria-label="Link to this section">#</a></h2>
${inputs(operation, linkTo)}
</section>
<section id="reply"><h2>Reply <a class="anchor" href="#reply" aria-label="Link to this section">#</a></h2>
${reply(operation, linkTo)}
</section>
<section id="errors"><h2>Errors <a class="anchor" href="#errors" aria-label="Link to this section">#</a></h2>
${problemList(problemWords(operation, declaredProblems(operation)), linkTo)}
${items.length === 0 ? noHtml : html`<h3>Errors of single items, answered with 400</h3>\n${problemList(items, linkTo)}`}
</section>
</div>
<section class="shown" id="example"><h2>Example</h2>
${exampleOf(plan, example, linkTo)}
</section>
</div>`;
}

function navigation({ id, group }: Operation, operations: readonly Operation[], linkTo: LinkTo): Html {
  const own = operations.filter((each) => each.group === group);
  return html`<h2><a href="${linkTo(groupPath(group))}">${groupTitle(group)}</a></h2>
${operationLinks(own, (each) => html`<a href="${linkTo(operationPath(each.id))}"${each.id === id ? html` aria-current="page"` : ''}>${methodMark(each)} ${operationTitle(each)}</a>`)}
`;
}

function inputs(operation: Operation, linkTo: LinkTo): Html {
  const parameters = parameterWords(operation);
  const body = bodyTables(operation);
  if (parameters.length === 0 && body.length === 0) return html`<p class="note">None.</p>`;
  return html`${parameters.length === 0 ? noHtml : parameterList(parameters, linkTo)}
${body.length === 0 ? noHtml : html`<p class="note">The body, in JSON${itemsWords(operation)}:</p>\n${memberLists(body, 'request', linkTo)}`}`;
}

function reply(operation: Operation, linkTo: LinkTo): Html {
  const { success = 200, successes = {} } = operation;
  const tables = replyTables(operation);
  const others = Object.keys(successes).filter((status) => Number(status) !== success);
  const also = others.length === 0 ? '' : ` Other steps are answered with ${others.join(' or ')}.`;
  const body = tables.length === 0 ? ' There is no body.' : '';
  return html`<p class="note">${statusWords(success)}.${also}${body}</p>
${memberLists(tables, 'reply', linkTo)}`;
}

function statusWords(status: number): string {
  return `${status} ${STATUS_CODES[status]}`;
}

const LANGUAGES = [
  ['curl', 'shell', shellSnippet],
  ['Node.js', 'node', nodeSnippet],
  ['Python', 'python', pythonSnippet],
] as const;

function exampleOf(plan: SnippetPlan, example: WorkedExample, linkTo: LinkTo): Html {
  const tabs = LANGUAGES.map(
    ([label, language], index) =>
      html`<label><input type="radio" name="language" value="${language}"${index === 0 ? html` checked` : ''}> ${label}</label>`,
  );
  const snippets = LANGUAGES.map(
    ([label, language, snippetOf]) => html`<div class="snippet ${language}">
${codeBlock(snippetOf(plan), html` data-language="${language}"`, `Example for ${label}`)}${noteOf(language, linkTo)}</div>
`,
  );
  const needsReceiver = callsOf(plan).some(({ operation }) => operation === 'webhooks.create');
  return html`<fieldset class="languages"><legend class="unseen">Language of the example</legend>${joinHtml(tabs, '\n')}</fieldset>
${snippets}${needsReceiver ? receiverNote(linkTo) : noHtml}
<h3>The reply</h3>
<p class="note">${statusWords(example.status)}${example.isShortened ? '; of long lists the first items' : ''}</p>
${replyExample(example)}`;
}

function noteOf(language: string, linkTo: LinkTo): Html {
  const keys = onlyIn('dev', html`It has the keys of the demo world.`);
  if (language === 'shell')
    return html`<p class="note">Run it in the folder in which the development server runs: the keys are in its file <code>data/dev.json</code>.</p>\n`;
  const needs =
    language === 'node'
      ? html`Needs <a href="${linkTo('reference/client.mjs')}">client.mjs</a> beside it.`
      : html`Needs the packages <code>requests</code> and <code>requests-oauthlib</code>.`;
  return html`<p class="note">${needs} ${keys} <a href="${linkTo('reference', 'making-requests')}">Where keys come from</a></p>\n`;
}

function receiverNote(linkTo: LinkTo): Html {
  return html`<p class="note">Needs a receiver of webhooks: run <a href="${linkTo('reference/receiver.mjs')}">receiver.mjs</a> with Node.js
in the folder of the development server first. An application can have few webhooks:
<a href="${linkTo(operationPath('webhooks.remove'))}">remove</a> those of earlier examples.</p>
`;
}

function replyExample({ status, reply }: WorkedExample): Html {
  if (status === 204) return html`<p class="note">No body.</p>`;
  if (typeof reply === 'string' && reply.trim() === '') {
    return html`<p class="note">An empty line, as nothing happened in that time.</p>`;
  }
  const text = typeof reply === 'string' ? reply : JSON.stringify(reply, null, 2);
  return codeBlock(text, html` data-reply="${status}"`, 'Reply');
}

function record(operation: Operation, path: string, title: string): SearchRecord {
  const { id, method, aliases = [], description } = operation;
  const tables = bodyTables(operation);
  const members = tables.flatMap((table) => (table.title === undefined ? together(table.members) : []));
  const own = parameterWords(operation).filter(({ place }) => place !== 'path');
  const parameters = new Map([...own, ...members].map(({ name, about }) => [name, about.replaceAll('`', '')]));
  const inside = tables.flatMap((table) => table.members.map(({ name }) => name));
  const codes = problemWords(operation, [...declaredProblems(operation), ...(operation.itemProblems ?? [])]);
  return {
    ...{ at: path, page: title, title: '', parameters: [...parameters] },
    names: [...new Set([id, ...inside, ...codes.map(({ code }) => String(code))])].join(' '),
    text: [`${method} ${operation.path}`, ...aliases, description.replaceAll('`', '')].join(' '),
  };
}
