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
  /** Undefined until one is chosen. */
  readonly operation: Operation | undefined;
  /** Values by parameter; empty ones are not sent. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * `/developer/try`: calls an operation as the user, without a key, and shows the reply and the command that does the same.
 * An operation is chosen first; then there is a field for each of its parameters.
 * @source decision 1023
 */
export function tryPage(deps: DeveloperDeps): Page {
  const operations = deps.operations.filter(isOffered).sort((a, b) => (a.path < b.path ? -1 : 1));
  return {
    path: PATH,
    methods: ['GET', 'POST'],
    mayFollowLogin: true,
    answer: (request) =>
      forUser(request, PATH, async () => {
        const entered = enteredIn(request, operations);
        const { environment, operation } = entered;
        const errors: Record<string, string> = {};
        const id = request.parameter('operation');
        if (!operation && (request.method === 'POST' || id)) errors.operation = words.noOperation;
        if (operation && environment === 'production' && operation.method !== 'GET') {
          errors.environment = words.onlyReads;
        }
        const show = (reply?: PageCallReply) => shown(request, { deps, operations, entered, errors, reply });
        if (request.method === 'GET') return show();
        const input = inputOf(entered, errors);
        if (!operation || Object.keys(errors).length > 0) return show();
        return show(await request.call(environment, operation.id, input));
      }),
  };
}

/** Whether a page can call an operation for its user: those of the advertising API without files. */
function isOffered({ credential = 'user', family, files, shape }: Operation): boolean {
  return credential === 'user' && family === 'ads' && files === undefined && shape !== 'stream';
}

/** What precedes the name of a parameter in that of its field. */
const PREFIX = 'p_';

function enteredIn({ parameter, parameters }: PageRequest, operations: readonly Operation[]): Entered {
  const id = parameter('operation');
  const given = parameters.flatMap(([name, value]) =>
    name.startsWith(PREFIX) && value.trim() !== '' ? [[name.slice(PREFIX.length), value.trim()]] : [],
  );
  return {
    environment: parameter('environment') === 'production' ? 'production' : 'sandbox',
    operation: operations.find((each) => each.id === id),
    parameters: Object.fromEntries(given),
    body: (parameter('body') ?? '').trim(),
  };
}

/** What is sent; what cannot be sent is an error at its field. */
function inputOf({ operation, parameters, body }: Entered, errors: Record<string, string>): PageCallInput {
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

/** What is on the page. */
interface Shown {
  readonly deps: DeveloperDeps;
  readonly operations: readonly Operation[];
  readonly entered: Entered;
  readonly errors: Readonly<Record<string, string>>;
  readonly reply: PageCallReply | undefined;
}

async function shown(request: PageRequest, { deps, operations, entered, errors, reply }: Shown): Promise<PageResponse> {
  const { environment, operation } = entered;
  const choices = operations.map(({ id, method, path }) => [id, `${method} ${path}`] as const);
  const content = html`<h1>${TITLE}</h1>
<p>${words.about}</p>
${errorSummary(words.wrong, errors)}
<form method="get" action="${PATH}">
${selectField('environment', words.environment, ENVIRONMENTS, environment, { error: errors.environment })}
${selectField('operation', words.operation, choices, operation?.id, { error: errors.operation })}
<div class="buttons"><button type="submit">${words.choose}</button></div></form>
${operation && !errors.environment ? await callForm(request, operation, { deps, entered, errors }) : ''}
${reply ? replyPart(reply) : ''}`;
  const status = Object.keys(errors).length > 0 ? 400 : 200;
  return { status, html: developerPage(TITLE, request, PATH, content), hasForm: true };
}

/** A field for each parameter, and one for the body. */
async function callForm(
  request: PageRequest,
  { id, method, path, description }: Operation,
  { deps, entered, errors }: Pick<Shown, 'deps' | 'entered' | 'errors'>,
): Promise<Html> {
  const { environment, operation, parameters, body } = entered;
  const described = deps.describeInput(operation!);
  const accounts = described.parameters.some(({ name }) => name === 'account_id')
    ? (await request.call(environment, 'accounts.list')).reply?.data
    : undefined;
  const fields = described.parameters.map((each) => {
    const isOfAccounts = each.name === 'account_id' && accounts?.length > 0;
    const options = isOfAccounts
      ? accounts.map((account: { id: string; name: string }) => [account.id, account.name])
      : each.type === 'enum'
        ? [...(each.isRequired ? [] : [['', '']]), ...each.choices.map((choice) => [choice, choice])]
        : undefined;
    const member = PREFIX + each.name;
    const hint = [each.about, each.type === 'enum' || isOfAccounts ? '' : `(${[each.type, ...each.choices].join(' ')})`]
      .join(' ')
      .trim();
    return options
      ? selectField(member, each.name, options, parameters[each.name], { hint, error: errors[member] })
      : formField(
          {
            member,
            label: each.name,
            hint,
            attributes: html`spellcheck="false" autocomplete="off"${each.isRequired ? html` required` : ''}`,
          },
          parameters[each.name] ?? '',
          errors[member],
        );
  });
  const code = html`rows="6" spellcheck="false" autocomplete="off"`;
  return html`<form method="post" action="${PATH}">${hiddenFields({ ...request.formFields, environment, operation: id })}
<h2>${method} ${path}</h2>
<p>${description}</p>
${joinHtml(fields, '\n')}
${described.takesJson ? formField({ member: 'body', label: words.body, hint: words.bodyHint, type: 'textarea', attributes: code }, body, errors.body) : ''}
<div class="buttons"><button class="main" type="submit">${words.button}</button></div></form>`;
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
