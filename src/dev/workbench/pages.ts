import { type Html, html, joinHtml, noHtml } from '../../base/html.ts';
import type { Operation } from '../../contract/declare/operation.ts';
import { credentialWords, hasJsonBody, parameterWords } from '../../engine/describe/words.ts';
import { alertBox } from '../../markup/boxes.ts';
import { bodyField, callFields, fieldOf, foundOperations, operationSearch } from '../../markup/call-form.ts';
import {
  AS_TYPED,
  errorSummary,
  type FieldErrors,
  formField,
  selectField,
  toSentence,
} from '../../markup/form-fields.ts';
import { inEnglish } from '../../markup/prose.ts';
import { texts } from '../../texts/texts.ts';
import { type Causes, causesSection } from '../requests/causes.ts';
import { replyPart } from '../requests/pages.ts';
import { type Detail, jsonOf } from '../requests/show.ts';
import { renderExplanation } from '../signatures/debugger-pages.ts';
import type { KnownApplication } from '../signatures/known-keys.ts';
import type { TraceReply } from '../signatures/trace.ts';
import type { DevReply } from '../surface/call.ts';
import type { ToolPages } from '../surface/tool-pages.ts';
import { type Draft, linkQuery } from './draft.ts';

const words = texts.tools.workbench;
const form = texts.site.callForm;

const PATH = '/_dev/workbench';

/** Renders the choice of an operation. */
export function choicePage(
  of: {
    readonly all: readonly Operation[];
    readonly found: readonly Operation[];
    readonly search: string;
    /** Why nothing is chosen yet. */
    readonly about: string | undefined;
  },
  pages: ToolPages,
): DevReply {
  const content = html`<p>${words.about}</p>
${alertBox(of.about)}
${operationSearch(PATH, of.all, of.search, form)}
${foundOperations(PATH, of.found, { isOpen: of.search !== '', words: form })}`;
  return pages.render('workbench', { title: words.title, content });
}

/** A request that was sent. */
interface Sent {
  readonly detail: Detail;
  /** Undefined where it is no longer known. */
  readonly trace: TraceReply | undefined;
  readonly causes: Causes;
}

/** What the page of a request shows. */
export interface ShownDraft {
  readonly draft: Draft;
  readonly operations: readonly Operation[];
  readonly known: readonly KnownApplication[];
  readonly errors: FieldErrors;
  /** How it would be signed now, or why it cannot be. */
  readonly preview: TraceReply | string | undefined;
  readonly sent: Sent | undefined;
  /** The request that the link names is not kept any more. */
  readonly isLost: boolean;
  /** The same call in several languages, or why there is none. */
  readonly snippets: readonly (readonly [language: string, code: string])[] | string;
}

/** Renders the form of a request, with its signature, and what became of it once it is sent. */
export function draftPage(shown: ShownDraft, pages: ToolPages): DevReply {
  const { draft, operations, errors, sent, preview, isLost } = shown;
  const { id, method, path, description } = draft.operation;
  const content = html`${operationSearch(PATH, operations, id, form)}
${isLost ? alertBox(words.lost) : noHtml}
<h2><span class="call">${method} ${path}</span></h2>
<p>${inEnglish(description)} <a href="/docs/reference/${id}">${words.reference}</a></p>
${errorSummary(words.wrong, errors)}
<div class="bench">
${draftForm(shown)}
<div>
${sent ? sentSections(draft, sent) : previewSection(preview)}
${snippetSection(shown)}
</div>
</div>`;
  const status = Object.keys(errors).length > 0 ? 400 : 200;
  return pages.render('workbench', { status, title: words.title, content });
}

function draftForm({ draft, known, errors, sent }: ShownDraft): Html {
  const { operation, environment, parameters, body, more } = draft;
  const takesBody = hasJsonBody(operation) || body !== '';
  const isPublisher = operation.credential === 'publisher';
  return html`<form method="post" action="${PATH}">
<input type="hidden" name="operation" value="${operation.id}">
<div class="filters">
${selectField('environment', words.environment, environmentsOf(operation), environment)}
${isPublisher ? credentialField() : signerField(draft, known, errors.signer)}
<button type="submit" name="act" value="example">${words.example}</button>
</div>
<p class="soft">${words.exampleAbout}</p>
${callFields(parameterWords(operation), parameters, { ...refusals(draft, sent), ...errors }, form)}
${takesBody ? bodyField(words.body, words.bodyHint, body) : noHtml}
<details${more === '' ? noHtml : html` open`}><summary>${words.more}</summary>
${formField({ member: 'more', label: words.moreLabel, hint: words.moreHint, type: 'textarea', attributes: html`rows="3" class="code" ${AS_TYPED}` }, more)}
</details>
<div class="buttons"><button class="main" type="submit" name="act" value="send">${words.send}</button>
<button type="submit" formmethod="get">${words.sign}</button></div>
</form>`;
}

