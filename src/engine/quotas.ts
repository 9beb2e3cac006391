import type { Field } from '../contract/fields.ts';
import type { Call, Given } from '../contract/operation.ts';
import type { Fault } from '../contract/problems.ts';
import type { AnyResource, Quota, Row, WholeRule } from '../contract/resource.ts';
import type { Writing } from '../contract/store.ts';
import type { Made } from './write.ts';

/** Whether a create with these parameters could come under a quota: then the account is locked before counting. */
export function mayRaise(resource: AnyResource, given: Given, verb: 'create' | 'update'): boolean {
  return quotasOf(resource).some((quota) =>
    Object.entries(quota.where).every(([name, wanted]) => {
      const fallback = verb === 'create' ? (resource.fields as Record<string, Field>)[name]?.fallback : undefined;
      return (given[name] ?? fallback) === wanted;
    }),
  );
}

/** How many of the changes go beyond each quota once all of them are made; a net effect, for batches. */
export async function exceeded(
  tx: Writing,
  resource: AnyResource,
  call: Call,
  changes: readonly Made[],
): Promise<Excess[]> {
  const found: Excess[] = [];
  for (const quota of quotasOf(resource)) {
    const raising = changes.map((change) => counts(quota, change.after) && !counts(quota, change.before));
    if (!raising.includes(true)) continue;
    const account = call.account!;
    const max = account.limits[quota.setting] ?? call.services.limits[quota.setting];
    const within = Object.fromEntries(Object.entries(quota.where).map(([name, value]) => [name, [value]]));
    const total = await tx.records.count(resource, {
      account: account.id,
      member: undefined,
      deleted: 'hidden',
      within: within as Record<string, (string | number)[]>,
      without: undefined,
      prefix: undefined,
    });
    if (total > max) found.push({ fault: quota.fault(account, max), by: total - max, raising });
  }
  return found;
}

/** A quota that a set of changes exceeds: by how many, and which of the changes raise the count. */
export interface Excess {
  readonly fault: Fault;
  readonly by: number;
  readonly raising: readonly boolean[];
}

function quotasOf(resource: AnyResource): readonly Quota<Row>[] {
  return (resource.quotas ?? []) as readonly Quota<Row>[];
}

function counts(quota: Quota<Row>, row: Row | undefined): boolean {
  return row !== undefined && !row.deleted && Object.entries(quota.where).every(([name, value]) => row[name] === value);
}

/** What the rules over a whole call find wrong with each change. */
export async function wholeFaults(
  tx: Writing,
  resource: AnyResource,
  call: Call,
  changes: readonly Made[],
  { isBatch }: { readonly isBatch: boolean },
): Promise<readonly { readonly index: number; readonly fault: Fault }[]> {
  const rules = (resource.wholeRules ?? []) as readonly WholeRule<Row>[];
  const found: { readonly index: number; readonly fault: Fault }[] = [];
  for (const rule of rules) found.push(...(await rule({ changes, isBatch, account: call.account!, tx })));
  return found;
}
