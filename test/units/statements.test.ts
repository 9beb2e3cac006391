import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { insertRows } from '../../src/storage/core/bulk-insert.ts';
import { inList, paddedSize } from '../../src/storage/core/in-lists.ts';
import { type Session, sessionOf } from '../../src/storage/core/session.ts';
import { type Build, statementsFor } from '../../src/storage/core/statements.ts';
import { checkStatementKeys } from '../rig/statement-keys.ts';

/** A session that answers with no rows, and what it was asked. */
function recording() {
  const asked: { sql: string; values: readonly unknown[] }[] = [];
  const session: Session = sessionOf(statementsFor('sqlite'), {
    async all(sql, values) {
      asked.push({ sql, values });
      return [];
    },
    async run(sql, values) {
      asked.push({ sql, values });
      return 0;
    },
  });
  return { session, asked };
}

describe('statements by key', () => {
  test('are built once, and bound by name in the order of their text', () => {
    const statements = statementsFor('sqlite');
    let built = 0;
    const build: Build<{ id: string; token: string | null }, unknown> = (db, param) => {
      built += 1;
      return db
        .selectFrom('access_tokens')
        .selectAll()
        .where('token', '=', param('token'))
        .where('id', '=', param('id'));
    };
    // With an observer, keys that are used are compiled again.
    const statement = statements.cached('tokens', build);
    const first = built;
    assert.equal(statements.cached('tokens', build), statement);
    assert.ok(first === 1 || first === 2);
    assert.deepEqual(statement.bind({ id: '1', token: null }), [null, '1']);
    assert.throws(() => statement.bind({ id: '1' }), /token is not given/);
  });

  test('bind lists padded with their first item, and rows by their columns', async () => {
    const { session, asked } = recording();
    const ids = ['a', 'b', 'c'];
    const size = paddedSize(ids.length);
    await session.all('some users', { ids }, (db, param) =>
      db
        .selectFrom('users')
        .select('id')
        .where((eb) => inList(eb, 'id', param.list('ids', size))),
    );
    const features = ['A', 'B'].map((feature_key) => ({ account_id: 'x', feature_key }));
    await insertRows(session, 'account_features', features);
    assert.deepEqual(asked, [
      { sql: 'select "id" from "users" where "id" in (?, ?, ?, ?, ?)', values: ['a', 'b', 'c', 'a', 'a'] },
      ...['A', 'B'].map((key) => ({
        sql: 'insert into "account_features" ("account_id", "feature_key") values (?, ?)',
        values: ['x', key],
      })),
    ]);
  });

  test('are cached up to a limit, whatever sort orders callers use', () => {
    const statements = statementsFor('postgres');
    const ask = (limit: number) =>
      statements.cached(`limit ${limit}`, (db) => db.selectFrom('users').select('id').limit(limit));
    const first = ask(0);
    assert.equal(ask(0), first);
    for (let index = 1; index < 2500; index++) ask(index);
    assert.notEqual(ask(0), first, 'old ones were dropped');
    assert.equal(ask(2499).sql, 'select "id" from "users" limit $1');
  });
});

describe('the check of statement keys', () => {
  const statements = statementsFor('sqlite');
  const some = (column: 'id' | 'name') =>
    statements.cached('users planted', (db) => db.selectFrom('users').select(column));

  test('is on in every test', () => {
    some('id');
    assert.throws(() => some('name'), /the key "users planted" stands for two statements.*select "id".*select "name"/s);
  });

  test('checks the first uses of a key, however many tests run', () => {
    const stop = checkStatementKeys(2);
    const users = statementsFor('sqlite');
    let built = 0;
    const ask = () =>
      users.cached('users counted', (db) => {
        built += 1;
        return db.selectFrom('users').select('id');
      });
    for (let index = 0; index < 10; index++) ask();
    stop();
    assert.equal(built, 1 + 2);
  });
});
