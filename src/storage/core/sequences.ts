import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../contract/store/store.ts';
import type { Session } from './session.ts';

/** Reads the next number of a sequence. */
export function findNumberOn(session: Session): ReadTransaction['findNumber'] {
  return async (sequence) => {
    const row = await session.first('sequence find', { sequence }, (db, param) =>
      db.selectFrom('sequences').select('next').where('name', '=', param('sequence')),
    );
    return row?.next;
  };
}

/** Takes ranges of numbers from a sequence, which is one row. */
export function takeNumbersOn(session: Session): WriteTransaction['takeNumbers'] {
  return async (sequence, start, count) => {
    await session.run('sequence start', { sequence, start }, (db, param) =>
      db
        .insertInto('sequences')
        .values({ name: param('sequence'), next: param('start') })
        .onConflict((conflict) => conflict.doNothing()),
    );
    const row = await session.first('sequence move', { sequence, count }, (db, param) =>
      db
        .updateTable('sequences')
        .set({ next: sql<number>`next + ${param('count')}` })
        .where('name', '=', param('sequence'))
        .returning('next'),
    );
    if (!row) throw new Error(`the sequence ${sequence} was removed while a number was taken`);
    return row.next - count;
  };
}
