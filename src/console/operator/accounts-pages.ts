import { html } from '../../base/html.ts';
import { foldCase } from '../../base/text.ts';
import { isZone } from '../../base/zones.ts';
import type { Environment } from '../../contract/declare/account-state.ts';
import type { RawValue } from '../../contract/declare/fields.ts';
import type { OperatorPage, OperatorRequest, OperatorResponse } from '../../contract/declare/operator-pages.ts';
import type { Row } from '../../contract/declare/resource.ts';
import { ROLES } from '../../contract/declare/roles.ts';
import type { ReadTransaction } from '../../contract/store/store.ts';
import { FEATURES } from '../../features/ads/account-features.ts';
import { accounts } from '../../features/ads/accounts.ts';
import { accountIdSequence } from '../../features/ads/administration/account-ids.ts';
import { applyAccountPlan, liveRowsOf } from '../../features/ads/administration/apply-plan.ts';
import { fundingInstruments } from '../../features/ads/funding-instruments.ts';
import { takeId } from '../../features/platform/ids.ts';
import { alertBox, hiddenFields } from '../../markup/boxes.ts';
import { formField, selectField } from '../../markup/form-fields.ts';
import { tableOf } from '../../markup/tables.ts';
import { texts } from '../../texts/texts.ts';
import { moneyText } from '../money.ts';
import { ACCOUNT_LIMITS, type AccountAct, accountActs, Refused } from './account-acts.ts';
import type { OperatorConsoleDeps } from './operator-console-deps.ts';
import { actButton, actForm, done, operatorPage } from './operator-forms.ts';

const PATH = '/accounts';
const ROWS = 100;
const words = texts.operator.accounts;

/** `/operator/accounts`: all accounts, and one more. */
export function accountsPage(deps: OperatorConsoleDeps): OperatorPage {
  return {
    path: PATH,
    methods: ['GET', 'POST'],
    answer: (request) => (request.method === 'GET' ? listed(request) : created(deps, request)),
  };
}

/** `/operator/accounts/:id`: one account: approval, people, funding, features and limits. */
export function accountPage(deps: OperatorConsoleDeps): OperatorPage {
  const acts = accountActs(deps);
  return {
    path: `${PATH}/:id`,
    methods: ['GET', 'POST'],
    async answer(request) {
      if (request.method === 'GET') return shown(deps, request);
      const act: AccountAct | undefined = acts[request.parameter('act') ?? ''];
      if (!act) return shown(deps, request, words.wrong);
      try {
        await act(request, request.pathParams.id!);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        return shown(deps, request, error.message);
      }
      return done(`${PATH}/${request.pathParams.id}`);
    },
  };
}

const ENVIRONMENTS: readonly Environment[] = ['production', 'sandbox'];