function environmentsOf({ onlyIn }: Operation): (readonly [value: string, text: string])[] {
  const all = Object.entries(texts.site.environments);
  return onlyIn ? all.filter(([name]) => name === onlyIn) : all.toReversed();
}

function signerField({ operation, signer }: Draft, known: readonly KnownApplication[], error?: string): Html {
  const isApplication = /^(?:consumer|basic|bearer)$/.test(operation.credential ?? 'user');
  const options = known.flatMap(({ name, tokens }) =>
    isApplication
      ? [[name, name] as const]
      : tokens.map((each) => [`${name}/${each.name}`, words.signer(each.name, name)] as const),
  );
  const chosen = isApplication ? signer.split('/', 1)[0] : signer;
  return selectField('signer', words.signedBy, options, chosen, { hint: inEnglish(credentialWords(operation)), error });
}

function credentialField(): Html {
  return formField({
    member: 'credential',
    label: words.credential,
    hint: words.credentialHint,
    type: 'password',
    attributes: AS_TYPED,
  });
}

/** The parameters that the server refused, as the reply names them. */
function refusals({ operation }: Draft, sent: Sent | undefined): FieldErrors {
  const fields = new Set(parameterWords(operation).map(({ name }) => name));
  const { errors = [] } = Object(jsonOf(sent?.detail.reply?.body ?? '')) as { errors?: readonly ReplyError[] };
  const refused = errors.flatMap(({ parameter = '', parameters = {}, message = '' }) =>
    [parameter, ...Object.keys(parameters)].map((name) => [name, message] as const),
  );
  return Object.fromEntries(refused.flatMap(([name, message]) => (fields.has(name) ? [[fieldOf(name), message]] : [])));
}

/** An error of a reply: of the advertising interface, or of version 2. */
interface ReplyError {
  readonly message?: string;
  readonly parameter?: string;
  readonly parameters?: Readonly<Record<string, readonly string[]>>;
}

function sentSections(draft: Draft, sent: Sent): Html {
  const { detail, trace, causes } = sent;
  const { reply, duration_ms, failure, id } = detail;
  const status = reply?.status;
  const isDone = status !== undefined && status < 400;
  const outcome = status === undefined ? (failure ?? texts.tools.requests.noReply) : String(status);
  return html`<section id="reply"><h2>${words.reply}</h2>
<p role="status"><strong class="${isDone ? 'delivered' : 'failed'}">${toSentence(outcome)}</strong> ${words.took(duration_ms)}
<a href="/_dev/requests/${id}">${words.details}</a></p>
${errorSummary(words.refused, refusals(draft, sent))}
${reply ? replyPart(reply) : noHtml}</section>
${trace ? html`<section id="signature"><h2>${words.signature}</h2>\n${renderExplanation(trace)}</section>` : noHtml}
${causesSection(causes)}`;
}

function previewSection(preview: ShownDraft['preview']): Html {
  const shown =
    typeof preview === 'string'
      ? alertBox(words.notSigned(preview))
      : html`<p>${preview ? words.previewAbout : words.noPreview}</p>
${preview ? renderExplanation(preview) : noHtml}`;
  return html`<section id="signature"><h2>${words.signature}</h2>
${shown}</section>`;
}

function snippetSection({ snippets, draft }: ShownDraft): Html {
  const link = `${PATH}?${linkQuery(draft)}`;
  const [about, all] = typeof snippets === 'string' ? [words.noCopy(snippets), []] : [words.copyAbout, snippets];
  const items = all.map(
    ([language, code]) => html`<details><summary>${language}</summary>\n<pre tabindex="0">${code}</pre></details>`,
  );
  return html`<section id="copy"><h2>${words.copy}</h2>
<p>${about}</p>
${joinHtml(items, '\n')}
<p><a href="${link}">${words.link}</a> <span class="soft">${words.linkAbout}</span></p></section>`;
}
