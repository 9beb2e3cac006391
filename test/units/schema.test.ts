import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { generatedSchema } from '../../build/docs/generated-schema.ts';
import { migrations } from '../../src/storage/migrations/all-migrations.ts';
import { schemaBuilder } from '../../src/storage/migrations/schema-builder.ts';

test('the types of the tables follow from the migrations and the declarations', () => {
  const stored = readFileSync('src/storage/generated/schema.ts', 'utf8');
  assert.ok(stored === generatedSchema(), 'src/storage/generated/schema.ts is stale; run: npm run generate');
});

/**
 * Tables that name accounts but are not of an account, with the reason: they could not be distributed by account, and stay
 * with those of users.
 */
const NOT_BY_ACCOUNT: Readonly<Record<string, string>> = {
  posts: 'a post is of its author: one without an account is one too, and promoted posts of many accounts name it',
  notifications: 'they are listed by the user whom they tell of an account',
};

test('every unique index of a table that names accounts contains the account, or the table is a known exception', () => {
  const database = new DatabaseSync(':memory:');
  for (const { statements } of migrations) for (const sql of statements(schemaBuilder('sqlite'))) database.exec(sql);
  const rows = <Row>(sql: string, ...values: string[]) => database.prepare(sql).all(...values) as unknown as Row[];
  const tables = rows<{ name: string }>("select name from sqlite_schema where type = 'table'")
    .map(({ name }) => name)
    .filter((table) => rows('select 1 from pragma_table_info(?) where name = ?', table, 'account_id').length > 0);
  assert.ok(tables.length > 20, `${tables.length} tables`);
  const without = tables.filter((table) =>
    // The primary key is one of them.
    rows<{ name: string }>('select name from pragma_index_list(?) where "unique" = 1', table).some(
      ({ name }) => rows('select 1 from pragma_index_info(?) where name = ?', name, 'account_id').length === 0,
    ),
  );
  assert.deepEqual(without.sort(), Object.keys(NOT_BY_ACCOUNT).sort());
});
