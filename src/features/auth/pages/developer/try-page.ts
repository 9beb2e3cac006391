import { type Html, html, joinHtml } from '../../../../base/html.ts';
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
import { callText } from '../../../../markup/call-text.ts';
import { errorSummary, formField, selectField } from '../../../../markup/form-fields.ts';
import { texts } from '../../../../texts/texts.ts';
import { developerPage, userPage } from '../layout.ts';
import type { PagesDeps } from '../pages-deps.ts';

const words = texts.developer.try;

const PATH = '/developer/try';
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

type Errors = Readonly<Record<string, string>>;

/**
 * `/developer/try`: calls an operation as the user, without a key, and shows the reply and the command that does the same.
 * An operation is chosen first; then there is a field for each of its parameters.
 * @source decision 1023
 */
export function tryPage(deps: PagesDeps): Page {
  const operations = deps.operations.filter(isOffered).sort((a, b) => (a.path < b.path ? -1 : 1));
  const choices = operations.map(({ id, method, path }) => [id, `${method} ${path}`] as const);
  const answer = async (_: PagesDeps, request: UserRequest): Promise<PageResponse> => {
    const draft = draftFrom(request, operations);
    const { environment, operation } = draft;
    const isPost = request.method === 'POST';
    const errors: Record<string, string> = {};
    if (!operation && (isPost || request.parameter('operation'))) errors.operation = words.noOperation;
    if (operation && environment === 'production' && operation.method !== 'GET') errors.environment = words.onlyReads;
    const input = isPost ? inputOf(draft, errors) : undefined;
    const isCall = input && operation && Object.keys(errors).length === 0;
    const reply = isCall ? await request.call(environment, operation.id, input) : undefined;
    const content = html`<p>${words.about}</p>
${errorSummary(words.wrong, errors)}
<form method="get" action="${PATH}">
${selectField('environment', words.environment, environments(), environment, { error: errors.environment })}
${selectField('operation', words.operation, choices, operation?.id, { error: errors.operation })}
<div class="buttons"><button type="submit">${words.choose}</button></div></form>
${operation && !errors.environment ? await callForm(deps, request, operation, draft, errors) : ''}
${reply ? replySection(reply) : ''}`;
    const status = Object.keys(errors).length > 0 ? 400 : 200;
    return developerPage(words.title, request, PATH, content, { status });
  };
  return userPage(deps, PATH, answer, answer);
}

/** Whether a page can call an operation for its user: those of the advertising API without files. */
function isOffered({ credential = 'user', family, files, shape }: Operation): boolean {
  return credential === 'user' && family === 'ads' && files === undefined && shape !== 'stream';
}

/** Prefix of the fields of parameters. */
const PREFIX = 'p_';

function draftFrom({ parameter, parameters }: UserRequest, operations: readonly Operation[]): Draft {
  const values = parameters.flatMap(([name, value]) =>
    name.startsWith(PREFIX) && value.trim() !== '' ? [[name.slice(PREFIX.length), value.trim()]] : [],
  );
  return {
    environment: parameter('environment') === 'production' ? 'production' : 'sandbox',
    operation: operations.find((each) => each.id === parameter('operation')),
    parameters: Object.fromEntries(values),
    body: (parameter('body') ?? '').trim(),
  };
}

/** Converts the form to a call; adds an error for each field that is not valid. */
function inputOf({ operation, parameters, body }: Draft, errors: Record<string, string>): PageCallInput {
  for (const [, name] of operation?.path.matchAll(/:(\w+)/g) ?? []) {
    if (!parameters[name!]) errors[PREFIX + name] = words.pathNeeds;
  }
  if (body === '') return { parameters };
  try {
    return { parameters, body: JSON.parse(body) };
  } catch {
    errors.body = words.notJson;
    return { parameters };
  }
}

/** A field for each parameter, and one for the body. */
async function callForm(
  deps: PagesDeps,
  request: UserRequest,
  operation: Operation,
  { environment, parameters, body }: Draft,
  errors: Errors,
): Promise<Html> {
  const described = deps.describeInput(operation);
  const accounts: { id: string; name: string }[] = described.parameters.some(({ name }) => name === 'account_id')
    ? ((await request.call(environment, 'accounts.list')).reply?.data ?? [])
    : [];
  const fields = described.parameters.map(({ name, type, choices, isRequired, about }) => {
    const member = PREFIX + name;
    const error = errors[member];
    if (name === 'account_id' && accounts.length > 0) {
      const options = accounts.map((account) => [account.id, account.name] as const);
      return selectField(member, name, options, parameters[name], { hint: about, error });
    }
    if (type === 'enum') {
      const options = [...(isRequired ? [] : ['']), ...choices].map((choice) => [choice, choice] as const);
      return selectField(member, name, options, parameters[name], { hint: about, error });
    }
    const hint = `${about} (${[type, ...choices].join(' ')})`.trim();
    const attributes = html`spellcheck="false" autocomplete="off"${isRequired ? html` required` : ''}`;
    return formField({ member, label: name, hint, attributes }, parameters[name] ?? '', error);
  });
  const code = html`rows="6" spellcheck="false" autocomplete="off"`;
  const bodyField = {
    member: 'body',
    label: words.body,
    hint: words.bodyHint,
    type: 'textarea',
    attributes: code,
  } as const;
  return html`<form method="post" action="${PATH}">${hiddenFields({ ...request.formFields, environment, operation: operation.id })}
<h2>${operation.method} ${operation.path}</h2>
<p>${operation.description}</p>
${joinHtml(fields, '\n')}
${described.takesJson ? formField(bodyField, body, errors.body) : ''}
<div class="buttons"><button class="main" type="submit">${words.button}</button></div></form>`;
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
<pre>${isCut ? text.slice(0, REPLY_MAX) : text}</pre>
${isCut ? html`<p class="soft">${words.cut}</p>` : ''}
<h2>${words.same}</h2>
${callText(call)}</section>`;
}
