import type { AccountCall, Input, NewIds } from '../contract/declare/operation.ts';
import type { AnyResource, CascadeCreate, Row } from '../contract/declare/resource.ts';
import type { Change } from '../contract/declare/rules.ts';
import { rowOf } from '../rows/draft.ts';
import type { WriteTransaction } from '../storage/unit-of-work.ts';
import { storeNew, takeNewIds } from './new-row.ts';

/** A cascade that a write may trigger, and the ids for the rows that it may create. */
export interface PendingCascade {
  readonly cascade: CascadeCreate<Row>;
  readonly ids: readonly NewIds[];
}

/** Takes the ids for the cascades of several writes. */
export async function takeCascadeIds(
  resource: AnyResource,
  call: AccountCall,
  all: readonly Input[],
): Promise<PendingCascade[][]> {
  const pending: PendingCascade[][] = all.map(() => []);
  for (const cascade of (resource.effects?.cascades ?? []) as readonly CascadeCreate<Row>[]) {
    const counts = all.map((input) => cascade.triggers.filter((name) => input[name] != null).length);
    const ids = await takeNewIds(
      createdBy(cascade, call),
      call,
      counts.reduce((sum, count) => sum + count, 0),
    );
    for (const [index, count] of counts.entries()) {
      if (count > 0) pending[index]!.push({ cascade, ids: ids.splice(0, count) });
    }
  }
  return pending;
}

/** Creates the rows that a change triggers, in its unit of work. */
export async function applyCascades(
  tx: WriteTransaction,
  call: AccountCall,
  change: Change<Row>,
  all: readonly PendingCascade[],
): Promise<void> {
  for (const { cascade, ids } of all) {
    const resource = createdBy(cascade, call);
    const rows = cascade.rows(change);
    for (const [index, values] of rows.entries()) {
      const fresh = ids[index]!;
      await storeNew(tx, resource, call, rowOf(resource, call, values, fresh.row), fresh);
    }
  }
}

/** The resource whose rows a cascade creates. */
function createdBy(cascade: CascadeCreate<Row>, call: AccountCall): AnyResource {
  return call.services.resources.get(cascade.resource)!;
}
