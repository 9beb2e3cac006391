import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { refuseIncompleteRestore } from '../backup/restore-marker.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { formatInstant } from '../base/instants.ts';
import { type Random, secureRandom, seededRandom } from '../base/random.ts';
import { parseKeyEntries, parseMasterKey, type SecretBox, secretBox } from '../base/secret-box.ts';
import type { AuditRecord } from '../contract/store/audit.ts';
import { secretContext } from '../contract/store/sealed-columns.ts';
import type { Store } from '../contract/store/store.ts';
import type { Mode } from '../settings/kinds.ts';
import type { Settings } from '../settings.ts';
import { appliedMigrations, migrate, pendingMigrations } from '../storage/core/migrate.ts';
import { type Driver, storeOn } from '../storage/core/store.ts';
import { programVersion } from '../version.ts';

/** What tests and benchmarks may replace; production uses what is left out. */
export interface RuntimeOverrides {
  readonly clock?: Clock;
  readonly random?: Random;
  readonly driver?: Driver;
}

/**
 * What everything stands on: the database and what seals its secrets. Commands that only change rows need no more, and
 * load no listener and no catalog, which takes longer than what they do.
 */
export interface Runtime {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly random: Random;
  readonly box: SecretBox;
  readonly driver: Driver;
  readonly store: Store;
}

/** Opens the database of the settings; the driver of the other one is not loaded. @throws RestoreIncomplete */
export async function openDriver(settings: Settings): Promise<Driver> {
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
  return openSqlite({ file: join(settings.data_folder, 'barker.db') });
}

/** What became of a schema. */
export interface SchemaUpgrade {
  /** The steps that were applied; none when it was up to date. */
  readonly appliedSteps: readonly string[];
  /** Where the database was copied to before; undefined where there was nothing to lose, and on PostgreSQL. */
  readonly copyPath: string | undefined;
}

/**
 * Brings the schema of an open database up to date. SQLite is copied into the data folder before, unless it is new.
 * With `record`, auditors are told of an upgrade.
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

/** Development brings the schema up to date by itself; production leaves that to the operator. */
async function prepareSchema(mode: Mode, settings: Settings, driver: Driver, clock: Clock): Promise<void> {
  if (mode === 'dev') return void (await upgradeSchema(driver, settings, clock.now()));
  const pending = await pendingMigrations(driver);
  if (pending.length > 0) {
    throw new Error(`the database lacks migrations (${pending.join(', ')}); run: barker migrate`);
  }
}

/** Opens the database, on a schema that is up to date, and holds the master key against what is in it. */
export async function openRuntime(mode: Mode, settings: Settings, overrides: RuntimeOverrides = {}): Promise<Runtime> {
  const clock = overrides.clock ?? systemClock;
  const random = overrides.random ?? (mode === 'dev' ? seededRandom(settings.seed, 'ids') : secureRandom);
  const driver = overrides.driver ?? (await openDriver(settings));
  try {
    await prepareSchema(mode, settings, driver, clock);
    const store = storeOn(driver);
    const box = secretBoxOf(settings);
    await checkMasterKey(mode, store, box);
    return { settings, clock, random, box, driver, store };
  } catch (error) {
    await driver.close();
    throw error;
  }
}

/** What seals and opens secrets, with the master keys of the settings. */
export function secretBoxOf(settings: Settings): SecretBox {
  return secretBox({
    currentKeyId: settings.master_key_id,
    keys: {
      ...parseKeyEntries(settings.master_keys_old),
      [settings.master_key_id]: parseMasterKey(settings.master_key),
    },
    random: (bytes) => secureRandom.bytes(bytes),
  });
}

/** A wrong master key would refuse every signature, and nobody would know why. */
async function checkMasterKey(mode: Mode, store: Store, box: SecretBox): Promise<void> {
  const sample = await store.read((tx) => tx.credentials.findSomeApplication());
  // A demo world has its own key, and production refuses it for what it is.
  if (!sample || (mode === 'serve' && sample.demo === 1)) return;
  try {
    box.open(sample.consumer_secret, secretContext.application(sample.id));
  } catch {
    throw new Error(
      'the secrets in this database were sealed with another master key; check master_key, master_key_id, master_keys_old',
    );
  }
}
