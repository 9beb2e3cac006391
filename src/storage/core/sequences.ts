import { sql } from 'kysely';
import type { Reading, Writing } from '../../contract/store/store.ts';
import type { Session } from './session.ts';

/** The number that a sequence has come to. */
export function findNumberOn(session: Session): Reading['findNumber'] {
  const { statements } = session;
  return async (sequence) => {
    const find = statements.of('sequence find', (queries, argument) =>
      queries.selectFrom('sequences').select('next').where('name', '=', argument('sequence')),
    );
    return (await session.all(find, { sequence }))[0]?.next;
  };
}

/** Numbered sequences: one row each, moved on by whole ranges. */
export function takeNumbersOn(session: Session): Writing['takeNumbers'] {
  const { statements } = session;
  return async (sequence, start, count) => {
    const add = statements.of('sequence start', (queries, argument) =>
      queries
        .insertInto('sequences')
        .values({ name: argument('sequence'), next: argument('start') })
        .onConflict((conflict) => conflict.doNothing()),
    );
    const move = statements.of('sequence move', (queries, argument) =>
      queries
        .updateTable('sequences')
        .set({ next: sql`next + ${argument('count')}` })
        .where('name', '=', argument('sequence'))
        .returning('next'),
    );
    await session.run(add, { sequence, start });
    const [row] = await session.all(move, { sequence, count });
    return row.next - count;
  };
}
