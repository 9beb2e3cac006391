import { type Html, html, noHtml } from '../../base/html.ts';
import { numberText } from '../../base/language.ts';
import { foldCase } from '../../base/text.ts';
import { isZone } from '../../base/zones.ts';
import type { Environment } from '../../contract/declare/account-state.ts';
import type { OperatorPage, OperatorRequest, OperatorResponse } from '../../contract/declare/operator-pages.ts';
import type { Row } from '../../contract/declare/resource.ts';
import { ROLES } from '../../contract/declare/roles.ts';
import { FEATURES } from '../../features/ads/account-features.ts';
import { accounts } from '../../features/ads/accounts.ts';
import { accountIdSequence } from '../../features/ads/administration/account-ids.ts';
import { ACCOUNT_LIMITS } from '../../features/ads/administration/account-input.ts';
import { applyAccountPlan, readLiveRows } from '../../features/ads/administration/apply-plan.ts';
import { fundingInstruments } from '../../features/ads/funding-instruments.ts';
import { takeId } from '../../features/platform/ids.ts';
import { alertBox, hiddenFields } from '../../markup/boxes.ts';
import { formField, selectField } from '../../markup/form-fields.ts';
import { definitionList, tableOf } from '../../markup/tables.ts';
import type { ReadTransaction } from '../../storage/unit-of-work.ts';
import { texts } from '../../texts/texts.ts';
import { moneyText } from '../money.ts';
import { ACCOUNT_ACTS, type AccountAct, Refused } from './account-acts.ts';
import { auditLink } from './audit-page.ts';
import type { OperatorConsoleDeps } from './operator-console-deps.ts';
import { actButton, actForm, done, formPage, nextLink, operatorPage, unknownPage } from './operator-forms.ts';

const PATH = '/accounts';
const ROWS = 100;
const words = texts.operator.accounts;

/** `/operator/accounts`: lists all accounts, and creates one. */
export function accountsPage(deps: OperatorConsoleDeps): OperatorPage {
  return formPage(
    PATH,
    (request) => list(request),
    (request) => create(deps, request),
  );
}

/** `/operator/accounts/:id`: approval, members, funding, features and limits of an account. */
export function accountPage(deps: OperatorConsoleDeps): OperatorPage {
  return formPage(
    `${PATH}/:id`,
    (request) => show(deps, request),
    async (request) => {
      const act: AccountAct | undefined = ACCOUNT_ACTS[request.parameter('act') ?? ''];
      const id = request.pathParams.id!;
      try {
        if (!act) throw new Refused(words.wrong);
        await act(request, id, deps);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        return show(deps, request, error.message);
      }
      return done(`${PATH}/${id}`);
    },
  );
}

const ENVIRONMENTS: readonly Environment[] = ['production', 'sandbox'];

