import { type Html, html, noHtml } from '../../../../base/html.ts';
import type { Environment } from '../../../../contract/declare/account-state.ts';
import type { Operation } from '../../../../contract/declare/operation.ts';
import type {
  Page,
  PageCallInput,
  PageCallReply,
  PageResponse,
  UserRequest,
} from '../../../../contract/declare/pages.ts';
import { hiddenFields } from '../../../../markup/boxes.ts';
import {
  bodyField,
  callFields,
  fieldOf,
  foundOperations,
  operationSearch,
  parametersIn,
} from '../../../../markup/call-form.ts';
import { callText } from '../../../../markup/call-text.ts';
import { errorSummary, type FieldErrors, selectField } from '../../../../markup/form-fields.ts';
import { inEnglish } from '../../../../markup/prose.ts';
import { texts } from '../../../../texts/texts.ts';
import { developerPage, userPage } from '../layout.ts';
import type { PagesDeps } from '../pages-deps.ts';

const words = texts.developer.workbench;
const form = texts.site.callForm;

const PATH = '/developer/workbench';
/** Maximum number of characters of a reply on the page. */
const REPLY_MAX = 100_000;

/** The values of the form. */
interface Draft {
  readonly environment: Environment;
  /** Undefined until one is chosen. */
  readonly operation: Operation | undefined;
  /** Values by parameter; empty ones are not sent. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * `/developer/workbench`: calls an operation as the user, without a key, and shows the reply and the command that does the
 * same. An operation is searched first; then there is a field for each of its parameters. Links fill in the form.
 * @source decision 1023
 */
export function workbenchPage(deps: PagesDeps): Page {
  const operations = deps.operations.filter(isOffered);
  const answer = async (_: PagesDeps, request: UserRequest): Promise<PageResponse> => {
    const draft = draftFrom(request, operations);
    const { environment, operation } = draft;
    const search = request.parameter('operation')?.trim() ?? '';
    const errors: Record<string, string> = {};
    const input = request.method === 'POST' ? inputOf(draft, errors) : undefined;
    const isCall = input && operation && Object.keys(errors).length === 0;
    const reply = isCall ? await request.call(environment, operation.id, input) : undefined;
    const content = html`<p>${words.about}</p>
${operationSearch(PATH, operations, search, form)}
${errorSummary(words.wrong, errors)}
${operation ? await callForm(deps, request, operation, { draft, errors, reply }) : foundOperations(PATH, deps.findOperations(operations, search), { isOpen: search !== '', words: form })}`;
    const status = Object.keys(errors).length > 0 ? 400 : 200;
    return developerPage(words.title, request, PATH, content, { status });
  };
  return userPage(deps, PATH, answer, answer);
}

/** Whether a page can call an operation for its user: those of the advertising API without files. */
function isOffered({ credential = 'user', family, files, shape }: Operation): boolean {
  return credential === 'user' && family === 'ads' && files === undefined && shape !== 'stream';
}

function draftFrom({ parameter, parameters }: UserRequest, operations: readonly Operation[]): Draft {
  return {
    environment: parameter('environment') === 'production' ? 'production' : 'sandbox',
    operation: operations.find((each) => each.id === parameter('operation')),
    parameters: parametersIn(parameters),
    body: (parameter('body') ?? '').trim(),
  };
}

/** Converts the form to a call; adds an error for each field that is not valid. */
function inputOf({ environment, operation, parameters, body }: Draft, errors: Record<string, string>): PageCallInput {
  if (!operation) errors.operation = words.noOperation;
  else if (environment === 'production' && operation.method !== 'GET') errors.environment = words.onlyReads;
  for (const [, name] of operation?.path.matchAll(/:(\w+)/g) ?? []) {
    if (!parameters[name!]) errors[fieldOf(name!)] = words.pathNeeds;
  }
  if (body === '') return { parameters };
  try {
    return { parameters, body: JSON.parse(body) };
  } catch {
    errors.body = words.notJson;
    return { parameters };
  }
}

/** A field for each parameter, one for the body, and the reply. */
async function callForm(
  deps: PagesDeps,
  request: UserRequest,
  operation: Operation,
  { draft, errors, reply }: { draft: Draft; errors: FieldErrors; reply: PageCallReply | undefined },
): Promise<Html> {
  const { environment, parameters, body } = draft;
  const described = deps.describeInput(operation);
  const needsAccount = described.parameters.some(({ name }) => name === 'account_id');
  const accounts: { id: string }[] = needsAccount
    ? ((await request.call(environment, 'accounts.list')).reply?.data ?? [])
    : [];
  const ids = accounts.map(({ id }) => id);
  const fields = described.parameters.map((each) => (each.name === 'account_id' ? { ...each, choices: ids } : each));
  return html`<h2>${operation.method} ${operation.path}</h2>
<p>${inEnglish(operation.description)} <a href="/docs/reference/${operation.id}">${words.reference}</a></p>
<div class="bench">
<form method="post" action="${PATH}">${hiddenFields({ ...request.formFields, operation: operation.id })}
${selectField('environment', words.environment, environments(), environment, { error: errors.environment })}
${callFields(fields, parameters, errors, form)}
${described.takesJson ? bodyField(words.body, words.bodyHint, body, errors.body) : noHtml}
<div class="buttons"><button class="main" type="submit">${words.button}</button></div></form>
<div>${reply ? replySection(reply) : html`<p class="soft">${words.noReply}</p>`}</div>
</div>`;
}

const environments = () => {
  const { sandbox, production } = texts.site.environments;
  return [
    ['sandbox', sandbox],
    ['production', production],
  ] as const;
};

function replySection({ status, reply, shown: call }: PageCallReply): Html {
  const text = reply === undefined ? '' : JSON.stringify(reply, null, 2);
  const isCut = text.length > REPLY_MAX;
  return html`<section id="reply"><h2>${words.reply}</h2>
<p role="status"><strong class="${status < 400 ? 'delivered' : 'failed'}">${status}</strong></p>
<pre tabindex="0">${isCut ? text.slice(0, REPLY_MAX) : text}</pre>
${isCut ? html`<p class="soft">${words.cut}</p>` : ''}
<h2>${words.same}</h2>
${callText(call)}</section>`;
}
