import { boundedCache } from '../../base/bounded-cache.ts';
import type { Environment } from '../../contract/declare/account-state.ts';
import type { Access, AccountAccesses } from '../../contract/declare/callers.ts';
import type { AccountAccess } from '../../storage/tables/memberships.ts';
import type { Store } from '../../storage/unit-of-work.ts';

const ACCOUNTS_MAX = 50_000;

/** Caches users' access to accounts; a change to an account invalidates its entries. */
export function accountAccessCache(store: Store): AccountAccesses {
  const byAccount = boundedCache<string, Map<string, Access>>(ACCOUNTS_MAX);
  let changes = 0;
  store.onInvalidate(['account'], (tags) => {
    changes += 1;
    if (tags === 'everything') return byAccount.clear();
    for (const tag of tags) byAccount.delete(tag.replace(/^account:/, ''));
  });
  return {
    cached: (user, account) => byAccount.get(account)?.get(user),
    async find(user, account) {
      const changesBefore = changes;
      const row = await store.read((tx) => tx.accountMembers.find(user, account));
      if (!row) return undefined;
      const access = accessOf(row);
      // Not cached if an account changed during the read.
      if (changes !== changesBefore) return access;
      const users = byAccount.get(account) ?? new Map<string, Access>();
      users.set(user, access);
      byAccount.set(account, users);
      return access;
    },
  };
}

function accessOf(row: AccountAccess): Access {
  return {
    role: row.role,
    canCompose: row.post_composer === 1,
    account: {
      id: row.account_id,
      environment: row.environment as Environment,
      approval_status: row.approval_status,
      timezone: row.timezone,
      deleted: row.deleted === 1,
      limits: JSON.parse(row.limits) as Record<string, number>,
    },
  };
}
