import { findMissingFile, masterKeysOf, openDriver, secretBoxOf } from '../../app/database.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import { formatInstant, instantMs } from '../../base/instants.ts';
import { opens } from '../../base/secret-box.ts';
import { elapsed_ms } from '../../base/timers.ts';
import type { Application } from '../../contract/store/credentials.ts';
import { SchemaTooNew } from '../../contract/store/errors.ts';
import { DEAD_AFTER_S, type StoredNode } from '../../contract/store/nodes.ts';
import { secretContext } from '../../contract/store/sealed-columns.ts';
import { clockSkew_ms, SKEW_REPORTED_MS, skewMax_ms } from '../../features/platform/clock-skew.ts';
import { keyConflict } from '../../features/platform/master-keys.ts';
import { restoreMessage } from '../../features/platform/restore-message.ts';
import type { Settings } from '../../settings.ts';
import type { Driver } from '../../storage/core/driver.ts';
import { newerMigrations, pendingMigrations } from '../../storage/core/migrate.ts';
import { postgresStatus } from '../../storage/core/postgres-status.ts';
import { storeOn } from '../../storage/core/store.ts';
import { errorMessage } from '../failure.ts';
import { examineBackup, examineCallbacks, examineDelivery, examineTables, examineWebhooks } from './contents.ts';
import { examineStoreId } from './dependencies.ts';
import { error, type Finding, ok, warning } from './finding.ts';

/** Round trips longer than this make every request slow. */
const SLOW_MS = 20;
/** Connections beside the pool: the six of a server, and those of commands and operators. */
const SPARE_CONNECTIONS = 10;
const OVERDUE_MS = 15 * 60_000;
/** Events get into the log in milliseconds. */
const EVENTS_LATE_MS = 60_000;

/** Checks the database: connection, schema, master key, server settings, and backlogs. */
export async function examineDatabase(settings: Settings, machineClock: Clock = systemClock): Promise<Finding[]> {
  const missing = findMissingFile(settings);
  if (missing) return [error(`there is no database at ${missing}`, 'make it: barker migrate')];
  let driver: Driver | undefined;
  try {
    driver = await openDriver(settings);
    return await examine(driver, settings, machineClock);
  } catch (failure) {
    const advice = driver?.dialect === 'postgres' ? 'start the server, or correct database_url' : 'see the message';
    return [error(`the database does not answer: ${errorMessage(failure)}`, advice)];
  } finally {
    await driver?.close().catch(() => {});
  }
}

async function examine(driver: Driver, settings: Settings, clock: Clock): Promise<Finding[]> {
  // The first ping opens the connection.
  await driver.ping();
  const before_ms = elapsed_ms();
  await driver.ping();
  const took_ms = elapsed_ms() - before_ms;
  const findings =
    driver.dialect === 'postgres' ? await examinePostgres(driver, settings, took_ms, clock) : [ok('SQLite answers')];
  try {
    const pending = await pendingMigrations(driver);
    if (pending.length > 0) {
      return [...findings, error(`the schema lacks ${pending.join(', ')}`, 'back up, then: barker migrate')];
    }
  } catch (failure) {
    if (!(failure instanceof SchemaTooNew)) throw failure;
    return [...findings, error('the schema was made by a newer release', 'install that release, or restore a backup')];
  }
  const isNewer = (await newerMigrations(driver)).length > 0;
  findings.push(ok(isNewer ? 'the schema is of a newer release, and works with this one' : 'the schema is up to date'));
  findings.push(...(await examineContents(driver, settings)));
  return [...findings, ...(await examineTables(driver, settings, systemClock.now()))];
}

async function examinePostgres(driver: Driver, settings: Settings, took_ms: number, clock: Clock): Promise<Finding[]> {
  const asked_ms = clock.now();
  const { version, isDurable, connectionsMax, now } = await postgresStatus(driver);
  const answer = `PostgreSQL ${version} answers in ${took_ms.toFixed(1)} ms`;
  const findings = [
    took_ms > SLOW_MS ? warning(answer, 'move it closer: each request asks it several times') : ok(answer),
  ];
  if (!isDurable) {
    const advice = 'turn fsync, full_page_writes and synchronous_commit on';
    findings.push(error('the server may lose writes that it has acknowledged', advice));
  }
  const wanted = settings.postgres_connections_max + SPARE_CONNECTIONS;
  if (connectionsMax < wanted) {
    const advice = 'raise max_connections of the server, or lower postgres_connections_max';
    findings.push(
      warning(`the server allows ${connectionsMax} connections; Barker and its commands may need ${wanted}`, advice),
    );
  }
  return [...findings, ...examineClock(clockSkew_ms(asked_ms, now, clock.now()), settings)];
}

