import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyMigrations } from '../../src/storage/core/migrate.ts';
import type { Session } from '../../src/storage/core/session.ts';
import { migrations } from '../../src/storage/migrations/all-migrations.ts';
import { bytes, integer, text } from '../../src/storage/migrations/columns.ts';
import type { Migration } from '../../src/storage/migrations/schema-builder.ts';
import { onPlace, openPlace, type Place } from '../rig/databases.ts';
import { openReleasedTables, releases } from '../rig/releases.ts';

const AT = '2026-01-01T00:00:00Z';

test('a new database is what each migration after the other makes of it', async () => {
  const steps = [...migrations, ...LATER];
  const atOnce = await contentsAfter(await openPlace(), [steps.length]);
  assert.ok(atOnce.tables.length > 50 && atOnce.schema.length > 200, `${atOnce.tables.length} tables`);
  for (let first = migrations.length; first < steps.length; first++)
    assert.deepEqual(await contentsAfter(await openPlace(), [first, steps.length]), atOnce);
});

for (const release of releases) {
  test(`a database of ${release} gets the same schema`, async () => {
    const { schema, tables } = await contentsAfter(await openReleasedTables(release), [migrations.length]);
    const made = await contentsAfter(await openPlace(), [migrations.length]);
    assert.deepEqual({ schema, tables }, { schema: made.schema, tables: made.tables });
  });
}

/** Migrations of a later version, which change tables of before and of their own. */
const LATER: readonly Migration[] = [
  {
    name: '9990-expand',
    olderServers: 'continue',
    statements: ({ table, addColumn, index, uniqueIndex }) => [
      addColumn('campaigns', 'later', text.nullable()),
      table('later', { id: text.key(), number: integer.key().numbered(), content: bytes }),
      uniqueIndex('later_content', 'later', ['content']),
      table('brief', { id: text.key() }),
      index('brief_id', 'brief', ['id']),
      'delete from campaigns',
    ],
  },
  {
    name: '9991-contract',
    olderServers: 'stop',
    statements: ({ addColumn, index, dropIndex, dropTable }) => [
      addColumn('later', 'more', integer.defaultTo(7)),
      dropIndex('later_content'),
      index('later_content', 'later', ['content'], { more: 7 }),
      dropIndex('campaigns_active'),
      dropTable('brief'),
    ],
  },
];

/** Everything in a database once so many of the migrations have been applied, and then so many; removes its place. */
async function contentsAfter(place: Place, counts: readonly number[]) {
  try {
    return await onPlace(place, async (driver) => {
      for (const count of counts)
        await driver.write((session) => applyMigrations(session, AT, [...migrations, ...LATER].slice(0, count)));
      return driver.read(contentsOf);
    });
  } finally {
    await place.remove();
  }
}

async function contentsOf(session: Session) {
  const { schema, tables } = session.dialect === 'sqlite' ? SQLITE : POSTGRES;
  const names = (await session.allRaw<{ name: string }>(tables)).map(({ name }) => name);
  const rows: Record<string, readonly unknown[]> = {};
  for (const name of names) rows[name] = await session.allRaw(`select * from ${name} order by 1`);
  return { schema: (await Promise.all(schema.map((sql) => session.allRaw(sql)))).flat(), tables: names, rows };
}

const SQLITE = {
  tables: "select name from sqlite_schema where type = 'table' order by name",
  schema: ['select type, name, tbl_name, sql from sqlite_schema order by type, name'],
};

const POSTGRES = {
  tables: "select tablename as name from pg_tables where schemaname = 'public' order by 1",
  schema: [
    `select table_name, ordinal_position, column_name, data_type, collation_name, is_nullable, column_default, is_identity
     from information_schema.columns where table_schema = 'public' order by 1, 2`,
    "select indexname, indexdef from pg_indexes where schemaname = 'public' order by 1",
    `select conname, pg_get_constraintdef(oid) as definition from pg_constraint
     where connamespace = 'public'::regnamespace order by 1`,
    "select sequencename, data_type, start_value, cache_size from pg_sequences where schemaname = 'public' order by 1",
  ],
};
