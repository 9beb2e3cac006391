import type { RawValue } from '../../contract/declare/fields.ts';
import { SANDBOX_FEATURES } from '../../features/ads/account-features.ts';
import { readAccountFile } from '../../features/ads/administration/account-file.ts';
import type { AccountInput } from '../../features/ads/administration/account-input.ts';
import type { AccountPlan } from '../../features/ads/administration/account-plan.ts';
import { type Complaints, type Located, plainOf, rawOf } from './checker.ts';
import { accountFields, fundingFields, type WorldAccount } from './world.ts';

/** The ids of an account, its users and its instruments. */
export interface AccountIds {
  readonly account: string;
  /** By the name of the user. */
  readonly user: (key: string) => string;
  /** By position. */
  readonly instruments: readonly string[];
}

/**
 * The plan of an account, by the rules of account files; complains of errors.
 * @source decision 169
 */
export function planOf(
  account: WorldAccount,
  ids: AccountIds,
  {
    accountInput,
    complaints,
    now,
  }: { readonly accountInput: AccountInput; readonly complaints: Complaints; readonly now: string },
): AccountPlan | undefined {
  const places = new Map<string, Located>([['accounts[0]', account.at]]);
  const put = (path: string, located: Located | undefined): void =>
    void (located && places.set(`accounts[0].${path}`, located));
  for (const [name, member] of account.members) put(name, member);
  const users = account.users.map(({ key, at, members, input }, index) => {
    put(`users[${index}]`, at);
    for (const [name, member] of members) put(`users[${index}].${name}`, member);
    const composer = input.post_composer ?? (input.role === 'ACCOUNT_ADMIN' ? 1 : 0);
    return { user_id: ids.user(key), role: (input.role ?? '') as RawValue, post_composer: composer === 1 };
  });
  const instruments = account.funding.map(({ at, members }, index) => {
    put(`funding_instruments[${index}]`, at);
    for (const [name, member] of members) put(`funding_instruments[${index}].${name}`, member);
    const values = Object.fromEntries(rawOf(members, fundingFields(accountInput), now));
    return { id: ids.instruments[index]!, start_time: now, ...values };
  });
  const promotable = account.promotable.map(({ user, type }, index) => {
    put(`promotable_users[${index}]`, account.members.get('promotable_users'));
    return { user_id: ids.user(user), promotable_user_type: type };
  });
  const { features, custom_limits: limits } = Object.fromEntries(account.members);
  const object = {
    name: account.key,
    ...Object.fromEntries(rawOf(account.members, accountFields(accountInput), now)),
    id: ids.account,
    users,
    funding_instruments: instruments,
    promotable_users: promotable,
    features: features === undefined ? SANDBOX_FEATURES : plainOf(features),
    custom_limits: limits === undefined ? {} : plainOf(limits),
  };
  const { plans, errors } = readAccountFile(JSON.stringify({ accounts: [object] }), accountInput);
  for (const error of errors) {
    const [path] = error.split(': ', 1) as [string];
    const message = error.slice(path.length + 2);
    const around = [...places].filter(([place]) => path === place || path.startsWith(`${place}.`));
    const [place, located] = around.sort(([a], [b]) => b.length - a.length)[0]!;
    complaints.add(located, message, path.slice(place.length + 1));
  }
  return errors.length === 0 ? plans[0] : undefined;
}
