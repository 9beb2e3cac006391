import type { Actor, Ids } from '../contract/declare/operation.ts';
import type { AnyResource, Row } from '../contract/declare/resource.ts';
import type { AppliedChange } from '../contract/declare/rules.ts';
import { serializerOf } from '../rows/serializer.ts';
import type { WriteTransaction } from '../storage/unit-of-work.ts';

/** Takes the ids of `count` history rows; none for resources without history. */
export async function takeChangeIds(
  { historyEntity }: AnyResource,
  ids: Ids,
  count: number,
): Promise<readonly string[]> {
  return historyEntity && count > 0 ? ids.take('account_change', CHANGE_IDS_FROM, count) : [];
}

const CHANGE_IDS_FROM = 36 ** 10;

/** Invalidates caches of a changed row, and records the change in the account history if the resource has one. */
export async function recordChange(
  tx: WriteTransaction,
  resource: AnyResource,
  call: Actor,
  id: string | undefined,
  change: AppliedChange,
): Promise<AppliedChange> {
  if (resource.historyEntity) await appendHistory(tx, resource, call, id!, change);
  tx.invalidate(`${resource.name}:${change.after.id}`);
  return change;
}

/**
 * A snapshot after the change without id and account, and for updates the old and new value of each changed attribute,
 * which may be none.
 * @source campaigns 5.4; decision 55
 */
async function appendHistory(
  tx: WriteTransaction,
  resource: AnyResource,
  call: Actor,
  id: string,
  { before, after }: AppliedChange,
): Promise<void> {
  const type = before === undefined ? 'CREATE' : after.deleted && !before.deleted ? 'DELETE' : 'UPDATE';
  await tx.accountHistory.append({
    id,
    account_id: call.account.id,
    entity: resource.historyEntity!,
    entity_id: after.id,
    change_type: type,
    change_time: call.now,
    user_id: call.principal.user,
    platform: 'API_OTHER',
    changes: type === 'UPDATE' ? differences(resource, before!, after) : '{}',
    entity_data: snapshot(resource, after),
  });
}

function snapshot(resource: AnyResource, row: Row): string {
  const names = [...Object.keys(resource.fields), 'created_at', 'updated_at', 'deleted'];
  const { field } = serializerOf(resource);
  return `{${names
    .filter((name) => name !== 'account_id')
    .map((name) => `"${name}":${field(name, row)}`)
    .join(',')}}`;
}

function differences(resource: AnyResource, before: Row, after: Row): string {
  const { field } = serializerOf(resource);
  const changed = Object.keys(resource.fields).filter((name) => before[name] !== after[name]);
  const members = changed.map((name) => `"${name}":{"old":${field(name, before)},"new":${field(name, after)}}`);
  return `{${members.join(',')}}`;
}
