import { type Html, html, joinHtml, noHtml } from '../../base/html.ts';
import { InputError } from '../../base/input-error.ts';
import { AS_TYPED, formField } from '../../markup/form-fields.ts';
import { definitionList } from '../../markup/tables.ts';
import { texts } from '../../texts/texts.ts';
import { type DevCall, type DevReply, devCall } from '../surface/call.ts';
import type { ToolPages } from '../surface/tool-pages.ts';
import type { ListedTrace, SignatureDebugger } from './debugger.ts';
import { type CurlRequest, parseCurl } from './described-request.ts';
import type { TraceReply } from './trace.ts';

const words = texts.tools.debugger;

const PATH = '/_dev/debugger';
/** Maximum number of listed requests. */
const LISTED_MAX = 50;

/** The pages of the signature debugger. */
export function debuggerPages(signatures: SignatureDebugger, pages: ToolPages): readonly DevCall[] {
  const page = (input: Input, result?: Html, status = 200): DevReply =>
    pages.render('debugger', { status, title: words.title, content: overview(signatures.list(), input, result) });
  return [
    devCall(`GET ${PATH}`, 'The debugger of signatures, as a page.', () => page(NOTHING)),
    {
      method: 'POST',
      path: PATH,
      takesForm: true,
      about: 'Explains a request that was entered on that page.',
      async perform({ body }) {
        const input = readForm(body as URLSearchParams);
        try {
          return page(input, explanation(await signatures.explain(toRequest(input))));
        } catch (error) {
          if (!(error instanceof InputError)) throw error;
          return page(input, html`<p class="alert" role="alert">${words.unreadable(error.message)}</p>`, 400);
        }
      },
    },
    devCall(`GET ${PATH}/traces/:id`, 'Explains on a page why a request was refused.', async ({ path }) => {
      const trace = await signatures.find(path.id!);
      const title = trace ? words.refusedTitle : words.unknown;
      const content = trace ? explanation(trace) : html`<p>${words.unknownAbout}</p>`;
      return pages.render('debugger', {
        status: trace ? 200 : 404,
        title,
        content: html`${content}\n<p><a href="${PATH}">${words.all}</a></p>`,
      });
    }),
  ];
}

/** The fields of the form. */
interface Input {
  readonly curl: string;
  readonly method: string;
  readonly url: string;
  readonly authorization: string;
  readonly content_type: string;
  readonly body: string;
}

const NOTHING: Input = { curl: '', method: '', url: '', authorization: '', content_type: '', body: '' };

function readForm(form: URLSearchParams): Input {
  const value = (name: keyof Input): string => form.get(name) ?? '';
  return {
    curl: value('curl'),
    method: value('method'),
    url: value('url').trim(),
    authorization: value('authorization').trim(),
    content_type: value('content_type').trim(),
    // Browsers send line breaks as CR and LF.
    body: value('body').replaceAll('\r\n', '\n'),
  };
}

/** @throws InputError */
function toRequest({ curl, method, url, authorization, content_type, body }: Input): CurlRequest {
  if (curl.trim() !== '') return parseCurl(curl);
  if (url === '') throw new InputError(words.nothing);
  const headers = new Map<string, string>();
  if (authorization !== '') headers.set('authorization', authorization.replace(/^authorization:\s*/i, ''));
  if (content_type !== '') headers.set('content-type', content_type);
  else if (body !== '') headers.set('content-type', 'application/x-www-form-urlencoded');
  return { method: method.trim() || 'GET', url, headers, body: body === '' ? undefined : body };
}

function overview(list: readonly ListedTrace[], input: Input, result: Html = noHtml): Html {
  return html`<p>${words.about}</p>
${result}
${curlForm(input)}
${partsForm(input)}
${refusedList(list)}`;
}

function curlForm({ curl }: Input): Html {
  return html`<form method="post" action="${PATH}">
${formField({ member: 'curl', label: words.curl, hint: words.curlHint(html`<code>barker sign</code>`), type: 'textarea', attributes: html`rows="6" required ${AS_TYPED}` }, curl)}
<div class="buttons"><button class="main" type="submit">${words.explainCurl}</button></div>
</form>`;
}

