import { type Html, html, joinHtml, noHtml } from '../../base/html.ts';
import { AS_TYPED, formField } from '../../markup/form-fields.ts';
import { definitionList } from '../../markup/tables.ts';
import { texts } from '../../texts/texts.ts';
import type { DevError, DevReply } from '../surface/call.ts';
import type { ToolPages } from '../surface/tool-pages.ts';
import { type detailOf, indentedJson, type summaryOf } from './show.ts';

const words = texts.tools.requests;

type Summary = ReturnType<typeof summaryOf>;
type Detail = ReturnType<typeof detailOf>;

const PATH = '/_dev/requests';

/** The filters as the user entered them. */
export type Entered = Readonly<Record<string, string | undefined>>;

/** Renders the list of requests. */
export function listPage(
  list: { readonly requests: readonly Summary[]; readonly count: number; readonly error?: DevError },
  entered: Entered,
  pages: ToolPages,
): DevReply {
  const { requests, count, error } = list;
  const items = requests.map(listItem);
  const found = html`<section>
<h2>${words.count(requests.length, count)}</h2>
${items.length === 0 ? html`<p class="soft">${words.none}</p>` : html`<ul class="places">\n${joinHtml(items, '\n')}\n</ul>`}
</section>`;
  const content = html`<p>${words.about}</p>
${error ? html`<p class="alert" role="alert">${error.message}.</p>` : noHtml}
${filters(entered, error)}
${error ? noHtml : found}`;
  return pages.render('requests', { status: error === undefined ? 200 : 400, title: words.title, content });
}

/** Renders a request. */
export function requestPage(detail: Detail, pages: ToolPages): DevReply {
  const title = words.titleOf(detail.id);
  const { request, reply, statements, trace, ignored_parameters, direction } = detail;
  const links = [
    html`<a href="${PATH}">${words.all}</a>`,
    trace === undefined
      ? noHtml
      : html`<a href="/_dev/debugger/traces/${detail.transaction_id ?? ''}">${words.why}</a>`,
    detail.operation === undefined || direction === 'out'
      ? noHtml
      : html`<a href="/_dev/workbench?request=${detail.id}">${words.reopen}</a>`,
    html`<a href="${PATH}/${detail.id}/json">${words.json}</a>`,
    direction === 'in' ? html`<a href="${PATH}/${detail.id}/curl">${words.curl}</a>` : noHtml,
  ];
  const hint = reply?.headers.find(({ name }) => name === 'x-hint')?.value;
  const content = html`<p class="links">${joinHtml(links, '\n')}</p>
${hint ? html`<p class="alert" lang="en">${hint}</p>` : noHtml}
${facts(detail)}
${parameters(detail.parameters, ignored_parameters)}
<h2>${words.headers}</h2>
${headers(request.headers)}
${body(words.body, request)}
${reply ? replyPart(reply) : html`<h2>${words.reply}</h2>\n<p>${detail.failure ?? words.noReply}</p>`}
<h2>${words.statements}</h2>
<p>${words.statementsAbout(statements.count, statements.duration_ms)}</p>
${statementList(statements.first)}`;
  return pages.render('requests', { title, content });
}

/** Renders the page for an unknown request. */
export function unknownPage(pages: ToolPages): DevReply {
  const title = words.unknown;
  const content = html`<p>${words.unknownAbout}</p>
<p><a href="${PATH}">${words.all}</a></p>`;
  return pages.render('requests', { status: 404, title, content });
}

/** Renders a request in a list. */
export function listItem(of: Summary): Html {
  const { id, direction, method, target, status, failure, operation, event_type, at, duration_ms, faults } = of;
  const name = `${direction === 'out' ? words.sent : ''}${method} ${target}`;
  const outcome = status ?? failure ?? words.underWay;
  const isBad = status === null ? failure !== undefined : status >= 400;
  const what = [operation ?? event_type, duration_ms === null ? undefined : `${duration_ms} ms`];
  const more = what.filter((each) => each !== undefined).map((each) => html` · ${each}`);
  return html`<li><a href="${PATH}/${id}">${name}</a>
<span class="soft"><span class="${isBad ? 'failed' : 'delivered'}">${outcome}${faults ? words.faults(faults.join(', ')) : noHtml}</span>${joinHtml(more, '')} · <time class="whole" datetime="${at}">${at}</time></span></li>`;
}

function filters(entered: Entered, error: DevError | undefined): Html {
  const fields = Object.entries(words.filters).map(([member, [label, hint]]) =>
    formField(
      { member, label, hint, attributes: AS_TYPED },
      entered[member],
      member === error?.field ? error.message : undefined,
    ),
  );
  const isUsed = Object.keys(words.filters).some((name) => (entered[name] ?? '') !== '');
  return html`<details${isUsed ? html` open` : noHtml}>
<summary>${words.filter}</summary>
<form method="get" action="${PATH}">
${joinHtml(fields, '\n')}
<div class="buttons"><button class="main" type="submit">${words.show}</button></div>
</form>
</details>`;
}

function facts(of: Detail): Html {
  const { caller, rate_windows: windows, reply } = of;
  const rows: [name: keyof typeof words.facts, value: string | number | undefined][] = [
    ['request', `${of.method} ${of.target}`],
    ['at', of.at],
    ['environment', of.environment],
    ['operation', of.operation],
    ['event', of.event_type],
    ['account', of.account],
    ['role', of.role],
    ['user', caller?.user],
    ['application', caller?.application],
    ['level', caller?.level],
    ['window', windows && words.leftOf(windows.caller.remaining, windows.caller.limit)],
    ['fault', of.faults?.join(', ')],
    ['status', reply?.status],
    ['failure', of.failure],
    ['duration', of.duration_ms === null ? undefined : `${of.duration_ms} ms`],
    ['transaction', of.transaction_id],
  ];
  return definitionList(rows.map(([name, value]) => [words.facts[name], value]));
}

function parameters(read: unknown, ignored: readonly string[]): Html {
  const isEmpty = typeof read === 'object' && read !== null && Object.keys(read).length === 0;
  const values = isEmpty
    ? noHtml
    : html`<h2>${words.parameters}</h2>\n<pre tabindex="0">${JSON.stringify(read, null, 2)}</pre>`;
  return html`${values}${ignored.length === 0 ? noHtml : html`\n<p>${words.ignored(ignored.join(', '))}</p>`}`;
}

/** Headers and body of a reply. */
export function replyPart(reply: NonNullable<Detail['reply']>): Html {
  return html`${body(words.replyBody, reply)}
<details><summary>${words.replyHeaders}</summary>
${headers(reply.headers)}</details>`;
}

function body(
  title: string,
  { body: text, body_bytes, is_cut }: { body: string | null; body_bytes: number; is_cut: boolean },
): Html {
  if (body_bytes === 0) return noHtml;
  const size = html`<p class="soft">${words.bytes(body_bytes, is_cut)}</p>`;
  return html`<h3>${title}</h3>
${size}
${text === null ? html`<p>${words.notText}</p>` : html`<pre tabindex="0">${indentedJson(text)}</pre>`}`;
}

function headers(list: Detail['request']['headers']): Html {
  return definitionList(
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
