import { type Html, html } from '../../base/html.ts';
import type { OperatorPage, OperatorRequest, OperatorResponse } from '../../contract/declare/operator-pages.ts';
import type { User } from '../../contract/store/credentials.ts';
import { ConstraintViolated } from '../../contract/store/errors.ts';
import { isLiveSession } from '../../contract/store/logins.ts';
import { displayNameError, emailError, userNameError } from '../../features/platform/profile.ts';
import { registerUser } from '../../features/platform/registration.ts';
import { addPasswordLink, changeUserStatus } from '../../features/platform/user-status.ts';
import { alertBox, hiddenFields } from '../../markup/boxes.ts';
import { errorSummary, type FieldErrors, formField } from '../../markup/form-fields.ts';
import { definitionList, tableOf } from '../../markup/tables.ts';
import { dateElement, timestampElement } from '../../markup/time-elements.ts';
import { texts } from '../../texts/texts.ts';
import { auditLink } from './audit-page.ts';
import type { OperatorConsoleDeps } from './operator-console-deps.ts';
import { actButton, done, formPage, nextLink, operatorPage, unknownPage } from './operator-forms.ts';

const PATH = '/users';
const ROWS = 100;
const words = texts.operator.users;

/** `/operator/users`: lists all users, and creates one. */
export function usersPage(deps: OperatorConsoleDeps): OperatorPage {
  return formPage(
    PATH,
    (request) => list(request),
    (request) => register(deps, request),
  );
}

/** `/operator/users/:id`: suspension, locks and password links of a user. */
export function userPage(deps: OperatorConsoleDeps): OperatorPage {
  return formPage(
    `${PATH}/:id`,
    (request) => show(deps, request),
    (request) => change(deps, request),
  );
}

type Member = 'screen_name' | 'name' | 'email';
const FIELDS: readonly (readonly [Member, (text: string) => string | undefined, isRequired: boolean])[] = [
  ['screen_name', userNameError, true],
  ['name', displayNameError, true],
  ['email', emailError, false],
];

async function list(
  request: OperatorRequest,
  draft: Readonly<Record<string, string>> = {},
  errors: FieldErrors = {},
): Promise<OperatorResponse> {
  const isGet = request.method === 'GET';
  const after = (isGet && request.parameter('after')) || '';
  const begins = ((isGet && request.parameter('q')) || '').toLowerCase();
  const users = await request.read((tx) =>
    tx.credentials.listUsers({ after: after || beforeAll(begins), limit: ROWS + 1 }),
  );
  const fitting = users.filter(({ screen_name }) => screen_name.toLowerCase().startsWith(begins));
  const rows = fitting
    .slice(0, ROWS)
    .map((user) => [
      html`<a href="/operator${PATH}/${user.id}">${user.screen_name}</a>`,
      user.name,
      stateOf(user),
      dateElement(user.created_at),
    ]);
  const last = fitting.length > ROWS ? fitting[ROWS - 1]!.screen_name.toLowerCase() : undefined;
  const fields = FIELDS.map(([member, , isRequired]) =>
    formField(
      {
        member,
        label: words.fields[member],
        hint: words.hints[member],
        attributes: isRequired ? html`required` : html``,
      },
      draft[member] ?? '',
      errors[member],
    ),
  );
  const more = last && new URLSearchParams({ ...(begins && { q: begins }), after: last }).toString();
  const content = html`${errorSummary(words.wrong, errors)}
<form class="filters" method="get"><div class="field"><label for="q">${words.search}</label><input id="q" name="q" value="${begins}" maxlength="15"></div><button type="submit">${words.show}</button></form>
${tableOf([words.userName, words.name, words.state, words.since], rows, words.none)}
${nextLink(more)}
<details class="card"${Object.keys(errors).length > 0 ? html` open` : ''}><summary>${words.create}</summary>
<form method="post">${hiddenFields(request.formFields)}${fields}
<p class="soft">${words.createAbout}</p><div class="buttons"><button class="main" type="submit">${words.create}</button></div></form></details>`;
  return operatorPage(words.title, content, Object.keys(errors).length > 0 ? 400 : 200);
}

/** The cursor directly before all names with this prefix. */
function beforeAll(begins: string): string {
  if (begins === '') return '';
  const last = begins.charCodeAt(begins.length - 1);
  return `${begins.slice(0, -1)}${String.fromCharCode(last - 1)}\u{10ffff}`;
}

