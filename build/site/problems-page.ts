import { type Html, html, joinHtml } from '../../src/base/html.ts';
import type { Operation } from '../../src/contract/declare/operation.ts';
import { PROBLEM_PAGES } from '../../src/contract/problems/problem-details.ts';
import { type Family, type ProblemName, problems } from '../../src/contract/problems/problems.ts';
import { declaredProblems } from '../../src/engine/declared-problems.ts';
import { problemsMarkdown } from '../docs/reference-markdown.ts';
import { breakableCode, proseHtml } from './members.ts';
import { methodMark, operationPath } from './operation-parts.ts';
import type { LinkTo, SitePage } from './page.ts';

const FAMILIES: readonly (readonly [Family, string])[] = [
  ['ads', 'Advertising'],
  ['numeric', 'Numeric'],
  ['problem', 'Version 2'],
  ['flat', 'Uploads'],
];

/** Problems of more calls than these are said to be of all of them. */
const CALLS_SHOWN = 12;

/** The page of all errors: when each occurs, how it is worded, and the calls that end with it. */
export function problemsPage(operations: readonly Operation[]): SitePage {
  const names = Object.keys(problems) as ProblemName[];
  const callsOf = Map.groupBy(
    operations.flatMap((operation) =>
      [...new Set([...declaredProblems(operation), ...(operation.itemProblems ?? [])])].map((name) => ({
        name,
        operation,
      })),
    ),
    ({ name }) => name,
  );
  const content = (linkTo: LinkTo): Html => html`<h1>Errors</h1>
<p class="lead">Codes and messages are stable, so that clients can match on them. All invalid parameters of a request are reported
together.</p>
<p>The advertising interface answers with codes in capitals, version 2 with <code>application/problem+json</code>, uploads of version
1.1 with a plain message, and all other calls with numeric codes.</p>
<section><h2 id="problem-types">Types of version 2</h2>
<p>Each <code>type</code> is the address of a page that explains it.</p>
<dl class="members">${Object.entries(PROBLEM_PAGES).map(
    ([
      slug,
      { title, status, meaning, remedy },
    ]) => html`<div id="type-${slug}"><dt><span class="status">${status}</span> <code>${slug}</code> <span class="type">${title}</span></dt>
<dd>${proseHtml(meaning)} ${proseHtml(remedy)}</dd></div>
`,
  )}</dl></section>
<section><h2 id="all-errors">All errors</h2>
${names.map((name) =>
  problem(
    name,
    (callsOf.get(name) ?? []).map(({ operation }) => operation),
    linkTo,
  ),
)}</section>`;
  return {
    ...{ path: 'problems', title: 'Errors', content },
    headings: [
      { id: 'problem-types', depth: 2, text: 'Types of version 2' },
      { id: 'all-errors', depth: 2, text: 'All errors' },
    ],
    records: [
      { at: 'problems', page: 'Errors', title: '', names: '', text: 'Codes and messages of all errors.' },
      ...Object.entries(PROBLEM_PAGES).map(([slug, { title, meaning, remedy }]) => ({
        ...{ at: `problems#type-${slug}`, page: 'Errors', title, names: slug, text: `${meaning} ${remedy}` },
      })),
      ...names.map((name) => ({
        at: `problems#${name}`,
        page: 'Errors',
        title: name,
        names: wordings(name)
          .map(({ words: [, code] }) => String(code))
          .join(' '),
        text: [problems[name].when, ...wordings(name).map(({ words: [, , message] }) => message)].join('. '),
      })),
    ],
    markdown: problemsMarkdown(operations),
  };
}

function wordings(name: ProblemName) {
  return FAMILIES.flatMap(([family, label]) => {
    const words = problems[name][family];
    return words ? [{ label, words }] : [];
  });
}

function problem(name: ProblemName, calls: readonly Operation[], linkTo: LinkTo): Html {
  return html`<article class="problem" id="${name}"><h3><code>${breakableCode(name)}</code> <a class="anchor" href="#${name}" aria-label="Link to this error">#</a></h3>
<p>${capitalized(problems[name].when)}.</p>
<dl class="wordings">${wordings(name).map(
    ({
      label,
      words: [status, code, message],
    }) => html`<div><dt>${label}</dt><dd><span class="status">${status}</span> <code>${breakableCode(String(code))}</code> ${message}</dd></div>
`,
  )}</dl>
${callsWith(calls, linkTo)}</article>
`;
}

function callsWith(calls: readonly Operation[], linkTo: LinkTo): Html {
  if (calls.length === 0) return html`<p class="note">Of requests that lead to no call.</p>`;
  if (calls.length > CALLS_SHOWN) return html`<p class="note">Of ${calls.length} calls.</p>`;
  return html`<p class="note">${joinHtml(
    calls.map((each) => html`<a href="${linkTo(operationPath(each.id))}">${methodMark(each)} ${each.id}</a>`),
    html` `,
  )}</p>`;
}

function capitalized(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}`;
}
