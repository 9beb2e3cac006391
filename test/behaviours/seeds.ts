import { formatInstant } from '../../src/base/instants.ts';
import { foldCase } from '../../src/base/text.ts';
import type { Field, StoredValue } from '../../src/contract/declare/fields.ts';
import type { AnyResource, Row } from '../../src/contract/declare/resource.ts';
import { newAccount } from '../../src/features/ads/accounts.ts';
import { promotedAccounts } from '../../src/features/ads/promoted-accounts.ts';
import { SOUND, seededValue } from './samples.ts';
import { ACCOUNT_LINE, addParents, lineItem, make, operationOf, parentOf, type TestAccount } from './test-account.ts';

/**
 * Puts rows straight into the store: equal values, nulls, equal times and deleted ones among them. Before them come the
 * rows that the account was made with, of resources that cannot be created.
 */
export async function seed(setup: TestAccount, resource: AnyResource, count: number): Promise<Row[]> {
  await addParents(setup, resource);
  const { store, ids, clock } = setup.world.service.services;
  const { from, sequence = resource.name, isLong } = resource.ids;
  const taken = await (isLong ? ids.takeLong : ids.take)(sequence, from, count);
  const targets = await targetsOf(setup, resource);
  const keys = taken.map((id) => (resource.key ? `7_${Number.parseInt(id, 36)}` : id));
  const rows = keys.map((id, index) => seededRow(setup, resource, id, index, targets, clock.now()));
  const before = operationOf(resource, 'create') ? [] : await rowsOf(setup, resource);
  await store.write(async (tx) => {
    for (const row of rows) {
      const search = resource.list?.search as string | undefined;
      const searched = search ? row[search] : undefined;
      const folded = searched == null ? {} : { [`${search}_folded`]: foldCase(String(searched)) };
      await tx.records.insert(resource, { ...row, ...folded });
      if (resource.scope !== 'user') continue;
      const user_id = setup.world.keys.other_user_id!;
      await tx.accountMembers.add({ account_id: row.id, user_id, role: 'ANALYST', post_composer: 0 });
    }
  });
  return [...before, ...rows];
}

/** Every row of a resource that the account has. */
export function rowsOf(setup: TestAccount, resource: AnyResource): Promise<Row[]> {
  const { account } = setup;
  const all = {
    account,
    member: undefined,
    deleted: 'shown',
    within: {},
    without: undefined,
    prefix: undefined,
  } as const;
  const sort = [{ column: 'id', direction: 'asc', nullable: false }] as const;
  const { store } = setup.world.service.services;
  return store.read((tx) => tx.records.page(resource, { ...all, sort, after: undefined, limit: 1000 }));
}

async function targetsOf(setup: TestAccount, resource: AnyResource): Promise<Map<string, string[]>> {
  const targets = new Map<string, string[]>();
  for (const [name, field] of Object.entries(resource.fields as Record<string, Field>)) {
    const target = field.target?.() as AnyResource | undefined;
    if (target) targets.set(name, [await targetOf(setup, resource, target), await targetOf(setup, resource, target)]);
  }
  return targets;
}

async function targetOf(setup: TestAccount, resource: AnyResource, target: AnyResource): Promise<string> {
  if (resource === promotedAccounts) return lineItem(setup, ACCOUNT_LINE);
  return (await make(setup, target)).id;
}

function seededRow(
  setup: TestAccount,
  resource: AnyResource,
  id: string,
  index: number,
  targets: Map<string, string[]>,
  now: number,
): Row {
  const values: Record<string, StoredValue | null> = {};
  for (const [name, field] of Object.entries(resource.fields as Record<string, Field>)) {
    if (field.kind.column === 'none') continue;
    const isNull = field.isNullable && (index * 7 + name.length) % 4 === 0;
    values[name] = isNull ? null : seededValue(field, index, targets.get(name));
  }
  Object.assign(values, SOUND[resource.plural]?.(values));
  if (resource.parent) values[resource.parent.column] = parentOf(setup, resource.parent.parameter);
  if (resource.scope === 'account') values.account_id = setup.account;
  else Object.assign(values, extraOfAccounts(values, now));
  const made = formatInstant(now - Math.floor(index / 3) * 3_600_000);
  const changed = formatInstant(now - (index % 3) * 60_000);
  return { ...values, id, created_at: made, updated_at: changed, deleted: index % 5 === 4 ? 1 : 0 } as Row;
}

/** Columns of accounts that a declaration of fields does not name. */
function extraOfAccounts(values: Record<string, StoredValue | null>, now: number): object {
  const whole = newAccount({ id: '', environment: 'sandbox', name: '', now: formatInstant(now) });
  return Object.fromEntries(Object.entries(whole).filter(([name]) => !(name in values)));
}
