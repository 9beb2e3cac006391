import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { refuseIncompleteRestore } from '../backup/restore-marker.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { formatInstant } from '../base/instants.ts';
import { type Random, secureRandom, seededRandom } from '../base/random.ts';
import { isKeyId, opens, type SecretBox, secretBox } from '../base/secret-box.ts';
import type { AuditRecord } from '../contract/store/audit.ts';
import { SEALED_COLUMNS, secretContext } from '../contract/store/sealed-columns.ts';
import { describeMasterKeys } from '../features/platform/master-keys.ts';
import type { Mode } from '../settings/kinds.ts';
import { configuredKeys, type MasterKeySettings } from '../settings/master-keys.ts';
import type { Settings } from '../settings.ts';
import type { Driver } from '../storage/core/driver.ts';
import { appliedMigrations, checkSchema, migrate, pendingMigrations } from '../storage/core/migrate.ts';
import { assertKnownEnough, readApplied } from '../storage/core/schema-level.ts';
import { findSealedOtherwise } from '../storage/core/sealed-values.ts';
import { storeOn } from '../storage/core/store.ts';
import type { Store } from '../storage/unit-of-work.ts';
import { programVersion } from '../version.ts';

/** Overrides for tests, benchmarks and development mode; production uses the defaults. */
export interface RuntimeOverrides {
  readonly clock?: Clock;
  /** The service clock by default. */
  readonly wallClock?: Clock;
  readonly random?: Random;
  readonly driver?: Driver;
  /** Whether SQLite syncs commits to disk from the start, which is the default; otherwise from `beginSyncing` on. */
  readonly isSynced?: boolean;
  /** Wraps the driver of either database. */
  readonly aroundDriver?: (driver: Driver) => Driver;
}

/**
 * The database and the box that encrypts its secrets. Commands that only change rows need no more; loading listeners and
 * the catalog would take longer than their work.
 */
export interface Runtime {
  readonly settings: Settings;
  readonly clock: Clock;
  /** See `Services`. */
  readonly wallClock: Clock;
  readonly random: Random;
  readonly box: SecretBox;
  readonly driver: Driver;
  readonly store: Store;
}

/** Whether several servers may share the database as nodes of one service. @source decision 813 */
export function sharesDatabase({ redis_url, object_store }: Pick<Settings, 'redis_url' | 'object_store'>): boolean {
  return redis_url !== '' && object_store !== '';
}

/**
 * Opens the database that the settings name; the driver of the other database is not loaded.
 * @throws RestoreIncomplete
 * @source decision 457
 */
export async function openDriver(settings: Settings, isSynced = true): Promise<Driver> {
  refuseIncompleteRestore(settings.data_folder);
  if (settings.database_url !== '') {
    const { openPostgres } = await import('../storage/core/postgres.ts');
    return openPostgres({
      url: settings.database_url,
      connectionsMax: settings.postgres_connections_max,
      timeouts: {
        connect_ms: settings.postgres_connect_timeout_s * 1000,
        statement_ms: settings.postgres_statement_timeout_s * 1000,
        idle_transaction_ms: settings.postgres_idle_transaction_timeout_s * 1000,
        silence_ms: settings.postgres_silence_timeout_s * 1000,
      },
    });
  }
  const { openSqlite } = await import('../storage/core/sqlite.ts');
  mkdirSync(settings.data_folder, { recursive: true, mode: 0o700 });
  return openSqlite({ file: join(settings.data_folder, 'barker.db'), isSynced });
}

/** The file of a SQLite database that does not exist yet, which opening it would create; undefined if there is one. */
export function findMissingFile({ data_folder, database_url }: Settings): string | undefined {
  const file = join(data_folder, 'barker.db');
  return database_url === '' && !existsSync(file) ? file : undefined;
}

/** Rejects a SQLite database that does not exist yet. */
export function requireDatabase(settings: Settings): void {
  const file = findMissingFile(settings);
  if (file) throw new Error(`there is no database at ${file}; make it: barker migrate`);
}

/** The result of a schema upgrade. */
export interface SchemaUpgrade {
  /** The migrations that were applied; none if the schema was up to date. */
  readonly appliedSteps: readonly string[];
  /** The copy of the database from before the upgrade; undefined for an empty database, and on PostgreSQL. */
  readonly copyPath: string | undefined;
}

/**
 * Brings the schema of an open database up to date. SQLite is copied into the data folder first, unless it is new. With
 * `record`, an upgrade is recorded in the audit log.
 * @source decision 610
 */