async function register(deps: OperatorConsoleDeps, request: OperatorRequest): Promise<OperatorResponse> {
  const draft = Object.fromEntries(FIELDS.map(([member]) => [member, request.parameter(member)?.trim() ?? '']));
  const errors = Object.fromEntries(
    FIELDS.flatMap(([member, errorOf, isRequired]) => {
      const error = draft[member] === '' && !isRequired ? undefined : errorOf(draft[member]!);
      return error === undefined ? [] : [[member, error]];
    }),
  );
  if (Object.keys(errors).length > 0) return list(request, draft, errors);
  // A random password, until the user sets one with the link.
  const passwordHash = await deps.hashPassword(deps.random.bytes(32).toString('base64url'));
  try {
    const { id, link } = await request.change('user create', async (unit) => {
      const { screen_name: screenName, name, email } = draft as Record<Member, string>;
      const id = await registerUser(unit, { screenName, name, passwordHash, ...(email && { email }) });
      unit.addTarget('user', id);
      return { id, link: await addPasswordLink(unit.tx, id, { random: unit.random, now: unit.wallNow }) };
    });
    return linkPage(deps, id, link);
  } catch (error) {
    if (!(error instanceof ConstraintViolated)) throw error;
    return list(request, draft, { screen_name: words.taken });
  }
}

function linkPage({ loginUrl }: OperatorConsoleDeps, id: string, secret: string): OperatorResponse {
  const content = html`<p>${words.linkAbout}</p>
<pre tabindex="0">${loginUrl()}/login/reset?token=${secret}</pre>
<p><a href="/operator${PATH}/${id}">${words.goOn}</a></p>`;
  return operatorPage(words.link, content);
}

async function show(deps: OperatorConsoleDeps, request: OperatorRequest, problem?: string): Promise<OperatorResponse> {
  const id = request.pathParams.id!;
  const found = await request.read(async (tx) => {
    const user = await tx.credentials.findUser(id);
    if (!user) return undefined;
    const sessions = (await tx.sessions.list(id)).filter((each) => isLiveSession(each, deps.wallClock.now())).length;
    const accounts = [
      ...(await tx.accountMembers.listAccounts(id, 'production', 100)),
      ...(await tx.accountMembers.listAccounts(id, 'sandbox', 100)),
    ];
    return { user, sessions, accounts, hasFactor: (await tx.secondFactors.find(id)) !== undefined };
  });
  if (!found) return unknownPage(PATH, words);
  const { user, sessions, accounts, hasFactor } = found;
  const facts = definitionList([
    [words.id, html`<code>${user.id}</code>`],
    [words.name, user.name],
    [words.fields.email, user.email ?? words.no],
    [words.state, stateOf(user)],
    [words.since, timestampElement(user.created_at)],
    [words.twoSteps, hasFactor ? words.on : words.off],
    [words.sessions, String(sessions)],
    [
      words.accounts,
      accounts.length === 0
        ? words.no
        : html`${accounts.map((each) => html`<a href="/operator/accounts/${each}">${each}</a> `)}`,
    ],
  ]);
  const button = (act: keyof typeof words.acts): Html =>
    actButton(request, `user ${act}`, words.acts[act], { about: user.screen_name });
  const content = html`${alertBox(problem)}
<div class="card">${facts}
${user.suspended || user.locked ? html`<div class="buttons">${user.suspended ? button('resume') : ''}${user.locked ? button('unlock') : ''}</div>` : ''}
${button('link')}${user.suspended ? '' : button('suspend')}${user.locked ? '' : button('lock')}
<p class="soft">${words.actsAbout}</p></div>`;
  return operatorPage(`@${user.screen_name}`, content, problem === undefined ? 200 : 409, auditLink('user', id));
}

const CHANGES = {
  suspend: { suspended: 1 },
  resume: { suspended: 0 },
  lock: { locked: 1 },
  unlock: { locked: 0 },
} as const;

async function change(deps: OperatorConsoleDeps, request: OperatorRequest): Promise<OperatorResponse> {
  const id = request.pathParams.id!;
  const act = request.parameter('act') ?? '';
  const user = await request.read((tx) => tx.credentials.findUser(id));
  if (!user || !(act in CHANGES || act === 'link')) return show(deps, request, words.unknownAct);
  if (act === 'link') {
    if (user.suspended || user.locked) return show(deps, request, words.noLink);
    const link = await request.change('user link', async ({ tx, random, wallNow: now, addTarget }) => {
      addTarget('user', id);
      return addPasswordLink(tx, id, { random, now });
    });
    return linkPage(deps, id, link);
  }
  const status = act as keyof typeof CHANGES;
  await request.change(`user ${status}`, async ({ tx, addTarget }) => {
    addTarget('user', id);
    await changeUserStatus(tx, id, CHANGES[status]);
  });
  return done(`${PATH}/${id}`);
}

function stateOf({ suspended, locked }: User): string {
  if (suspended) return words.states.suspended;
  return locked ? words.states.locked : words.states.active;
}