async function listed(request: OperatorRequest, problem?: string): Promise<OperatorResponse> {
  const environment = request.parameter('environment') === 'sandbox' ? 'sandbox' : 'production';
  const after = (request.method === 'GET' && request.parameter('after')) || undefined;
  const sought = ((request.method === 'GET' && request.parameter('q')) || '').trim();
  const found = await request.read(async (tx) => {
    const named = sought && (await tx.records.get(accounts, { account: undefined, id: sought }, { deleted: 'hidden' }));
    return named ? [named as unknown as Row] : pageOf(tx, { environment, sought, after });
  });
  const rows = found
    .slice(0, ROWS)
    .map(({ id, name, approval_status }) => [
      html`<a href="/operator${PATH}/${id}">${String(name)}</a>`,
      html`<code>${id}</code>`,
      texts.accounts.states[String(approval_status)] ?? String(approval_status),
    ]);
  const queryOf = (members: Readonly<Record<string, string>>): string =>
    new URLSearchParams({ ...(sought && { q: sought }), ...members }).toString();
  const links = ENVIRONMENTS.map(
    (each) =>
      html`<a href="?${queryOf({ environment: each })}"${each === environment ? html` aria-current="true"` : ''}>${texts.site.environments[each]}</a>`,
  );
  const more = found.length > ROWS && queryOf({ environment, after: String(found[ROWS - 1]!.id) });
  const given = (name: string): string => (request.method === 'POST' && request.parameter(name)) || '';
  const content = html`${alertBox(problem)}
<p class="links">${links}</p>
<form class="filters" method="get"><input type="hidden" name="environment" value="${environment}"><div class="field"><label for="q">${words.search}</label><input id="q" name="q" value="${sought}" maxlength="255"></div><button type="submit">${texts.operator.users.show}</button></form>
${tableOf([words.name, words.id, words.state], rows, sought === '' ? words.none : words.noneFound)}
${more ? html`<p><a href="?${more}">${texts.operator.users.next}</a></p>` : ''}
<details class="card"${problem === undefined ? '' : html` open`}><summary>${words.create}</summary>
<form method="post">${hiddenFields(request.formFields)}
${formField({ member: 'name', label: words.name, attributes: html`required maxlength="255"` }, given('name'), undefined)}
${formField({ member: 'admin', label: words.admin, attributes: html`required maxlength="15"` }, given('admin'), undefined)}
${formField({ member: 'timezone', label: words.timezone, hint: words.timezoneHint, attributes: html`required maxlength="64"` }, given('timezone'), undefined)}
${selectField(
  'environment',
  words.environment,
  ENVIRONMENTS.map((each) => [each, texts.site.environments[each]]),
  given('environment'),
)}
<div class="buttons"><button class="main" type="submit">${words.create}</button></div></form></details>`;
  return operatorPage(words.title, content, problem === undefined ? 200 : 400);
}

function pageOf(
  tx: ReadTransaction,
  of: { readonly environment: Environment; readonly sought: string; readonly after: string | undefined },
): Promise<Row[]> {
  const { environment, sought, after } = of;
  return tx.records.page(accounts, {
    ...{ account: undefined, member: undefined, without: undefined, deleted: 'hidden' },
    prefix: sought === '' ? undefined : { column: 'name_folded', text: foldCase(sought) },
    within: { environment: [environment] },
    sort: [{ column: 'id', direction: 'asc', nullable: false }],
    after: after === undefined ? undefined : [after],
    limit: ROWS + 1,
  });
}

async function created({ accountInput }: OperatorConsoleDeps, request: OperatorRequest): Promise<OperatorResponse> {
  const { id: _, ...fields } = accountInput.fields.account;
  const [name, timezone] = ['name', 'timezone'].map((each) => request.parameter(each)?.trim() ?? '');
  const given: Record<string, RawValue> = { name: name!, timezone: timezone! };
  const { values, errors } = accountInput.read(fields, given, words.title);
  if (errors.length > 0) return listed(request, errors.join('. '));
  if (!isZone(timezone!)) return listed(request, `${words.timezone}: ${words.noZone}.`);
  const admin = request.parameter('admin')?.trim() ?? '';
  const user = await request.read((tx) => tx.credentials.findUserByName(admin));
  if (!user) return listed(request, `${words.admin}: ${words.noUser}.`);
  const environment = request.parameter('environment') === 'sandbox' ? 'sandbox' : 'production';
  const id = await request.change('account create', async (unit) => {
    const own = await takeId(unit.tx, unit.random, accountIdSequence(environment));
    unit.addTarget('user', user.id);
    unit.addTarget('account', own);
    await applyAccountPlan(unit, {
      ...{ id: own, environment, values, instruments: [], features: [], limits: {} },
      users: [{ user: user.id, role: 'ACCOUNT_ADMIN', composer: true }],
      promotable: [{ user: user.id, type: 'FULL' }],
    });
    return own;
  });
  return done(`${PATH}/${id}`);
}

