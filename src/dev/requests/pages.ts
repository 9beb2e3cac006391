import { type Html, html, joinHtml, noHtml } from '../../base/html.ts';
import type { DevError, DevReply } from '../surface/call.ts';
import { definitions, type ToolPages } from '../surface/tool-pages.ts';
import type { detailOf, summaryOf } from './show.ts';

type Summary = ReturnType<typeof summaryOf>;
type Detail = ReturnType<typeof detailOf>;

const PATH = '/_dev/requests';

/** What was entered to filter the list. */
export type Entered = Readonly<Record<string, string | undefined>>;

/** The list as a page. It needs no script. */
export function listPage(
  list: { readonly requests: readonly Summary[]; readonly count: number; readonly error?: DevError },
  entered: Entered,
  pages: ToolPages,
): DevReply {
  const { requests, count, error } = list;
  const items = requests.map(listItem);
  const isAll = requests.length === count;
  const found = html`<section>
<h2>${isAll ? count : html`${requests.length} of ${count}`} ${count === 1 ? 'request' : 'requests'}</h2>
${items.length === 0 ? html`<p class="soft">There are none.</p>` : html`<ul class="places">\n${joinHtml(items, '\n')}\n</ul>`}
</section>`;
  const content = html`<p>The last requests that the server received, and those that it sent to webhooks, newest first. Secrets are not shown.</p>
${error ? html`<p class="alert" role="alert">${error.message}.</p>` : noHtml}
${filters(entered, error?.field)}
${error ? noHtml : found}`;
  return pages.render('requests', { status: error === undefined ? 200 : 400, title: 'Requests', content });
}

/** A request as a page. */
export function requestPage(detail: Detail, pages: ToolPages): DevReply {
  const title = `Request ${detail.id}`;
  const { request, reply, statements, trace, ignored_parameters, direction } = detail;
  const links = [
    html`<a href="${PATH}">All requests</a>`,
    html`<a href="${PATH}/${detail.id}/json">As JSON</a>`,
    direction === 'in' ? html`<a href="${PATH}/${detail.id}/curl">As a curl command, signed anew</a>` : noHtml,
    trace === undefined
      ? noHtml
      : html`<a href="/_dev/debugger/traces/${detail.transaction_id ?? ''}">Why it was refused</a>`,
  ];
  const content = html`<p class="links">${joinHtml(links, '\n')}</p>
${facts(detail)}
${parameters(detail.parameters, ignored_parameters)}
<h2>Headers of the request</h2>
${headers(request.headers)}
${body('Body of the request', request)}
${reply ? replyPart(reply) : html`<h2>Reply</h2>\n<p>${detail.failure ?? 'There is none yet.'}</p>`}
<h2>Statements of the database</h2>
<p>${statements.count} in ${statements.duration_ms} ms.</p>
${statementList(statements.first)}`;
  return pages.render('requests', { title, content });
}

/** The page of a request that is not known. */
export function unknownPage(pages: ToolPages): DevReply {
  const title = 'Unknown request';
  const content = html`<p>This request is not known, or no longer: only the last ones are kept, in memory.</p>
<p><a href="${PATH}">All requests</a></p>`;
  return pages.render('requests', { status: 404, title, content });
}

function listItem(of: Summary): Html {
  const { id, direction, method, target, status, failure, operation, event_type, at, duration_ms, faults } = of;
  const name = `${direction === 'out' ? 'Sent: ' : ''}${method} ${target}`;
  const outcome = status ?? failure ?? 'under way';
  const isBad = status === null ? failure !== undefined : status >= 400;
  const what = [operation ?? event_type, duration_ms === null ? undefined : `${duration_ms} ms`];
  const words = what.filter((each) => each !== undefined).map((each) => html` · ${each}`);
  return html`<li><a href="${PATH}/${id}">${name}</a>
<span class="soft"><span class="${isBad ? 'failed' : 'delivered'}">${outcome}${faults ? html` (fault ${faults.join(', ')})` : noHtml}</span>${joinHtml(words, '')} · <time class="whole" datetime="${at}">${at}</time></span></li>`;
}