export async function upgradeSchema(
  driver: Driver,
  { data_folder }: Pick<Settings, 'data_folder'>,
  now_ms: number,
  { withCopy = true, record }: { readonly withCopy?: boolean; readonly record?: AuditRecord } = {},
): Promise<SchemaUpgrade> {
  const now = formatInstant(now_ms);
  const pending = await pendingMigrations(driver);
  const isFilled = (await driver.read(appliedMigrations)).length > 0;
  let copyPath: string | undefined;
  if (withCopy && driver.dialect === 'sqlite' && isFilled && pending.length > 0) {
    const { copyBeforeUpgrade: copyBefore } = await import('../storage/core/pre-upgrade-copy.ts');
    const [file, folder] = [join(data_folder, 'barker.db'), join(data_folder, 'backups')];
    copyPath = copyBefore({ file, folder, version: programVersion, now });
  }
  return { appliedSteps: await migrate(driver, now, undefined, record), copyPath };
}

/** Development upgrades the schema automatically; production leaves that to the operator. @source decision 5 */
async function prepareSchema(mode: Mode, settings: Settings, driver: Driver, clock: Clock): Promise<void> {
  if (mode === 'dev') return void (await upgradeSchema(driver, settings, clock.now()));
  await checkSchema(driver);
}

/** Opens the database, requires a current schema, and checks the master key against the stored secrets. */
export async function openRuntime(mode: Mode, settings: Settings, overrides: RuntimeOverrides = {}): Promise<Runtime> {
  const clock = overrides.clock ?? systemClock;
  const wallClock = overrides.wallClock ?? clock;
  const random = overrides.random ?? (mode === 'dev' ? seededRandom(settings.seed, 'ids') : secureRandom);
  if (mode === 'serve' && !overrides.driver) requireDatabase(settings);
  const opened = overrides.driver ?? (await openDriver(settings, overrides.isSynced));
  const driver = overrides.aroundDriver?.(opened) ?? opened;
  try {
    await prepareSchema(mode, settings, driver, clock);
    const store = storeOn(driver, {
      assertServable: async (session) => assertKnownEnough(await readApplied(session)),
      announcesAds: settings.delivery_production === 'served' || settings.delivery_sandbox === 'served',
    });
    const box = secretBoxOf(settings);
    await checkMasterKey(mode, store, box);
    return { settings, clock, wallClock, random, box, driver, store };
  } catch (error) {
    await driver.close();
    throw error;
  }
}

/**
 * Rejects if secrets are encrypted with a master key that the settings no longer have, such as one removed before all
 * secrets were re-encrypted: each use of them would fail.
 * @source decision 836
 */
export async function refuseUnknownKeys(driver: Driver, settings: MasterKeySettings): Promise<void> {
  const keyIds = Object.keys(configuredKeys(settings));
  for (const column of Object.values(SEALED_COLUMNS)) {
    const found = await driver.read((session) => findSealedOtherwise(session, column, keyIds));
    const id = found?.split('.', 1)[0] ?? '';
    // `keys status` reports values that are not encrypted at all.
    if (!isKeyId(id)) continue;
    throw new Error(
      `secrets in ${column.table}.${column.column} are encrypted with master key ${id}, which this server does not have; add it to master_keys_old, and keep it until barker keys reseal has run`,
    );
  }
}

/** Creates the box that encrypts secrets with the master keys of the settings. */
export function secretBoxOf(settings: MasterKeySettings): SecretBox {
  return secretBox({
    currentKeyId: settings.master_key_id,
    keys: configuredKeys(settings),
    random: (bytes) => secureRandom.bytes(bytes),
  });
}

/** Describes the master keys of the settings, for comparison between servers. */
export function masterKeysOf(settings: MasterKeySettings): string {
  return describeMasterKeys(settings.master_key_id, configuredKeys(settings));
}

/** With a wrong master key, every signature would be refused without a hint at the cause. */
async function checkMasterKey(mode: Mode, store: Store, box: SecretBox): Promise<void> {
  const sample = await store.read((tx) => tx.credentials.findSomeApplication());
  // A demo world has its own key, and production refuses demo worlds anyway.
  if (!sample || (mode === 'serve' && sample.demo === 1)) return;
  if (opens(box, sample.consumer_secret, secretContext.application(sample.id))) return;
  throw new Error(
    'the secrets in this database were sealed with another master key; check master_key, master_key_id, master_keys_old',
  );
}
