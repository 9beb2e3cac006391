import type { Call, Input, NewIds } from '../contract/declare/operation.ts';
import type { AnyResource, CascadeCreate, Change, Row } from '../contract/declare/resource.ts';
import type { WriteTransaction } from '../contract/store/store.ts';
import { rowOf } from '../rows/draft.ts';
import { storeNew, takeNewIds } from './new-row.ts';

/** A cascade that a write may trigger, and the ids for the rows that it may create. */
export interface PendingCascade {
  readonly consequence: CascadeCreate<Row>;
  readonly ids: readonly NewIds[];
}

/** Takes the ids for the cascades of several writes. */
export async function takeCascadeIds(
  resource: AnyResource,
  call: Call,
  all: readonly Input[],
): Promise<PendingCascade[][]> {
  const following: PendingCascade[][] = all.map(() => []);
  for (const consequence of (resource.cascadeCreate ?? []) as readonly CascadeCreate<Row>[]) {
    const counts = all.map((input) => consequence.triggers.filter((name) => input[name] != null).length);
    const ids = await takeNewIds(
      madeBy(consequence, call),
      call,
      counts.reduce((sum, count) => sum + count, 0),
    );
    for (const [index, count] of counts.entries()) {
      if (count > 0) following[index]!.push({ consequence, ids: ids.splice(0, count) });
    }
  }
  return following;
}

/** Creates the rows that a change triggers, in its unit of work. */
export async function applyCascades(
  tx: WriteTransaction,
  call: Call,
  change: Change<Row>,
  all: readonly PendingCascade[],
): Promise<void> {
  for (const { consequence, ids } of all) {
    const kind = madeBy(consequence, call);
    const rows = consequence.rows(change);
    for (const [index, values] of rows.entries()) {
      const fresh = ids[index]!;
      await storeNew(tx, kind, call, rowOf(kind, call, values, fresh.row), fresh);
    }
  }
}

function madeBy({ resource: makes }: CascadeCreate<Row>, call: Call): AnyResource {
  return call.services.resources.get(makes)!;
}
