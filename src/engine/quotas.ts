import type { Field, StoredValue } from '../contract/declare/fields.ts';
import type { AccountCall, Input } from '../contract/declare/operation.ts';
import type { AnyResource, Quota, Row } from '../contract/declare/resource.ts';
import type { AppliedChange, ChangeSetRule } from '../contract/declare/rules.ts';
import type { ErrorDetail } from '../contract/problems/problems.ts';
import type { WriteTransaction } from '../storage/unit-of-work.ts';

/** Whether a write with these parameters could raise the count of a quota: then the account is locked first. */
export function mayRaise(resource: AnyResource, input: Input, verb: 'create' | 'update'): boolean {
  return quotasOf(resource).some((quota) => {
    const conditions = Object.entries(quota.where);
    if (verb === 'update' && conditions.length === 0) return false;
    return conditions.every(([name, wanted]) => {
      const fallback = verb === 'create' ? (resource.fields as Record<string, Field>)[name]?.defaultValue : undefined;
      return (input[name] ?? fallback) === wanted;
    });
  });
}

/** The quotas exceeded by the net effect of the changes, and by how many. @source decision 51 */
export async function quotaErrors(
  tx: WriteTransaction,
  resource: AnyResource,
  call: AccountCall,
  changes: readonly AppliedChange[],
): Promise<Excess[]> {
  const found: Excess[] = [];
  for (const quota of quotasOf(resource)) {
    const raising = changes.map((change) => counts(quota, change.after) && !counts(quota, change.before));
    const parents = new Set(changes.filter((_, index) => raising[index]).map((change) => parentOf(quota, change)));
    for (const parent of parents) {
      const here = raising.map((problems, index) => problems && parentOf(quota, changes[index]!) === parent);
      const by = await excessOver(tx, resource, call, quota, parent);
      if (by) found.push({ ...by, raising: here });
    }
  }
  return found;
}

async function excessOver(
  tx: WriteTransaction,
  resource: AnyResource,
  call: AccountCall,
  quota: Quota<Row>,
  parent: StoredValue | null,
): Promise<Omit<Excess, 'raising'> | undefined> {
  const account = call.account;
  const max = account.limits[quota.setting] ?? call.services.ads.limits[quota.setting];
  const wanted = quota.per ? { ...quota.where, [quota.per]: parent } : quota.where;
  const within = Object.fromEntries(Object.entries(wanted).map(([name, value]) => [name, [value as StoredValue]]));
  const total = await tx.records.count(resource, {
    account: account.id,
    member: undefined,
    deleted: 'hidden',
    within,
    without: undefined,
    prefix: undefined,
  });
  if (total <= max) return undefined;
  const words = { account: account.id, max, parent: String(parent) };
  return { error: { problem: quota.problem, parameter: quota.parameter, words }, by: total - max };
}

function parentOf(quota: Quota<Row>, change: AppliedChange): StoredValue | null {
  return quota.per ? (change.after[quota.per] ?? null) : null;
}

/** An exceeded quota: by how many rows, and which changes raise the count. */
export interface Excess {
  readonly error: ErrorDetail;
  readonly by: number;
  readonly raising: readonly boolean[];
}

function quotasOf(resource: AnyResource): readonly Quota<Row>[] {
  return (resource.quotas ?? []) as readonly Quota<Row>[];
}

function counts(quota: Quota<Row>, row: Row | undefined): boolean {
  return row !== undefined && !row.deleted && Object.entries(quota.where).every(([name, value]) => row[name] === value);
}

/** The errors of the rules over all changes of a call. */
export async function changeSetErrors(
  tx: WriteTransaction,
  resource: AnyResource,
  call: AccountCall,
  changes: readonly AppliedChange[],
  { isBatch }: { readonly isBatch: boolean },
): Promise<readonly { readonly index: number; readonly error: ErrorDetail }[]> {
  const rules = (resource.changeSetRules ?? []) as readonly ChangeSetRule<Row>[];
  const found: { readonly index: number; readonly error: ErrorDetail }[] = [];
  for (const rule of rules) found.push(...(await rule({ changes, isBatch, account: call.account, tx })));
  return found;
}
