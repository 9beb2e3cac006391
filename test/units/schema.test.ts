import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { generatedSchema } from '../../build/docs/generated-schema.ts';
import { serversFrom } from '../../src/storage/core/schema-level.ts';
import { migrations } from '../../src/storage/migrations/all-migrations.ts';
import { integer, text } from '../../src/storage/migrations/columns.ts';
import { MIGRATIONS_TABLE } from '../../src/storage/migrations/migrations-table.ts';
import { newSchema } from '../../src/storage/migrations/new-schema.ts';
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
  database.exec(MIGRATIONS_TABLE);
  for (const sql of newSchema('sqlite', migrations)) database.exec(sql);
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

test('the names of migrations are in order, and each that needs newer servers names a migration up to itself', () => {
  const names = migrations.map(({ name }) => name);
  assert.deepEqual(names, [...names].sort());
  assert.equal(new Set(names).size, names.length);
  for (const [at, step] of migrations.entries()) {
    assert.ok(['', ...names.slice(0, at + 1)].includes(serversFrom(step)), step.name);
  }
});

/** What older servers do not notice: new tables, columns that their inserts need not name, and indexes that refuse no row. */
const ADDITIVE = [
  /^create table (?<made>\w+) /,
  /^alter table \w+ add column \w+ (text( collate "C")?|bigint|bytea)( not null default ('([^']|'')*'|-?\d+)| default ('([^']|'')*'|-?\d+))?$/,
  /^create index \w+ on \w+ \(/,
  /^create unique index \w+ on (?<on>\w+) \(/,
];

test('a migration beside which older servers continue only adds', () => {
  const continued = migrations.filter(({ olderServers }) => olderServers === 'continue');
  for (const { name, statements } of continued)
    assert.deepEqual(beyondAdding(statements(schemaBuilder('postgres'))), [], name);
});

test('what is more than adding is found', () => {
  const { table, addColumn, index, uniqueIndex, dropIndex } = schemaBuilder('postgres');
  const additions = [
    table('a', { id: text.key() }),
    uniqueIndex('a_b', 'a', ['id']),
    addColumn('b', 'c', text.nullable()),
    addColumn('b', 'd', integer.defaultTo(0)),
    index('b_c', 'b', ['c']),
  ];
  assert.deepEqual(beyondAdding(additions), []);
  const others = [
    addColumn('b', 'c', text),
    uniqueIndex('b_c', 'b', ['c']),
    dropIndex('b_c'),
    "update b set c = 'x'",
    'alter table b drop column c',
  ];
  assert.deepEqual(beyondAdding([...additions, ...others]), others);
});

/** The statements that older servers may notice. A unique index is one, unless its table is new. */
function beyondAdding(statements: readonly string[]): string[] {
  const made = new Set(statements.flatMap((sql) => ADDITIVE[0]!.exec(sql)?.groups?.made ?? []));
  return statements.filter((sql) => {
    const match = ADDITIVE.map((form) => form.exec(sql)).find((found) => found !== null);
    return !match || (match.groups?.on !== undefined && !made.has(match.groups.on));
  });
}
