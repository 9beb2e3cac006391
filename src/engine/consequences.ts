import type { Call, FreshIds, Input } from '../contract/declare/operation.ts';
import type { AnyResource, Change, Consequence, Row } from '../contract/declare/resource.ts';
import type { Writing } from '../contract/store/store.ts';
import { idPairs, rowOf, storeNew } from './new-row.ts';

/** A consequence that a write may have, and the ids of the rows that it may make. */
export interface Following {
  readonly consequence: Consequence<Row>;
  readonly ids: readonly FreshIds[];
}

/** Takes the ids for what may follow from each of several writes. */
export async function followingOf(resource: AnyResource, call: Call, all: readonly Input[]): Promise<Following[][]> {
  const following: Following[][] = all.map(() => []);
  for (const consequence of (resource.consequences ?? []) as readonly Consequence<Row>[]) {
    const counts = all.map((input) => consequence.from.filter((name) => input[name] != null).length);
    const ids = await idPairs(
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

/** Makes the rows that follow from a change, in its unit. */
export async function follow(tx: Writing, call: Call, change: Change<Row>, all: readonly Following[]): Promise<void> {
  for (const { consequence, ids } of all) {
    const kind = madeBy(consequence, call);
    const rows = consequence.rows(change);
    for (const [index, values] of rows.entries()) {
      const fresh = ids[index]!;
      await storeNew(tx, kind, call, rowOf(kind, call, values, fresh.row), fresh);
    }
  }
}

function madeBy({ makes }: Consequence<Row>, call: Call): AnyResource {
  return call.services.resources.get(makes)!;
}