async function shown(
  { limits: usual }: OperatorConsoleDeps,
  request: OperatorRequest,
  problem?: string,
): Promise<OperatorResponse> {
  const id = request.pathParams.id!;
  const found = await request.read(async (tx) => {
    const row = await tx.records.get(accounts, { account: undefined, id }, { deleted: 'shown' });
    const standing = await tx.accountMembers.findLimits(id);
    if (!row || !standing) return undefined;
    const members = await tx.accountMembers.listMembers(id);
    const names = await tx.credentials.findScreenNames(members.map(({ user_id }) => user_id));
    const features = await tx.accountMembers.listFeatures(id);
    const funding = await liveRowsOf(tx, fundingInstruments, id);
    return { row: row as unknown as Row, standing, members, names, features, funding };
  });
  if (!found) return operatorPage(words.unknown, html`<p><a href="/operator${PATH}">${words.title}</a></p>`, 404);
  const { row, standing, members, names, features, funding } = found;
  const limits: Readonly<Record<string, number>> = JSON.parse(standing.limits);
  const states = Object.entries(texts.accounts.states);
  const content = html`${alertBox(problem)}
<section class="card"><dl class="facts"><dt>${words.id}</dt><dd><code>${id}</code></dd><dt>${words.environment}</dt><dd>${texts.site.environments[standing.environment as Environment]}</dd><dt>${words.timezone}</dt><dd>${String(row.timezone)}</dd></dl>
${actForm(request, 'account approve', selectField('status', words.approval, states, String(row.approval_status)), words.save)}</section>
<section class="card"><h2>${words.people}</h2>
${tableOf(
  [words.user, words.role, ''],
  members.map(({ user_id, role, post_composer }) => [
    html`<a href="/operator/users/${user_id}">${names.get(user_id) ?? user_id}</a>`,
    post_composer ? `${role}, POST_COMPOSER` : role,
    actButton(request, 'account revoke', words.takeRole, {
      about: names.get(user_id) ?? user_id,
      fields: { user: user_id },
    }),
  ]),
  words.none,
)}
${actForm(
  request,
  'account grant',
  html`${formField({ member: 'user_name', name: 'user_name', label: words.user, attributes: html`required maxlength="15"` }, '', undefined)}${selectField(
    'role',
    words.role,
    ROLES.map((each) => [each, each]),
  )}`,
  words.giveRole,
)}</section>
<section class="card"><h2>${words.funding}</h2>
${tableOf(
  [words.description, words.type, words.currency, words.amount],
  funding.map((each) => [
    String(each.description ?? each.id),
    String(each.type),
    String(each.currency),
    amountOf(each),
  ]),
  words.noFunding,
)}
${actForm(
  request,
  'account fund',
  html`${selectField(
    'type',
    words.type,
    ['CREDIT_CARD', 'CREDIT_LINE', 'INSERTION_ORDER'].map((each) => [each, each]),
  )}
${formField({ member: 'currency', label: words.currency, hint: words.currencyHint, attributes: html`required maxlength="3"` }, '', undefined)}
${formField({ member: 'amount', label: words.amount, hint: words.amountHint, attributes: html`inputmode="decimal"` }, '', undefined)}
${formField({ member: 'description', label: words.description, attributes: html`maxlength="255"` }, '', undefined)}
${formField({ member: 'end', label: words.end, hint: words.endHint, type: 'date', attributes: html`` }, '', undefined)}`,
  words.addFunding,
)}</section>
<section class="card"><h2>${words.features}</h2>
${actForm(
  request,
  'account features',
  html`<fieldset><legend class="hidden">${words.features}</legend>${FEATURES.map(
    (each) =>
      html`<label class="choice"><input type="checkbox" name="feature:${each}"${features.includes(each) ? html` checked` : ''}>${each}</label>`,
  )}</fieldset>`,
  words.save,
)}</section>
<section class="card"><h2>${words.limits}</h2>
${actForm(
  request,
  'account limits',
  html`${Object.entries(ACCOUNT_LIMITS).map(([name, setting]) =>
    formField(
      {
        member: name,
        label: words.limitNames[name as keyof typeof words.limitNames],
        hint: texts.operator.applications.usual(usual[setting]),
        attributes: html`inputmode="numeric"`,
      },
      limits[setting] === undefined ? '' : String(limits[setting]),
      undefined,
    ),
  )}`,
  words.save,
)}</section>`;
  return operatorPage(String(row.name), content, problem === undefined ? 200 : 409);
}

function amountOf({ credit_limit_local_micro, funded_amount_local_micro, currency }: Row): string {
  const amount = credit_limit_local_micro ?? funded_amount_local_micro;
  return typeof amount === 'number' ? moneyText(amount, String(currency)) : '';
}
