import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../contract/store/store.ts';
import type { Session } from './session.ts';

/** The number that a sequence has come to. */
export function findNumberOn(session: Session): ReadTransaction['findNumber'] {
  const { statements } = session;
  return async (sequence) => {
    const find = statements.cached('sequence find', (db, param) =>
      db.selectFrom('sequences').select('next').where('name', '=', param('sequence')),
    );
    return (await session.all(find, { sequence }))[0]?.next;
  };
}

/** Numbered sequences: one row each, moved on by whole ranges. */
export function takeNumbersOn(session: Session): WriteTransaction['takeNumbers'] {
  const { statements } = session;
  return async (sequence, start, count) => {
    const add = statements.cached('sequence start', (db, param) =>
      db
        .insertInto('sequences')
        .values({ name: param('sequence'), next: param('start') })
        .onConflict((conflict) => conflict.doNothing()),
    );
    const move = statements.cached('sequence move', (db, param) =>
      db
        .updateTable('sequences')
        .set({ next: sql`next + ${param('count')}` })
        .where('name', '=', param('sequence'))
        .returning('next'),
    );
    await session.run(add, { sequence, start });
    const [row] = await session.all(move, { sequence, count });
    return row.next - count;
  };
}
