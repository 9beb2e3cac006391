import { InputError } from '../../base/input-error.ts';
import type { OperatorAct } from '../../contract/declare/operator-acts.ts';
import type { OperatorRequest, OperatorWork } from '../../contract/declare/operator-pages.ts';
import { COMPOSER_ROLES, ROLES, type Role } from '../../contract/declare/roles.ts';
import { FEATURES } from '../../features/ads/account-features.ts';
import { accounts } from '../../features/ads/accounts.ts';
import { ACCOUNT_LIMITS } from '../../features/ads/administration/account-input.ts';
import { grantRole, revokeRole } from '../../features/ads/administration/account-roles.ts';
import { putInstruments } from '../../features/ads/administration/apply-plan.ts';
import { fundingInstruments } from '../../features/ads/funding-instruments.ts';
import { takeId } from '../../features/platform/ids.ts';
import { texts } from '../../texts/texts.ts';
import { microsOf } from '../money.ts';
import type { OperatorConsoleDeps } from './operator-console-deps.ts';

export { ACCOUNT_LIMITS };

const words = texts.operator.accounts;

/** What was asked for cannot be done; the message says why. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** Changes an account as the form says. @throws Refused */
export type AccountAct = (request: OperatorRequest, account: string) => Promise<unknown>;

/** What operators do with an account, by the name in the form; the same as the commands `barker account …`. */
export function accountActs({ accountInput }: OperatorConsoleDeps): Readonly<Record<string, AccountAct>> {
  /** Works on an account that exists, which is locked until the unit ends. */
  const on = <T>(
    request: OperatorRequest,
    act: OperatorAct & `account ${string}`,
    id: string,
    work: (unit: OperatorWork) => Promise<T>,
  ): Promise<T> =>
    request.change(act, async (unit) => {
      const row = await unit.tx.records.get(accounts, { account: undefined, id }, { deleted: 'hidden', lock: true });
      if (!row) throw new Refused(words.unknown);
      unit.tx.invalidate(`account:${id}`);
      unit.addTarget('account', id);
      return work(unit);
    });
  const update = ({ tx, now }: OperatorWork, id: string, changes: Readonly<Record<string, string>>): Promise<void> =>
    tx.records.update(accounts, { account: undefined, id }, { ...changes, updated_at: now });
  return {
    approve: (request, id) => {
      const status = request.parameter('status') ?? '';
      if (!(status in texts.accounts.states)) throw new Refused(words.wrong);
      return on(request, 'account approve', id, (unit) => update(unit, id, { approval_status: status }));
    },
    async grant(request, id) {
      const role = request.parameter('role') as Role;
      if (!ROLES.includes(role)) throw new Refused(words.wrong);
      const user = await request.read((tx) =>
        tx.credentials.findUserByName(request.parameter('user_name')?.trim() ?? ''),
      );
      if (!user) throw new Refused(`${words.user}: ${words.noUser}.`);
      return on(request, 'account grant', id, async ({ tx, addTarget }) => {
        addTarget('user', user.id);
        const grant = { account: id, user: user.id, role, postComposer: COMPOSER_ROLES.includes(role) };
        const conflict = await grantRole(tx, grant);
        if (conflict) throw new Refused(words.conflicts[conflict]);
      });
    },
    revoke(request, id) {
      const user = request.parameter('user') ?? '';
      return on(request, 'account revoke', id, async ({ tx, addTarget }) => {
        addTarget('user', user);
        const conflict = await revokeRole(tx, { account: id, user });
        if (conflict) throw new Refused(words.conflicts[conflict]);
      });
    },
    fund(request, id) {
      const [type, currency, amount, description, end] = ['type', 'currency', 'amount', 'description', 'end'].map(
        (each) => request.parameter(each)?.trim() ?? '',
      ) as [string, string, string, string, string];
      const code = currency.toUpperCase();
      const { id: _, ...fields } = accountInput.fields.instrument;
      const micros = amount === '' ? undefined : /^[A-Z]{3}$/.test(code) ? microsOf(amount, code) : undefined;
      if (amount !== '' && micros === undefined) throw new Refused(`${words.amount}: ${amount}.`);
      const paid = type === 'INSERTION_ORDER' ? 'funded_amount_local_micro' : 'credit_limit_local_micro';
      return on(request, 'account fund', id, async ({ tx, random, now, addTarget }) => {
        const { values, errors } = accountInput.read(
          fields,
          {
            ...{ type, currency: code, start_time: now },
            ...(micros !== undefined && { [paid]: micros }),
            ...(description !== '' && { description }),
            ...(end !== '' && { end_time: `${end}T00:00:00Z` }),
          },
          words.funding,
        );
        if (errors.length > 0) throw new Refused(errors.join('. '));
        const own = await takeId(tx, random, { kind: fundingInstruments.name, start: fundingInstruments.ids.from });
        await putInstruments(tx, id, [{ id: own, values, path: words.funding }], now);
        addTarget('funding_instrument', own);
      }).catch((error) => {
        throw error instanceof InputError ? new Refused(error.message) : error;
      });
    },
    features: (request, id) =>
      on(request, 'account features', id, async ({ tx, addTarget }) => {
        const wanted = FEATURES.filter((each) => request.parameter(`feature:${each}`) !== undefined);
        const before = await tx.accountMembers.listFeatures(id);
        const [added, removed] = [
          wanted.filter((each) => !before.includes(each)),
          before.filter((each) => !wanted.includes(each as never)),
        ];
        for (const key of [...added, ...removed]) addTarget('feature', key);
        await tx.accountMembers.addFeatures(id, added);
        await tx.accountMembers.removeFeatures(id, removed);
      }),
    limits(request, id) {
      const given = Object.fromEntries(
        Object.keys(ACCOUNT_LIMITS).flatMap((name) => {
          const text = request.parameter(name)?.trim() ?? '';
          return text === '' ? [] : [[name, text]];
        }),
      );
      const { values, errors } = accountInput.read(accountInput.fields.limits, given, words.limits);
      if (errors.length > 0) throw new Refused(errors.join('. '));
      return on(request, 'account limits', id, (unit) => {
        const own = Object.entries(ACCOUNT_LIMITS).flatMap(([name, setting]) =>
          values[name] === undefined || values[name] === null ? [] : [[setting, Number(values[name])]],
        );
        return update(unit, id, { limits: JSON.stringify(Object.fromEntries(own)) });
      });
    },
  };
}
