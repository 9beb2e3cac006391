import { insertRows } from '../../src/storage/core/bulk-insert.ts';
import { inList } from '../../src/storage/core/in-lists.ts';
import type { Session } from '../../src/storage/core/session.ts';
import type { Db, Param } from '../../src/storage/core/statements.ts';
import { findRow, updateRows } from '../../src/storage/core/table-rows.ts';
import type { ReadTransaction } from '../../src/storage/unit-of-work.ts';

/** Statements that must not compile: `tsc` fails when one of them does. Nothing calls this. */
export function wrongStatements(
  session: Session,
  db: Db,
  param: Param<{ id: string; limit: number; ids: string[] }>,
): void {
  // @ts-expect-error no such table
  db.selectFrom('campaign');
  // @ts-expect-error no such column
  db.selectFrom('campaigns').select('title');
  // @ts-expect-error no such column in a condition
  db.selectFrom('users').where('surname', '=', param('id'));
  // @ts-expect-error an integer column and text
  db.selectFrom('events').where('position', '=', param('id'));
  // @ts-expect-error a text column and a number
  db.updateTable('users').set({ name: param('limit') });
  // @ts-expect-error not one of the values of an enum of a declaration
  db.selectFrom('campaigns').where('entity_status', '=', 'RUNNING');
  // @ts-expect-error not one of the values that the storage port promises
  db.selectFrom('webhook_deliveries').where('state', '=', 'lost');
  // @ts-expect-error null in a column that may not be null
  db.updateTable('users').set({ name: null });
  // @ts-expect-error a column without a default is missing
  db.insertInto('message_reads').values({ conversation_id: param('id'), user_id: param('id') });
  // @ts-expect-error a column of a table that is not joined
  db.selectFrom('account_users').select('timezone');
  // @ts-expect-error an argument that is not given
  param('account');
  // @ts-expect-error a list of texts for an integer column
  db.selectFrom('events').where((eb) => inList(eb, 'position', param.list('ids', 5)));
  // @ts-expect-error no such table
  void findRow(session, 'user', { id: 'x' });
  // @ts-expect-error no such column
  void findRow(session, 'users', { surname: 'x' });
  // @ts-expect-error a number for a text column
  void findRow(session, 'users', { id: 1 });
  // @ts-expect-error a flag is 0 or 1
  void updateRows(session, 'users', { suspended: 2 }, { id: 'x' });
  // @ts-expect-error a row that lacks a column
  void insertRows(session, 'account_features', [{ account_id: 'x' }]);
}

/** Rows that have another type than their columns. */
export async function wrongRows(session: Session): Promise<void> {
  const user = await session.first('user', { id: 'x' }, (db, param) =>
    db.selectFrom('users').select(['id', 'email']).where('id', '=', param('id')),
  );
  // @ts-expect-error the column may be null
  const email: string | undefined = user?.email;
  // @ts-expect-error the column was not selected
  const name: unknown = user?.name;
  void [email, name];
}

/** What units of work that only read must not find. */
export function wrongReads(tx: ReadTransaction): void {
  // @ts-expect-error a method that writes
  void tx.webhooks.change;
  // @ts-expect-error a method that locks
  void tx.webhooks.lock;
  // @ts-expect-error a table that is only written
  void tx.operatorLinks;
  // @ts-expect-error a sequence moves
  void tx.takeNumbers;
  // @ts-expect-error a row of a resource
  void tx.records.insert;
}
