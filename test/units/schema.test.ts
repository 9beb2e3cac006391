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

test('every unique index of a table whose key begins with the account contains the account', () => {
  const database = new DatabaseSync(':memory:');
  for (const { statements } of migrations) for (const sql of statements(schemaBuilder('sqlite'))) database.exec(sql);
  const rows = <Row>(sql: string, ...values: string[]) => database.prepare(sql).all(...values) as unknown as Row[];
  const tables = rows<{ name: string }>("select name from sqlite_schema where type = 'table'").filter(({ name }) =>
    rows<{ name: string; pk: number }>('select name, pk from pragma_table_info(?)', name).some(
      (column) => column.name === 'account_id' && column.pk === 1,
    ),
  );
  assert.ok(tables.length > 20, `${tables.length} tables`);
  const indexes = tables.flatMap((table) =>
    rows<{ name: string }>('select name from pragma_index_list(?) where "unique" = 1', table.name),
  );
  assert.ok(indexes.length > tables.length, `${indexes.length} unique indexes`);
  const without = indexes.filter(
    ({ name }) =>
      !rows<{ name: string }>('select name from pragma_index_info(?)', name).some((c) => c.name === 'account_id'),
  );
  assert.deepEqual(without, []);
});
