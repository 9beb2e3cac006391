import type { AuditRecord } from '../../contract/store/audit.ts';
import { migrations as released } from '../migrations/all-migrations.ts';
import { MIGRATIONS_TABLE } from '../migrations/migrations-table.ts';
import { type Migration, schemaBuilder } from '../migrations/schema-builder.ts';
import { auditOn } from '../tables/audit.ts';
import type { Driver } from './driver.ts';
import type { Session } from './session.ts';
import { tableRows } from './table-rows.ts';

/** The database has migrations that this version does not know: a newer version wrote it. */
export class SchemaTooNew extends Error {
  override readonly name = 'SchemaTooNew';
}

/**
 * Brings the schema up to date, all missing migrations in one unit of work; returns their names. Two processes that
 * start together do it once. `record` is stored in the audit log, except when the schema is new.
 * @source decision 596
 */
export async function migrate(
  driver: Driver,
  now: string,
  steps: readonly Migration[] = released,
  record?: AuditRecord,
): Promise<string[]> {
  return driver.write(async (session) => {
    const isNew = (await appliedMigrations(session)).length === 0;
    const applied = await applyMigrations(session, now, steps);
    // A new schema holds no data yet, and its table of migrations tells when it was made.
    if (record && applied.length > 0 && !isNew) await auditOn(session).append([record]);
    return applied;
  });
}

/** Applies all missing migrations in the caller's unit of work; returns their names. */
export async function applyMigrations(
  session: Session,
  now: string,
  steps: readonly Migration[] = released,
): Promise<string[]> {
  const { dialect } = session;
  if (dialect === 'postgres') await session.allRaw('select pg_advisory_xact_lock(7239012)');
  const missing = await missingSteps(session, steps);
  const words = schemaBuilder(dialect);
  for (const step of missing) {
    for (const sql of step.statements(words)) await session.runRaw(sql);
    await tableRows(session, 'schema_steps').insert({ name: step.name, applied_at: now });
  }
  return missing.map((step) => step.name);
}

/** The migrations with these names, in order. @throws SchemaTooNew when one of them is unknown */
export function migrationsNamed(names: readonly string[]): Migration[] {
  lacking(names, released);
  return released.filter(({ name }) => names.includes(name));
}

/** The names of the migrations that the database lacks. Changes nothing. */
export async function pendingMigrations(driver: Driver, steps: readonly Migration[] = released): Promise<string[]> {
  return driver.read(async (session) => lacking(await appliedMigrations(session), steps).map((step) => step.name));
}

/** Rejects if the database lacks a migration. Migrations of a newer version are accepted: they only ever add. */
export async function checkSchema(driver: Driver, steps: readonly Migration[] = released): Promise<void> {
  const applied = await driver.read(appliedMigrations);
  const missing = steps.filter((step) => !applied.includes(step.name));
  if (missing.length > 0) throw new Error(`the database lacks migrations: ${missing.map((step) => step.name)}`);
}

async function missingSteps(session: Session, steps: readonly Migration[]): Promise<Migration[]> {
  await session.runRaw(MIGRATIONS_TABLE);
  return lacking(await appliedMigrations(session), steps);
}

/** The names of the applied migrations; none if the database is empty. */
export async function appliedMigrations(session: Session): Promise<string[]> {
  const isThere =
    session.dialect === 'sqlite'
      ? "select 1 from sqlite_schema where name = 'schema_steps'"
      : "select 1 where to_regclass('schema_steps') is not null";
  if ((await session.allRaw(isThere)).length === 0) return [];
  const applied = await session.allRaw<{ name: string }>('select name from schema_steps order by name');
  return applied.map(({ name }) => name);
}

function lacking(applied: readonly string[], steps: readonly Migration[]): Migration[] {
  const unknown = applied.filter((name) => !steps.some((step) => step.name === name));
  if (unknown.length > 0) {
    throw new SchemaTooNew(`the database has migrations that this version does not know: ${unknown.join(', ')}`);
  }
  return steps.filter((step) => !applied.includes(step.name));
}

/** Every table that the migrations create, and the table that records them. */
export function tablesOfMigrations(steps: readonly Migration[] = released): string[] {
  const tables = ['schema_steps'];
  const words = {
    ...schemaBuilder('sqlite'),
    table(name: string) {
      tables.push(name);
      return '';
    },
  };
  for (const step of steps) step.statements(words);
  return tables;
}

/** Drops every table of the schema in the caller's unit of work. */
export async function dropTables(session: Session): Promise<void> {
  for (const table of tablesOfMigrations()) await session.runRaw(`drop table if exists ${table}`);
}

/** Drops the schema. Only for resetting a development server. */
export async function dropSchema(driver: Driver): Promise<void> {
  await driver.write(dropTables);
}
