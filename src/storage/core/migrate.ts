import { hasEnded } from '../../base/process-identity.ts';
import { pause } from '../../base/timers.ts';
import { StoreUnavailable } from '../../contract/problems/store-unavailable.ts';
import type { AuditRecord } from '../../contract/store/audit.ts';
import { SchemaTooNew } from '../../contract/store/errors.ts';
import { DEAD_AFTER_S } from '../../contract/store/nodes.ts';
import { migrations as released } from '../migrations/all-migrations.ts';
import { MIGRATIONS_TABLE } from '../migrations/migrations-table.ts';
import { newSchema } from '../migrations/new-schema.ts';
import { schema } from '../migrations/schema.ts';
import { type Migration, schemaBuilder } from '../migrations/schema-builder.ts';
import { Audit } from '../tables/audit.ts';
import { announceChanges } from '../tables/cache-changes.ts';
import { Nodes } from '../tables/nodes.ts';
import { insertRows } from './bulk-insert.ts';
import type { Driver } from './driver.ts';
import { type AppliedMigration, assertKnownEnough, readApplied, serversFrom } from './schema-level.ts';
import type { Session } from './session.ts';

/** How long a migration waits for a table lock, with requests queued behind it, and how often it retries. */
const LOCK_WAIT_S = 2;
const LOCK_ATTEMPTS = 20;
const LOCK_PAUSE_MS = 1000;

/**
 * Applies all missing migrations in one unit of work, once even if two processes start together; returns their names.
 * `record` is stored in the audit log unless the schema is new.
 * @throws Error if running servers are incompatible with the result, or a table is locked for too long
 * @source decision 596, 831, 832
 */
export async function migrate(
  driver: Driver,
  now: string,
  steps: readonly Migration[] = released,
  record?: AuditRecord,
): Promise<string[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await driver.write((session) => upgrade(session, now, steps, record));
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      if (attempt === LOCK_ATTEMPTS) {
        throw new Error(
          'a table is in use by a long transaction, such as that of a backup; nothing was changed: run this again when it has ended',
        );
      }
      await pause(LOCK_PAUSE_MS);
    }
  }
}

async function upgrade(
  session: Session,
  now: string,
  steps: readonly Migration[],
  record: AuditRecord | undefined,
): Promise<string[]> {
  const former = await lockSchema(session);
  await rejectIncompatibleServers(session, former, lacking(former, steps));
  if (session.dialect === 'postgres') await session.runRaw(`set local lock_timeout = '${LOCK_WAIT_S}s'`);
  const applied = await applyMigrations(session, now, steps);
  // A new schema needs no audit record, as `schema_steps` has its date, and no server uses it yet.
  if (applied.length === 0 || former.length === 0) return applied;
  if (record) await new Audit(session).append([record]);
  // Makes running servers check whether they are still compatible.
  const tags = new Set([`schema:${applied.at(-1)}`]);
  if (session.dialect === 'postgres') await announceChanges(session, { tags, rows: new Set() }, '');
  return applied;
}

/** Applies all missing migrations in the caller's unit of work; returns their names. */
export async function applyMigrations(
  session: Session,
  now: string,
  steps: readonly Migration[] = released,
): Promise<string[]> {
  const former = await lockSchema(session);
  const missing = lacking(former, steps);
  await session.runRaw(MIGRATIONS_TABLE);
  const { dialect } = session;
  const words = schemaBuilder(dialect);
  const statements =
    former.length === 0
      ? newSchema(dialect, missing)
      : missing.flatMap((step) => (step.upgrade ?? step).statements(words));
  for (const sql of statements) await session.runRaw(sql);
  for (const step of missing) {
    await insertRows(session, 'schema_steps', [
      {
        name: step.name,
        applied_at: now,
        servers_from: serversFrom(step),
      },
    ]);
  }
  return missing.map((step) => step.name);
}

/** Locks and reads the applied migrations; other processes wait until the unit of work ends. */
async function lockSchema(session: Session): Promise<AppliedMigration[]> {
  if (session.dialect === 'postgres') await session.allRaw('select pg_advisory_xact_lock(7239012)');
  return readApplied(session);
}

/**
 * Rejects if a running server is incompatible with the missing migrations; none can register meanwhile. SQLite has one
 * server, which the operator stops.
 * @source decision 831
 */