const FILTERS = [
  ['path', 'Path', 'Such as /12/accounts/*/campaigns.'],
  ['operation', 'Operation', 'Such as campaigns.*.'],
  ['status', 'Status', 'Such as 404 or 4xx.'],
  ['application', 'Application', 'Its id, consumer key or name.'],
] as const;

function filters(entered: Entered, wrong: string | undefined): Html {
  const fields = FILTERS.map(
    ([name, label, hint]) => html`<div class="field"><label for="${name}">${label}</label>
<p class="hint" id="${name}-hint">${hint}</p>
<input id="${name}" name="${name}" value="${entered[name] ?? ''}" spellcheck="false" autocomplete="off" aria-describedby="${name}-hint"${name === wrong ? html` aria-invalid="true"` : noHtml}></div>`,
  );
  const isUsed = FILTERS.some(([name]) => (entered[name] ?? '') !== '');
  return html`<details${isUsed ? html` open` : noHtml}>
<summary>Filter</summary>
<form method="get" action="${PATH}">
${joinHtml(fields, '\n')}
<div class="buttons"><button class="main" type="submit">Show these</button></div>
</form>
</details>`;
}

function facts(of: Detail): Html {
  const { caller, rate_windows: windows, reply } = of;
  const rows: [name: string, value: string | number | undefined][] = [
    ['Request', `${of.method} ${of.target}`],
    ['At', of.at],
    ['Environment', of.environment],
    ['Operation', of.operation],
    ['Event', of.event_type],
    ['Account', of.account],
    ['Role', of.role],
    ['User', caller?.user],
    ['Application', caller?.application],
    ['Access level', caller?.level],
    ['Rate window', windows && `${windows.caller.remaining} of ${windows.caller.limit} left`],
    ['Fault', of.faults?.join(', ')],
    ['Status', reply?.status],
    ['Failure', of.failure],
    ['Duration', of.duration_ms === null ? undefined : `${of.duration_ms} ms`],
    ['Transaction', of.transaction_id],
  ];
  return definitions(rows.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])));
}

function parameters(read: unknown, ignored: readonly string[]): Html {
  const isEmpty = typeof read === 'object' && read !== null && Object.keys(read).length === 0;
  const shown = isEmpty ? noHtml : html`<h2>Parameters</h2>\n<pre>${JSON.stringify(read, null, 2)}</pre>`;
  return html`${shown}${ignored.length === 0 ? noHtml : html`\n<p>Ignored: ${ignored.join(', ')}.</p>`}`;
}

function replyPart(reply: NonNullable<Detail['reply']>): Html {
  return html`<h2>Headers of the reply</h2>
${headers(reply.headers)}
${body('Body of the reply', reply)}`;
}

function body(
  title: string,
  { body: text, body_bytes, is_cut }: { body: string | null; body_bytes: number; is_cut: boolean },
): Html {
  if (body_bytes === 0) return noHtml;
  const size = html`<p class="soft">${body_bytes} bytes${is_cut ? ', of which the first are kept' : ''}.</p>`;
  return html`<h2>${title}</h2>
${size}
${text === null ? html`<p>It is not shown: it is no text, or a page.</p>` : html`<pre>${indented(text)}</pre>`}`;
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function headers(list: Detail['request']['headers']): Html {
  return definitions(
    list.map(({ name, value }) => [name, value]),
    'facts long',
  );
}

function statementList(statements: Detail['statements']['first']): Html {
  if (statements.length === 0) return noHtml;
  const items = statements.map(
    ({ statement, duration_ms }) =>
      html`<li><code>${statement}</code> <span class="soft">${duration_ms} ms</span></li>`,
  );
  return html`<ul class="ways">\n${joinHtml(items, '\n')}\n</ul>`;
}