function partsForm(input: Input): Html {
  const isUsed = input.url !== '';
  return html`<details${isUsed ? html` open` : ''}>
<summary>${words.parts}</summary>
<form method="post" action="${PATH}">
${formField({ member: 'method', label: words.method, hint: words.methodHint, attributes: AS_TYPED }, input.method)}
${formField({ member: 'url', label: words.url, hint: words.urlHint, attributes: html`required ${AS_TYPED}` }, input.url)}
${formField({ member: 'authorization', label: words.authorization, attributes: AS_TYPED }, input.authorization)}
${formField({ member: 'content_type', label: words.contentType, hint: words.contentTypeHint, attributes: AS_TYPED }, input.content_type)}
${formField({ member: 'body', label: words.body, type: 'textarea', attributes: html`rows="3" ${AS_TYPED}` }, input.body)}
<div class="buttons"><button class="main" type="submit">${words.explain}</button></div>
</form>
</details>`;
}

function refusedList(list: readonly ListedTrace[]): Html {
  const items = list.slice(0, LISTED_MAX).map(
    ({
      id,
      received_at,
      status,
      method,
      path,
      summary,
    }) => html`<li><a href="${PATH}/traces/${id}">${method} ${path}</a>
<span class="soft">${words.lastAt(status, received_at)}</span>
<span>${summary}</span></li>`,
  );
  const content =
    items.length === 0
      ? html`<p class="soft">${words.none}</p>`
      : html`<ul class="places">\n${joinHtml(items, '\n')}\n</ul>`;
  return html`<section>
<h2>${words.last}</h2>
${content}
</section>`;
}

const explanation = (trace: TraceReply): Html => html`<h2>${words.explanation}</h2>
${renderExplanation(trace)}`;

/** Renders an explanation. */
export function renderExplanation(trace: TraceReply): Html {
  const { outcome, summary, mistakes, signature, received } = trace;
  return html`<p class="${outcome === 'right' ? 'notice' : 'alert'}" role="status"><strong>${words.outcomes[outcome]}</strong> ${summary}</p>
${mistakes.length > 1 ? allMistakes(trace) : noHtml}
${facts(trace)}
${difference(trace)}
${section(words.normalised, trace.expected?.parameter_string)}
${section(words.baseExpected, trace.expected?.base_string)}
${section(words.baseSigned, trace.signed?.base_string)}
${section(words.key, trace.application === undefined ? undefined : words.keyOf(trace.application))}
${section(words.signatureReceived, signature.received)}
${section(words.signatureExpected, signature.expected)}
${section(words.headerReceived, received.authorization)}
${parameterTable(trace)}`;
}

function allMistakes({ mistakes }: TraceReply): Html {
  const items = mistakes.map(
    ({ name, text, remedy }) => html`<li><strong>${text}</strong> ${remedy} <code>${name}</code></li>`,
  );
  return html`<section><h3>${words.mistakes(mistakes.length)}</h3>
<ul class="ways">
${joinHtml(items, '\n')}
</ul></section>`;
}

function facts({ id, received_at, status, method, target, origin, application, mistakes }: TraceReply): Html {
  const rows: [name: keyof typeof words.facts, value: string | number | undefined][] = [
    ['request', `${method} ${target}`],
    ['origin', origin],
    ['received', received_at],
    ['status', status],
    ['trace', id],
    ['application', application],
    ['mistake', mistakes.length === 1 ? mistakes[0]!.name : undefined],
  ];
  return definitionList(rows.map(([name, value]) => [words.facts[name], value]));
}

function difference({ first_difference: found }: TraceReply): Html {
  if (!found) return noHtml;
  return html`<section><h3>${words.difference(found.at + 1)}</h3>
<dl class="facts"><dt>${words.expected}</dt><dd><code>${found.expected}</code></dd>
<dt>${words.signed}</dt><dd><code>${found.signed}</code></dd></dl></section>`;
}

function section(title: string, text: string | undefined): Html {
  return text === undefined ? noHtml : html`<h3>${title}</h3>\n<pre tabindex="0">${text}</pre>`;
}

function parameterTable({ parameters }: TraceReply): Html {
  if (parameters.length === 0) return noHtml;
  const rows = parameters.map(
    ({ source, name, value }) =>
      html`<tr><th scope="row">${name} <span class="soft">${source}</span></th><td>${value}</td></tr>`,
  );
  return html`<h3>${words.parameters}</h3>
<table class="broken parameters">
<thead><tr><th scope="col">${words.nameAndPlace}</th><th scope="col">${words.value}</th></tr></thead>
<tbody>
${joinHtml(rows, '\n')}
</tbody>
</table>`;
}
