import { type Html, html, joinHtml, noHtml } from '../../base/html.ts';
import { STATUS_CODES } from '../../base/node-http.ts';
import type { Operation } from '../../contract/declare/operation.ts';
import { declaredProblems } from '../../engine/declared-problems.ts';
import { replyTables } from '../../engine/describe/member-words.ts';
import { problemWords } from '../../engine/describe/words.ts';
import type { DescribedService } from '../../engine/describe.ts';
import { referenceDocument } from './document.ts';
import { groupTitle } from './group-page.ts';
import { memberTable } from './member-table.ts';
import {
  callLine,
  environmentChip,
  groupPath,
  itemProblemFold,
  operationFacts,
  operationPath,
  parameterTable,
  problemFold,
} from './operation-section.ts';
import { nodeSnippet } from './snippets/node.ts';
import { pythonSnippet } from './snippets/python.ts';
import { shellSnippet } from './snippets/shell.ts';
import { callsOf, type SnippetPlan, snippetPlan } from './snippets/steps.ts';
import { type WorkedExample, workedExamples } from './worked-examples.ts';

/** Renders the page of one operation: parameters, reply, all errors, and an example. */
export function operationPage(
  name: string,
  operation: Operation,
  operations: readonly Operation[],
  { servers, limits }: DescribedService,
): Html {
  const { variables, examples } = workedExamples();
  const example = examples[operation.id]!;
  const operationOf = (id: string): Operation => operations.find((each) => each.id === id)!;
  const plan = snippetPlan(example, variables, operationOf, servers.sandbox);
  const title = operation.description.replace(/\.$/, '').replaceAll('`', '');
  return referenceDocument({
    title,
    name,
    isOne: true,
    navigation: navigation(operation, operations),
    content: html`<h1>${title}</h1>
<p class="call">${callLine(operation)}${environmentChip(operation)}</p>
${operationFacts(operation, limits)}
<section><h2>Parameters</h2>
${parameterTable(operation)}
</section>
${replySection(operation)}
<section id="errors"><h2>Errors</h2>
${problemFold('Errors of this call', problemWords(operation, declaredProblems(operation)))}
${itemProblemFold(operation)}
</section>
${exampleSection(plan, example)}`,
  });
}

function navigation({ id, group }: Operation, operations: readonly Operation[]): Html {
  const links = operations
    .filter((each) => each.group === group)
    .map(
      (each) => html`<li><a href="${operationPath(each.id)}"${each.id === id ? html` aria-current="page"` : ''}>
      <span class="method small ${each.method.toLowerCase()}">${each.method}</span>${each.description.replace(/\.$/, '')}</a></li>`,
    );
  return html`<ul><li><a href="/reference">All calls</a></li><li><a href="${groupPath(group)}">${groupTitle(group)}</a></li></ul><ul>${links}</ul>`;
}

function replySection(operation: Operation): Html {
  const { success = 200, successes = {} } = operation;
  const tables = replyTables(operation).map(({ title, members }) =>
    title === undefined ? memberTable(members) : html`<h3>${title}</h3>${memberTable(members)}`,
  );
  const others = Object.keys(successes).filter((status) => Number(status) !== success);
  const also = others.length === 0 ? '' : ` Other steps are answered with ${others.join(' or ')}.`;
  const body = tables.length === 0 ? ' There is no body.' : '';
  return html`<section id="reply"><h2>Reply</h2>
<p class="note">${statusWords(success)}.${also}${body}</p>
${joinHtml(tables, '\n')}
</section>`;
}

function statusWords(status: number): string {
  return `${status} ${STATUS_CODES[status]}`;
}

const LANGUAGES = [
  ['curl', 'shell', shellSnippet],
  ['Node.js', 'node', nodeSnippet],
  ['Python', 'python', pythonSnippet],
] as const;

function exampleSection(plan: SnippetPlan, example: WorkedExample): Html {
  const snippets = LANGUAGES.map(
    (
      [label, language, snippetOf],
      index,
    ) => html`<details class="snippet"${index === 0 ? html` open` : ''}><summary>${label}</summary>
<pre class="example" tabindex="0" role="group" aria-label="Example for ${label}"><code data-language="${language}">${snippetOf(plan)}</code></pre>
${language === 'node' ? CLIENT : noHtml}</details>`,
  );
  return html`<section id="example"><h2>Example</h2>
<p class="note">Works as it is in the folder in which <code>npm start</code> runs, as often as you like.
  <a href="/reference#begin">Where the keys come from</a></p>
${callsOf(plan).some(({ operation }) => operation === 'webhooks.create') ? RECEIVER : noHtml}
${snippets}
<p class="note">The reply, ${statusWords(example.status)}${example.isShortened ? '; of long lists the first items' : ''}:</p>
${replyExample(example)}
</section>`;
}

const CLIENT = html`<p class="note">With <a href="/reference/client.mjs">client.mjs</a> beside it.</p>
`;

const RECEIVER = html`<p class="note">Needs a receiver of webhooks: run <a href="/reference/receiver.mjs">receiver.mjs</a>
  with Node.js in the same folder first. An application can have few webhooks: <a href="/reference/webhooks.remove">remove</a>
  those of earlier examples.</p>
`;

function replyExample({ status, reply }: WorkedExample): Html {
  if (status === 204) return html`<p class="note">No body.</p>`;
  if (typeof reply === 'string' && reply.trim() === '') {
    return html`<p class="note">An empty line, as nothing happened in that time.</p>`;
  }
  const text = typeof reply === 'string' ? reply : JSON.stringify(reply, null, 2);
  return html`<pre class="example" tabindex="0" role="group" aria-label="Reply"><code data-reply="${status}">${text}</code></pre>`;
}
