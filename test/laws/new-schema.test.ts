import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyMigrations } from '../../src/storage/core/migrate.ts';
import type { Session } from '../../src/storage/core/session.ts';
import { migrations } from '../../src/storage/migrations/all-migrations.ts';
import { onPlace, openPlace } from '../rig/databases.ts';

const AT = '2026-01-01T00:00:00Z';

test('a new database is what each migration after the other makes of it', async () => {
  const atOnce = await contentsAfter([migrations.length]);
  assert.ok(atOnce.tables.length > 50 && atOnce.schema.length > 200, `${atOnce.tables.length} tables`);
  for (const first of [1, 20]) assert.deepEqual(await contentsAfter([first, migrations.length]), atOnce);
});

/** Everything in a new database once so many migrations have been applied, and then so many. */
async function contentsAfter(counts: readonly number[]) {
  const place = await openPlace();
  try {
    return await onPlace(place, async (driver) => {
      for (const count of counts)
        await driver.write((session) => applyMigrations(session, AT, migrations.slice(0, count)));
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
