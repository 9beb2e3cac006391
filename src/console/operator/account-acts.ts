import { InputError } from '../../base/input-error.ts';
import type { OperatorAct } from '../../contract/declare/operator-acts.ts';
import type { OperatorRequest, OperatorWork } from '../../contract/declare/operator-pages.ts';
import { COMPOSER_ROLES, ROLES, type Role } from '../../contract/declare/roles.ts';
import { FEATURES } from '../../features/ads/account-features.ts';
import { accounts } from '../../features/ads/accounts.ts';
import { ACCOUNT_LIMITS, type AccountInput } from '../../features/ads/administration/account-input.ts';
import { grantRole, revokeRole } from '../../features/ads/administration/account-roles.ts';
import { putInstruments } from '../../features/ads/administration/apply-plan.ts';
import { fundingInstruments } from '../../features/ads/funding-instruments.ts';
import { takeId } from '../../features/platform/ids.ts';
import { texts } from '../../texts/texts.ts';
import { microsOf } from '../money.ts';
import type { OperatorConsoleDeps } from './operator-console-deps.ts';

const words = texts.operator.accounts;

/** A refused change; the message is displayed. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** Changes an account according to a form. @throws Refused */
export type AccountAct = (request: OperatorRequest, account: string, deps: OperatorConsoleDeps) => Promise<unknown>;

/** Changes of accounts by the `act` of their form; the same as the commands `barker account …`. */
export const ACCOUNT_ACTS: Readonly<Record<string, AccountAct>> = { approve, grant, revoke, fund, features, limits };

/** Runs `work` on an existing account, which stays locked until the unit of work ends. @throws Refused */
function onAccount<T>(
  request: OperatorRequest,
  act: OperatorAct & `account ${string}`,
  id: string,
  work: (unit: OperatorWork) => Promise<T>,
): Promise<T> {
  return request.change(act, async (unit) => {
    const row = await unit.tx.records.get(accounts, { account: undefined, id }, { deleted: 'hidden', lock: true });
    if (!row) throw new Refused(words.unknown);
    unit.tx.invalidate(`account:${id}`);
    unit.addTarget('account', id);
    return work(unit);
  });
}

function update({ tx, now }: OperatorWork, id: string, changes: Readonly<Record<string, string>>): Promise<void> {
  return tx.records.update(accounts, { account: undefined, id }, { ...changes, updated_at: now });
}

const textIn = (request: OperatorRequest, name: string): string => request.parameter(name)?.trim() ?? '';

async function approve(request: OperatorRequest, id: string): Promise<void> {
  const status = textIn(request, 'status');
  if (!(status in texts.accounts.states)) throw new Refused(words.wrong);
  await onAccount(request, 'account approve', id, (unit) => update(unit, id, { approval_status: status }));
}

async function grant(request: OperatorRequest, id: string): Promise<void> {
  const role = request.parameter('role') as Role;
  if (!ROLES.includes(role)) throw new Refused(words.wrong);
  const user = await request.read((tx) => tx.credentials.findUserByName(textIn(request, 'user_name')));
  if (!user) throw new Refused(`${words.user}: ${words.noUser}.`);
  await onAccount(request, 'account grant', id, async ({ tx, addTarget }) => {
    addTarget('user', user.id);
    const postComposer = COMPOSER_ROLES.includes(role);
    refuseConflict(await grantRole(tx, { account: id, user: user.id, role, postComposer }));
  });
}

async function revoke(request: OperatorRequest, id: string): Promise<void> {
  const user = request.parameter('user') ?? '';
  await onAccount(request, 'account revoke', id, async ({ tx, addTarget }) => {
    addTarget('user', user);
    refuseConflict(await revokeRole(tx, { account: id, user }));
  });
}

function refuseConflict(conflict: keyof typeof words.conflicts | undefined): void {
  if (conflict) throw new Refused(words.conflicts[conflict]);
}

async function fund(request: OperatorRequest, id: string, { accountInput }: OperatorConsoleDeps): Promise<void> {
  const [type, amount, description, end] = ['type', 'amount', 'description', 'end'].map((each) =>
    textIn(request, each),
  );
  const currency = textIn(request, 'currency').toUpperCase();
  const micros = amount && /^[A-Z]{3}$/.test(currency) ? microsOf(amount, currency) : undefined;
  if (amount && micros === undefined) throw new Refused(`${words.amount}: ${amount}.`);
  const paid = type === 'INSERTION_ORDER' ? 'funded_amount_local_micro' : 'credit_limit_local_micro';
  const { id: _, ...fields } = accountInput.fields.instrument;
  await onAccount(request, 'account fund', id, async ({ tx, random, now, addTarget }) => {
    const values = valuesOf(
      accountInput.read(
        fields,
        {
          type: type!,
          currency,
          start_time: now,
          ...(micros !== undefined && { [paid]: micros }),
          ...(description && { description }),
          ...(end && { end_time: `${end}T00:00:00Z` }),
        },
        words.funding,
      ),
    );
    const own = await takeId(tx, random, { kind: fundingInstruments.name, start: fundingInstruments.ids.from });
    await putInstruments(tx, id, [{ id: own, values, path: words.funding }], now);
    addTarget('funding_instrument', own);
  }).catch((error) => {
    throw error instanceof InputError ? new Refused(error.message) : error;
  });
}

async function features(request: OperatorRequest, id: string): Promise<void> {
  await onAccount(request, 'account features', id, async ({ tx, addTarget }) => {
    const wanted = FEATURES.filter((each) => request.parameter(`feature:${each}`) !== undefined);
    const before = await tx.accountMembers.listFeatures(id);
    const added = wanted.filter((each) => !before.includes(each));
    const removed = before.filter((each) => !wanted.includes(each as never));
    for (const key of [...added, ...removed]) addTarget('feature', key);
    await tx.accountMembers.addFeatures(id, added);
    await tx.accountMembers.removeFeatures(id, removed);
  });
}

async function limits(request: OperatorRequest, id: string, { accountInput }: OperatorConsoleDeps): Promise<void> {
  const entered = Object.keys(ACCOUNT_LIMITS).map((name) => [name, textIn(request, name)] as const);
  const set = Object.fromEntries(entered.filter(([, text]) => text !== ''));
  const values = valuesOf(accountInput.read(accountInput.fields.limits, set, words.limits));
  const own = Object.entries(ACCOUNT_LIMITS).flatMap(([name, setting]) =>
    values[name] === undefined || values[name] === null ? [] : [[setting, Number(values[name])]],
  );
  await onAccount(request, 'account limits', id, (unit) =>
    update(unit, id, { limits: JSON.stringify(Object.fromEntries(own)) }),
  );
}

/** Returns the values. @throws Refused with the errors */
function valuesOf({ values, errors }: ReturnType<AccountInput['read']>): ReturnType<AccountInput['read']>['values'] {
  if (errors.length > 0) throw new Refused(errors.join('. '));
  return values;
}
