import type { AuditRecord } from '../../contract/store/audit.ts';
import { migrations as released } from '../migrations/all-migrations.ts';
import { MIGRATIONS_TABLE } from '../migrations/migrations-table.ts';
import { type Migration, schemaBuilder } from '../migrations/schema-builder.ts';
import { auditOn } from '../tables/audit.ts';
import type { Session } from './session.ts';
import type { Driver } from './store.ts';
import { tableRows } from './table-rows.ts';

/** The database has steps that this version does not know: it was written by a newer one. */
export class SchemaTooNew extends Error {
  override readonly name = 'SchemaTooNew';
}

/**
 * Brings the schema up to date, all missing steps in one unit; the answer names them. Two processes that start
 * together do it once. With `record`, auditors are told of an upgrade.
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
    // A new schema holds nothing yet; the record of the steps tells when it was made.
    if (record && applied.length > 0 && !isNew) await auditOn(session).append([record]);
    return applied;
  });
}

/** Applies all missing steps in a unit of the caller's; the answer names them. */
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

/** The steps of these names, in their order. @throws SchemaTooNew when one of them is not known. */
export function migrationsNamed(names: readonly string[]): Migration[] {
  lacking(names, released);
  return released.filter(({ name }) => names.includes(name));
}

/** The names of steps that the database lacks. Changes nothing. */
export async function pendingMigrations(driver: Driver, steps: readonly Migration[] = released): Promise<string[]> {
  return driver.read(async (session) => lacking(await appliedMigrations(session), steps).map((step) => step.name));
}

/** Rejects while the database lacks a step. Steps of a newer version are no obstacle: they only ever add. */
export async function checkSchema(driver: Driver, steps: readonly Migration[] = released): Promise<void> {
  const applied = await driver.read(appliedMigrations);
  const missing = steps.filter((step) => !applied.includes(step.name));
  if (missing.length > 0) throw new Error(`the database lacks migrations: ${missing.map((step) => step.name)}`);
}

async function missingSteps(session: Session, steps: readonly Migration[]): Promise<Migration[]> {
  await session.runRaw(MIGRATIONS_TABLE);
  return lacking(await appliedMigrations(session), steps);
}

/** The steps that the database has; none when it is empty. */
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

/** Every table that the steps make, and the record of the steps. */
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

/** Drops every table of the schema in a unit of the caller's. */
export async function dropTables(session: Session): Promise<void> {
  for (const table of tablesOfMigrations()) await session.runRaw(`drop table if exists ${table}`);
}

/** Drops the schema. Only for starting a development folder anew. */
export async function dropSchema(driver: Driver): Promise<void> {
  await driver.write(dropTables);
}