async function list(request: OperatorRequest, problem?: string): Promise<OperatorResponse> {
  const environment = request.parameter('environment') === 'sandbox' ? 'sandbox' : 'production';
  const after = (request.method === 'GET' && request.parameter('after')) || undefined;
  const sought = ((request.method === 'GET' && request.parameter('q')) || '').trim();
  const found = await request.read(async (tx) => {
    const named = sought && (await tx.records.get(accounts, { account: undefined, id: sought }, { deleted: 'hidden' }));
    return named ? [named] : pageOf(tx, { environment, sought, after });
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
  const more = found.length > ROWS ? queryOf({ environment, after: String(found[ROWS - 1]!.id) }) : undefined;
  const entered = (name: string): string => (request.method === 'POST' && request.parameter(name)) || '';
  const content = html`${alertBox(problem)}
<p class="links">${links}</p>
<form class="filters" method="get"><input type="hidden" name="environment" value="${environment}"><div class="field"><label for="q">${words.search}</label><input id="q" name="q" value="${sought}" maxlength="255"></div><button type="submit">${texts.operator.users.show}</button></form>
${tableOf([words.name, words.id, words.state], rows, sought === '' ? words.none : words.noneFound)}
${nextLink(more)}
<details class="card"${problem === undefined ? '' : html` open`}><summary>${words.create}</summary>
<form method="post">${hiddenFields(request.formFields)}
${formField({ member: 'name', label: words.name, attributes: html`required maxlength="255"` }, entered('name'))}
${formField({ member: 'admin', label: words.admin, attributes: html`required maxlength="15"` }, entered('admin'))}
${formField({ member: 'timezone', label: words.timezone, hint: words.timezoneHint, attributes: html`required maxlength="64"` }, entered('timezone'))}
${selectField(
  'environment',
  words.environment,
  ENVIRONMENTS.map((each) => [each, texts.site.environments[each]]),
  entered('environment'),
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
    account: undefined,
    member: undefined,
    without: undefined,
    deleted: 'hidden',
    prefix: sought === '' ? undefined : { column: 'name_folded', text: foldCase(sought) },
    within: { environment: [environment] },
    sort: [{ column: 'id', direction: 'asc', nullable: false }],
    after: after === undefined ? undefined : [after],
    limit: ROWS + 1,
  });
}

async function create({ accountInput }: OperatorConsoleDeps, request: OperatorRequest): Promise<OperatorResponse> {
  const { id: _, ...fields } = accountInput.fields.account;
  const [name, timezone] = ['name', 'timezone'].map((each) => request.parameter(each)?.trim() ?? '');
  const { values, errors } = accountInput.read(fields, { name: name!, timezone: timezone! }, words.title);
  if (errors.length > 0) return list(request, errors.join('. '));
  if (!isZone(timezone!)) return list(request, `${words.timezone}: ${words.noZone}.`);
  const admin = request.parameter('admin')?.trim() ?? '';
  const user = await request.read((tx) => tx.credentials.findUserByName(admin));
  if (!user) return list(request, `${words.admin}: ${words.noUser}.`);
  const environment = request.parameter('environment') === 'sandbox' ? 'sandbox' : 'production';
  const id = await request.change('account create', async (unit) => {
    const own = await takeId(unit.tx, unit.random, accountIdSequence(environment));
    unit.addTarget('user', user.id);
    unit.addTarget('account', own);
    await applyAccountPlan(unit, {
      id: own,
      environment,
      values,
      instruments: [],
      features: [],
      limits: {},
      users: [{ user: user.id, role: 'ACCOUNT_ADMIN', composer: true }],
      promotable: [{ user: user.id, type: 'FULL' }],
    });
    return own;
  });
  return done(`${PATH}/${id}`);
}

async function show(deps: OperatorConsoleDeps, request: OperatorRequest, problem?: string): Promise<OperatorResponse> {
  const id = request.pathParams.id!;
  const found = await request.read((tx) => readAccount(tx, id));
  if (!found) return unknownPage(PATH, words);
  const { row, environment } = found;
  const facts = definitionList([
    [words.id, html`<code>${id}</code>`],
    [words.environment, texts.site.environments[environment]],
    [words.timezone, String(row.timezone)],
  ]);
  const states = Object.entries(texts.accounts.states);
  const approval = selectField('status', words.approval, states, String(row.approval_status));
  const content = html`${alertBox(problem)}
<section class="card">${facts}
${actForm(request, 'account approve', approval, words.save)}</section>
<section class="card"><h2>${words.people}</h2>
${people(request, found)}</section>
<section class="card"><h2>${words.funding}</h2>
${funding(request, found)}</section>
<section class="card"><h2>${words.features}</h2>
${features(request, found)}</section>
<section class="card"><h2>${words.limits}</h2>
${limits(request, found, deps)}</section>`;
  return operatorPage(String(row.name), content, problem === undefined ? 200 : 409, auditLink('account', id));
}

type Account = NonNullable<Awaited<ReturnType<typeof readAccount>>>;

async function readAccount(tx: ReadTransaction, id: string) {
  const row = await tx.records.get(accounts, { account: undefined, id }, { deleted: 'shown' });
  const state = await tx.accountMembers.findLimits(id);
  if (!row || !state) return undefined;
  const members = await tx.accountMembers.listMembers(id);
  return {
    row,
    environment: state.environment as Environment,
    limits: JSON.parse(state.limits) as Readonly<Record<string, number>>,
    members,
    names: await tx.credentials.findScreenNames(members.map(({ user_id }) => user_id)),
    features: await tx.accountMembers.listFeatures(id),
    funding: await readLiveRows(tx, fundingInstruments, id),
  };
}

const optionsOf = (values: readonly string[]) => values.map((each) => [each, each] as const);

function people(request: OperatorRequest, { members, names }: Account): Html {
  const rows = members.map(({ user_id, role, post_composer }) => {
    const about = names.get(user_id) ?? user_id;
    return [
      html`<a href="/operator/users/${user_id}">${about}</a>`,
      post_composer ? `${role}, POST_COMPOSER` : role,
      actButton(request, 'account revoke', words.takeRole, { about, fields: { user: user_id } }),
    ];
  });
  const name = formField({ member: 'user_name', label: words.user, attributes: html`required maxlength="15"` });
  return html`${tableOf([words.user, words.role, ''], rows, words.none)}
${actForm(request, 'account grant', html`${name}${selectField('role', words.role, optionsOf(ROLES))}`, words.giveRole)}`;
}

function funding(request: OperatorRequest, account: Account): Html {
  const rows = account.funding.map((each) => [
    String(each.description ?? each.id),
    String(each.type),
    String(each.currency),
    amountOf(each),
  ]);
  const fields = html`${selectField('type', words.type, optionsOf(['CREDIT_CARD', 'CREDIT_LINE', 'INSERTION_ORDER']))}
${formField({ member: 'currency', label: words.currency, hint: words.currencyHint, attributes: html`required maxlength="3"` })}
${formField({ member: 'amount', label: words.amount, hint: words.amountHint, attributes: html`inputmode="decimal"` })}
${formField({ member: 'description', label: words.description, attributes: html`maxlength="255"` })}
${formField({ member: 'end', label: words.end, hint: words.endHint, type: 'date', attributes: noHtml })}`;
  return html`${tableOf([words.description, words.type, words.currency, words.amount], rows, words.noFunding)}
${actForm(request, 'account fund', fields, words.addFunding)}`;
}

function features(request: OperatorRequest, account: Account): Html {
  const boxes = FEATURES.map(
    (each) =>
      html`<label class="choice"><input type="checkbox" name="feature:${each}"${account.features.includes(each) ? html` checked` : ''}>${each}</label>`,
  );
  const fields = html`<fieldset><legend class="hidden">${words.features}</legend>${boxes}</fieldset>`;
  return actForm(request, 'account features', fields, words.save);
}

function limits(request: OperatorRequest, account: Account, { limits: usual }: OperatorConsoleDeps): Html {
  const fields = Object.entries(ACCOUNT_LIMITS).map(([name, setting]) => {
    const field = {
      member: name,
      label: words.limitNames[name as keyof typeof words.limitNames],
      hint: texts.operator.applications.usual(numberText(usual[setting])),
      attributes: html`inputmode="numeric"`,
    };
    return formField(field, String(account.limits[setting] ?? ''));
  });
  return actForm(request, 'account limits', html`${fields}`, words.save);
}

function amountOf({ credit_limit_local_micro, funded_amount_local_micro, currency }: Row): string {
  const amount = credit_limit_local_micro ?? funded_amount_local_micro;
  return typeof amount === 'number' ? moneyText(amount, String(currency)) : '';
}
