import { sql } from 'kysely';
import type { Session } from './session.ts';

/** The next number of a sequence; undefined when none was taken yet. */
export async function findNumber(session: Session, sequence: string): Promise<number | undefined> {
  const row = await session.first('sequence find', { sequence }, (db, param) =>
    db.selectFrom('sequences').select('next').where('name', '=', param('sequence')),
  );
  return row?.next;
}

/** Takes the next `count` numbers of a sequence that starts at `start`; returns the first. */
export async function takeNumbers(session: Session, sequence: string, start: number, count: number): Promise<number> {
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
}
