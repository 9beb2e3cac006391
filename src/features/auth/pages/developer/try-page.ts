import { type Html, html, joinHtml } from '../../../../base/html.ts';
import type { Environment } from '../../../../contract/declare/account-state.ts';
import type { Operation } from '../../../../contract/declare/operation.ts';
import type {
  Page,
  PageCallInput,
  PageCallReply,
  PageRequest,
  PageResponse,
} from '../../../../contract/declare/pages.ts';
import { hiddenFields } from '../../../../markup/boxes.ts';
import { callText } from '../../../../markup/call-text.ts';
import { errorSummary, formField, selectField } from '../../../../markup/form-fields.ts';
import { texts } from '../../../../texts/texts.ts';
import { developerPage } from '../layout.ts';
import { type DeveloperDeps, forUser } from './owner-pages.ts';

const words = texts.developer.try;

const PATH = '/developer/try';
const TITLE = words.title;
/** Characters of a reply that are shown. */
const REPLY_MAX = 100_000;

/** What is entered. */
interface Entered {
  readonly environment: Environment;
  readonly operation: string;
  /** `name=value`, one a line. */
  readonly parameters: string;
  readonly body: string;
}

/**
 * `/developer/try`: calls an operation as the user, without a key, and shows the reply and the command that does the same.
 * @source decision 1023
 */
export function tryPage(deps: DeveloperDeps): Page {
  const operations = deps.operations.filter(isOffered).sort((a, b) => (a.id < b.id ? -1 : 1));
  return {
    path: PATH,
    methods: ['GET', 'POST'],
    mayFollowLogin: true,
    answer: (request) =>
      forUser(request, PATH, async () => {
        const entered = enteredIn(request);
        if (request.method === 'GET') return shown(request, operations, entered, {});
        const errors: Record<string, string> = {};
        const operation = operations.find(({ id }) => id === entered.operation);
        if (!operation) errors.operation = words.noOperation;
        else if (entered.environment === 'production' && operation.method !== 'GET') {
          errors.environment = words.onlyReads;
        }
        const input = inputOf(entered, operation, errors);
        if (!operation || Object.keys(errors).length > 0) return shown(request, operations, entered, errors);
        const reply = await request.call(entered.environment, operation.id, input);
        return shown(request, operations, entered, {}, reply);
      }),
  };
}

/** Whether a page can call an operation for its user: those of the advertising API without files. */
function isOffered({ credential = 'user', family, files, shape }: Operation): boolean {
  return credential === 'user' && family === 'ads' && files === undefined && shape !== 'stream';
}

function enteredIn({ parameter }: PageRequest): Entered {
  return {
    environment: parameter('environment') === 'production' ? 'production' : 'sandbox',
    operation: parameter('operation')?.trim() ?? '',
    // Browsers send line breaks as CR and LF.
    parameters: (parameter('parameters') ?? '').replaceAll('\r\n', '\n'),
    body: (parameter('body') ?? '').trim(),
  };
}

/** What is sent; what cannot be read is an error at its field. */
function inputOf(
  { parameters: text, body }: Entered,
  operation: Operation | undefined,
  errors: Record<string, string>,
): PageCallInput {
  const parameters: Record<string, string> = {};
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line === '') continue;
    const at = line.indexOf('=');
    if (at < 1) errors.parameters = words.notPair(line.slice(0, 40));
    else parameters[line.slice(0, at).trim()] = line.slice(at + 1).trim();
  }
  const missing = [...(operation?.path.matchAll(/:(\w+)/g) ?? [])].map(([, name]) => name!);
  const first = missing.find((name) => !parameters[name]);
  if (first !== undefined) errors.parameters ??= words.pathNeeds(first);
  if (body === '') return { parameters };
  try {
    return { parameters, body: JSON.parse(body) };
  } catch {
    errors.body = words.notJson;
    return { parameters };
  }
}

function shown(
  request: PageRequest,
  operations: readonly Operation[],
  entered: Entered,
  errors: Readonly<Record<string, string>>,
  reply?: PageCallReply,
): PageResponse {
  const options = operations.map(({ id, method, path }) => html`<option value="${id}">${method} ${path}</option>`);
  const attributes = html`list="operations" required autocomplete="off" spellcheck="false"`;
  const code = html`rows="4" spellcheck="false" autocomplete="off"`;
  const content = html`<h1>${TITLE}</h1>
<p>${words.about}</p>
${errorSummary(words.wrong, errors)}
<form method="post" action="${PATH}">${hiddenFields(request.formFields)}
${selectField('environment', words.environment, ENVIRONMENTS, entered.environment, { error: errors.environment })}
${formField({ member: 'operation', label: words.operation, hint: words.operationHint, attributes }, entered.operation, errors.operation)}
<datalist id="operations">${joinHtml(options, '\n')}</datalist>
${formField({ member: 'parameters', label: words.parameters, hint: words.parametersHint, type: 'textarea', attributes: code }, entered.parameters, errors.parameters)}
${formField({ member: 'body', label: words.body, hint: words.bodyHint, type: 'textarea', attributes: code }, entered.body, errors.body)}
<div class="buttons"><button class="main" type="submit">${words.button}</button></div></form>
${reply ? replyPart(reply) : ''}`;
  const status = Object.keys(errors).length > 0 ? 400 : 200;
  return { status, html: developerPage(TITLE, request, PATH, content), hasForm: true };
}

const ENVIRONMENTS = [
  ['sandbox', texts.site.environments.sandbox],
  ['production', texts.site.environments.production],
] as const;

function replyPart({ status, reply, shown: call }: PageCallReply): Html {
  const text = reply === undefined ? '' : JSON.stringify(reply, null, 2);
  const isCut = text.length > REPLY_MAX;
  return html`<section id="reply"><h2>${words.reply}</h2>
<p role="status"><strong class="${status < 400 ? 'delivered' : 'failed'}">${status}</strong></p>
<pre>${isCut ? text.slice(0, REPLY_MAX) : text}</pre>
${isCut ? html`<p class="soft">${words.cut}</p>` : ''}
<h2>${words.same}</h2>
${callText(call)}</section>`;
}