async function rejectIncompatibleServers(
  session: Session,
  former: readonly AppliedMigration[],
  missing: readonly Migration[],
): Promise<void> {
  const barring = missing.filter((step) => serversFrom(step) !== '');
  if (session.dialect === 'sqlite' || barring.length === 0) return;
  // A database of 0.1.0 does not list its servers.
  if (!former.some(({ name }) => name === schema.name)) return;
  await session.runRaw('lock table nodes in share row exclusive mode');
  const older = (await new Nodes(session).listLive('', DEAD_AFTER_S))
    .filter(({ process }) => !hasEnded(process))
    .filter(({ schema_level }) => barring.some((step) => serversFrom(step) > schema_level));
  if (older.length === 0) return;
  const named = older.map(({ hostname, version }) => `${version} on ${hostname}`).join(', ');
  throw new Error(
    `running servers are incompatible with ${barring.map(({ name }) => name).join(', ')}: ${named}; stop them, run this again, and start the new version (a server that was killed counts as running for ${DEAD_AFTER_S} s)`,
  );
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof StoreUnavailable && (error.cause as { code?: string } | undefined)?.code === '55P03';
}

/** Returns the migrations with these names, in order, without replaced ones. @throws SchemaTooNew if one is unknown */
export function migrationsNamed(names: readonly string[]): Migration[] {
  const known = released.filter(({ name }) => names.includes(name));
  const unknown = names.filter(
    (name) => !known.some((step) => (step.upgrade ? name <= step.name : name === step.name)),
  );
  if (unknown.length > 0) {
    throw new SchemaTooNew(`the database has migrations that this version does not know: ${unknown.join(', ')}`);
  }
  return known;
}

/**
 * The names of the missing migrations.
 * @throws SchemaTooNew if the database has migrations that this version is incompatible with
 */
export async function pendingMigrations(driver: Driver, steps: readonly Migration[] = released): Promise<string[]> {
  return driver.read(async (session) => lacking(await readApplied(session), steps).map((step) => step.name));
}

/** The names of applied migrations that this version does not know. */
export async function newerMigrations(driver: Driver, steps: readonly Migration[] = released): Promise<string[]> {
  const names = await driver.read(appliedMigrations);
  return names.filter((name) => name > schema.name && !steps.some((step) => step.name === name));
}

/** Rejects if a migration is missing, or one is incompatible with this version. @throws SchemaTooNew */
export async function checkSchema(driver: Driver, steps: readonly Migration[] = released): Promise<void> {
  const applied = await driver.read(readApplied);
  const missing = lacking(applied, steps).map(({ name }) => name);
  if (applied.length === 0) throw new Error('the database is empty; make its schema: barker migrate');
  if (missing.length > 0) throw new Error(`the database lacks migrations (${missing.join(', ')}); run: barker migrate`);
}

/** The names of the applied migrations; none if the database is empty. */
export async function appliedMigrations(session: Session): Promise<string[]> {
  return (await readApplied(session)).map(({ name }) => name);
}

/** @throws SchemaTooNew @throws Error when there is no upgrade from the database's last migration */
function lacking(applied: readonly AppliedMigration[], steps: readonly Migration[]): Migration[] {
  assertKnownEnough(applied, steps);
  const missing = steps.filter((step) => !applied.some(({ name }) => name === step.name));
  const last = applied.findLast(({ name }) => name < schema.name)?.name;
  if (missing.includes(schema) && last !== undefined && last !== schema.upgrade!.from) {
    throw new Error(
      `the database is of a development version before ${schema.name} (its last migration is ${last}); only databases of releases can be upgraded: create a new one, or first run a version that has the migrations in between`,
    );
  }
  return missing;
}

/** Every table that the migrations create or drop, and the table that records them. */
export function tablesOfMigrations(steps: readonly Migration[] = released): string[] {
  const tables = new Set(['schema_steps']);
  const record = (name: string): string => {
    tables.add(name);
    return '';
  };
  const words = { ...schemaBuilder('sqlite'), table: record, dropTable: record };
  for (const step of steps) for (const { statements } of [step, step.upgrade ?? step]) statements(words);
  return [...tables];
}

/** Drops every table of the schema in the caller's unit of work. */
export async function dropTables(session: Session): Promise<void> {
  for (const table of tablesOfMigrations()) await session.runRaw(`drop table if exists ${table}`);
}

/** Drops the schema. Only for resetting a development server. */
export async function dropSchema(driver: Driver): Promise<void> {
  await driver.write(dropTables);
}