function examineClock(skew_ms: number, { timestamp_window_s }: Settings): Finding[] {
  if (Math.abs(skew_ms) <= SKEW_REPORTED_MS) return [];
  const message = `the clocks of this machine and the database differ by ${Math.round(Math.abs(skew_ms) / 1000)} s`;
  const max_ms = skewMax_ms(timestamp_window_s);
  if (Math.abs(skew_ms) <= max_ms) return [warning(message, 'synchronise both with NTP')];
  const advice = `synchronise both with NTP: with more than ${max_ms / 1000} s, no server starts`;
  return [error(message, advice)];
}

async function examineContents(driver: Driver, settings: Settings): Promise<Finding[]> {
  const now = systemClock.now();
  const { sample, servers, callbacks, webhooks, ...found } = await storeOn(driver).read(async (tx) => ({
    sample: await tx.credentials.findSomeApplication(),
    servers: await tx.nodes.listLive('', DEAD_AFTER_S),
    callbacks: await examineCallbacks(tx, settings.callback_schemes),
    webhooks: await examineWebhooks(tx, formatInstant(now - OVERDUE_MS)),
    backlogs: await tx.jobs.listBacklogs(formatInstant(now)),
    oldestEvent: await tx.events.findOldestWaiting(),
    objectStoreId: await tx.objectStoreId.find(),
    verified_at: await tx.verifiedBackup.find(),
    publishers: await tx.publishers.list(),
    notBefore_s: await tx.restores.findRequestsNotBefore(),
  }));
  const { backlogs, oldestEvent, objectStoreId, verified_at, publishers, notBefore_s } = found;
  const findings = [examineKey(settings, sample), ...examineServers(settings, servers), ...callbacks, ...webhooks];
  findings.push(...examineBackup(verified_at, now, settings.data_folder));
  findings.push(...examineDelivery(settings, publishers));
  if (notBefore_s * 1000 > now) findings.push(warning(restoreMessage(notBefore_s), 'wait until then'));
  if (objectStoreId !== undefined) findings.push(...(await examineStoreId(settings, objectStoreId)));
  const overdue = backlogs.filter(({ since }) => now - instantMs(since) > OVERDUE_MS);
  for (const { kind, count, since } of overdue) {
    findings.push(
      warning(
        `${count} ${kind} jobs have been due since ${since}`,
        'is the server running? Its log says why jobs fail',
      ),
    );
  }
  if (oldestEvent !== undefined && now - instantMs(oldestEvent) > EVENTS_LATE_MS) {
    const advice = 'is the server running? Its log says why events do not get into the event log';
    findings.push(warning(`an event of ${oldestEvent} is not in the event log yet`, advice));
  }
  return findings;
}

function examineKey(settings: Settings, sample: Pick<Application, 'id' | 'consumer_secret'> | undefined): Finding {
  if (settings.master_key === '') return error('no master key is set', 'make one: openssl rand -hex 32');
  if (!sample) return ok('a master key is set; there is no secret yet to try it on');
  return opens(secretBoxOf(settings), sample.consumer_secret, secretContext.application(sample.id))
    ? ok('the master key decrypts the secrets')
    : error('the master key does not decrypt the secrets', 'check master_key, master_key_id and master_keys_old');
}

/** The heartbeats of SQLite's one server are not stored. */
function examineServers(settings: Settings, servers: readonly StoredNode[]): Finding[] {
  if (settings.master_key === '' || servers.length === 0) return [];
  const conflict = keyConflict(masterKeysOf(settings), servers);
  if (conflict === undefined)
    return [ok('running servers can decrypt the secrets of one with these settings, and vice versa')];
  return [error(conflict, 'give all servers the same master_key, master_key_id and master_keys_old')];
}
