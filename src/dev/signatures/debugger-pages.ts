import { type Html, html, joinHtml, noHtml } from '../../base/html.ts';
import { InputError } from '../../base/input-error.ts';
import { texts } from '../../texts/texts.ts';
import type { DevCall } from '../surface/call.ts';
import type { ToolPages } from '../surface/tool-pages.ts';
import { type CurlRequest, parseCurl } from './curl.ts';
import type { ListedTrace } from './debugger.ts';
import { explanationOf } from './explanation-view.ts';
import type { ShownTrace } from './trace.ts';

const words = texts.tools.debugger;

/** What the pages of the debugger show. */
export interface DebuggerParts {
  /** The last refused request first. */
  readonly list: () => readonly ListedTrace[];
  /** Undefined when the trace is not known. */
  readonly shown: (id: string) => Promise<ShownTrace | undefined>;
  /** @throws InputError when the request cannot be read. */
  readonly explained: (request: CurlRequest) => Promise<ShownTrace>;
  readonly pages: ToolPages;
}

const PATH = '/_dev/debugger';
const TITLE = words.title;
/** Requests in the list of the page. */
const LISTED_MAX = 50;

/** The pages of the debugger. They need no script. */
export function debuggerPages({ list, shown, explained, pages }: DebuggerParts): readonly DevCall[] {
  return [
    {
      ...{ method: 'GET', path: PATH },
      about: 'The debugger of signatures, as a page.',
      perform: () => pages.render('debugger', { title: TITLE, content: overview(list(), NOTHING) }),
    },
    {
      ...{ method: 'POST', path: PATH, takesForm: true },
      about: 'Explains a request that was entered on that page.',
      async perform({ body }) {
        const input = inputOf(body as URLSearchParams);
        try {
          const trace = await explained(requestOf(input));
          return pages.render('debugger', { title: TITLE, content: overview(list(), input, explanationOf(trace)) });
        } catch (error) {
          if (!(error instanceof InputError)) throw error;
          const alert = html`<p class="alert" role="alert">${words.unreadable(error.message)}</p>`;
          return pages.render('debugger', { status: 400, title: TITLE, content: overview(list(), input, alert) });
        }
      },
    },
    {
      ...{ method: 'GET', path: `${PATH}/traces/:id` },
      about: 'Explains on a page why a request was refused.',
      async perform({ path }) {
        const trace = await shown(path.id!);
        const title = trace ? words.refusedTitle : words.unknown;
        const content = trace ? explanationOf(trace) : html`<p>${words.unknownAbout}</p>`;
        return pages.render('debugger', {
          status: trace ? 200 : 404,
          title,
          content: html`${content}\n<p><a href="${PATH}">${words.all}</a></p>`,
        });
      },
    },
  ];
}

/** What was entered in the form. */
interface Input {
  readonly curl: string;
  readonly method: string;
  readonly url: string;
  readonly authorization: string;
  readonly content_type: string;
  readonly body: string;
}

const NOTHING: Input = { curl: '', method: '', url: '', authorization: '', content_type: '', body: '' };

function inputOf(form: URLSearchParams): Input {
  const value = (name: keyof Input): string => form.get(name) ?? '';
  return {
    ...{ curl: value('curl'), method: value('method'), url: value('url').trim() },
    ...{ authorization: value('authorization').trim(), content_type: value('content_type').trim() },
    // Browsers send line breaks as CR and LF.
    body: value('body').replaceAll('\r\n', '\n'),
  };
}

/** @throws InputError */
function requestOf({ curl, method, url, authorization, content_type, body }: Input): CurlRequest {
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
<div class="field"><label for="curl">${words.curl}</label>
<p class="hint" id="curl-hint">${words.curlHint(html`<code>barker sign</code>`)}</p>
<textarea id="curl" name="curl" rows="6" spellcheck="false" autocomplete="off" required aria-describedby="curl-hint">${curl}</textarea></div>
<div class="buttons"><button class="main" type="submit">${words.explainCurl}</button></div>
</form>`;
}

function partsForm(input: Input): Html {
  const isUsed = input.url !== '';
  return html`<details${isUsed ? html` open` : ''}>
<summary>${words.parts}</summary>
<form method="post" action="${PATH}">
${field(input, 'method', words.method, { hint: words.methodHint })}
${field(input, 'url', words.url, { hint: words.urlHint, isRequired: true })}
${field(input, 'authorization', words.authorization)}
${field(input, 'content_type', words.contentType, { hint: words.contentTypeHint })}
<div class="field"><label for="body">${words.body}</label>
<textarea id="body" name="body" rows="3" spellcheck="false" autocomplete="off">${input.body}</textarea></div>
<div class="buttons"><button class="main" type="submit">${words.explain}</button></div>
</form>
</details>`;
}

function field(
  input: Input,
  name: keyof Input,
  label: string,
  { hint, isRequired = false }: { readonly hint?: string; readonly isRequired?: boolean } = {},
): Html {
  const about = hint === undefined ? noHtml : html`<p class="hint" id="${name}-hint">${hint}</p>\n`;
  const described = hint === undefined ? noHtml : html` aria-describedby="${name}-hint"`;
  return html`<div class="field"><label for="${name}">${label}</label>
${about}<input id="${name}" name="${name}" value="${input[name]}" spellcheck="false" autocomplete="off"${isRequired ? html` required` : ''}${described}></div>`;
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
