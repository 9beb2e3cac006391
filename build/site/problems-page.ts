import { type Html, html, joinHtml } from '../../src/base/html.ts';
import type { Operation } from '../../src/contract/declare/operation.ts';
import { PROBLEM_PAGES } from '../../src/contract/problems/problem-details.ts';
import { type Family, type ProblemName, problems } from '../../src/contract/problems/problems.ts';
import { declaredProblems } from '../../src/engine/declared-problems.ts';
import { prose } from '../../src/markup/prose.ts';
import { problemsMarkdown } from '../docs/reference-markdown.ts';
import { breakableCode } from './members.ts';
import { methodMark, operationPath } from './operation-parts.ts';
import type { LinkTo, SitePage } from './page.ts';

const FAMILIES: readonly (readonly [Family, string])[] = [
  ['ads', 'Advertising'],
  ['numeric', 'Numeric'],
  ['problem', 'Version 2'],
  ['flat', 'Uploads'],
];

/** The number of calls is shown in place of a longer list. */
const CALLS_SHOWN = 12;
/** A longer list of the reasons for a code is collapsed. */
const REASONS_SHOWN = 8;

/** A code, and each problem that has it, with its status. */
type Codes = ReadonlyMap<string, ReadonlyMap<ProblemName, number>>;

function codesOf(names: readonly ProblemName[]): Codes {
  const codes = new Map<string, Map<ProblemName, number>>();
  for (const name of names)
    for (const { family, words } of wordings(name)) {
      // Version 2 has types, which stand above.
      if (family === 'problem') continue;
      const [status, code] = words;
      const sharing = codes.get(String(code)) ?? new Map<ProblemName, number>();
      codes.set(String(code), sharing.set(name, status));
    }
  return new Map([...codes].sort(([one], [other]) => one.localeCompare(other, 'en', { numeric: true })));
}

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
  const codes = codesOf(names);
  const content = (linkTo: LinkTo): Html => html`<h1>Errors</h1>
<p class="lead">Look up the code of a refused request here. Codes and messages are stable, so that clients can match on them.</p>
<p>Advertising calls have codes in capitals, and report all invalid parameters of a request together. Version 2 has types, in
<code>application/problem+json</code>. Uploads of version 1.1 have a message only. All other calls have numeric codes.</p>
<section><h2 id="codes">Codes</h2>
<dl class="members">${[...codes].map(codeEntry)}</dl></section>
<section><h2 id="problem-types">Types of version 2</h2>
<p>Each <code>type</code> is the address of a page that explains it.</p>
<dl class="members">${Object.entries(PROBLEM_PAGES).map(
    ([
      slug,
      { title, status, meaning, remedy },
    ]) => html`<div id="type-${slug}"><dt><span class="status">${status}</span> <code>${slug}</code> <span class="type">${title}</span></dt>
<dd>${prose(meaning)} ${prose(remedy)}</dd></div>
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
      { id: 'codes', depth: 2, text: 'Codes' },
      { id: 'problem-types', depth: 2, text: 'Types of version 2' },
      { id: 'all-errors', depth: 2, text: 'All errors' },
    ],
    records: [
      { at: 'problems', page: 'Errors', title: '', names: '', text: 'Codes and messages of all errors.' },
      ...Object.entries(PROBLEM_PAGES).map(([slug, { title, meaning, remedy }]) => ({
        ...{ at: `problems#type-${slug}`, page: 'Errors', title, names: slug, text: `${meaning} ${remedy}` },
      })),
      ...[...codes]
        .filter(([code]) => !names.some((name) => name === code))
        .map(([code, sharing]) => ({
          ...{ at: `problems#code-${code}`, page: 'Errors', title: code, names: '' },
          text: [...sharing.keys()].map((name) => capitalized(problems[name].when)).join('. '),
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
    return words ? [{ family, label, words }] : [];
  });
}

function codeEntry([code, sharing]: readonly [string, ReadonlyMap<ProblemName, number>]): Html {
  const statuses = [...new Set(sharing.values())].sort((one, other) => one - other);
  const reasons = html`<ul>${[...sharing.keys()].map(
    (name) => html`<li><a href="#${name}">${capitalized(problems[name].when)}</a></li>
`,
  )}</ul>`;
  return html`<div id="code-${code}"><dt><code>${breakableCode(code)}</code> <span class="type">status ${statuses.join(', ')}</span></dt>
<dd>${sharing.size > REASONS_SHOWN ? html`<details><summary>One of ${sharing.size} reasons</summary>${reasons}</details>` : reasons}</dd></div>
`;
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
  if (calls.length === 0) return html`<p class="note">Occurs when a request matches no call.</p>`;
  if (calls.length > CALLS_SHOWN) return html`<p class="note">Used by ${calls.length} calls.</p>`;
  return html`<p class="note">${joinHtml(
    calls.map((each) => html`<a href="${linkTo(operationPath(each.id))}">${methodMark(each)} ${each.id}</a>`),
    html` `,
  )}</p>`;
}

function capitalized(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}`;
}
