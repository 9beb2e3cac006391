import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openDriver, secretBoxOf } from '../../app/database.ts';
import { systemClock } from '../../base/clock.ts';
import { formatInstant, instantMs } from '../../base/instants.ts';
import { elapsed_ms } from '../../base/timers.ts';
import type { Application } from '../../contract/store/credentials.ts';
import { secretContext } from '../../contract/store/sealed-columns.ts';
import type { Settings } from '../../settings.ts';
import type { Driver } from '../../storage/core/driver.ts';
import { pendingMigrations, SchemaTooNew } from '../../storage/core/migrate.ts';
import { postgresStatus } from '../../storage/core/postgres-status.ts';
import { storeOn } from '../../storage/core/store.ts';
import { errorMessage } from '../failure.ts';
import { examineCallbacks } from './callbacks.ts';
import { error, type Finding, ok, warning } from './finding.ts';

/** Maximum clock difference to the database server: a half of the default tolerance for callers' clocks. */
const SKEW_MAX_MS = 5_000;
/** Round trips longer than this make every request slow. */
const SLOW_MS = 20;
/** Connections beside the pool: the six of a server, and those of commands and operators. */
const SPARE_CONNECTIONS = 10;
const OVERDUE_MS = 15 * 60_000;
/** Events get into the log in milliseconds. */
const EVENTS_LATE_MS = 60_000;

/** Checks the database: connection, schema, master key, server settings, and backlogs. */
export async function examineDatabase(settings: Settings): Promise<Finding[]> {
  const file = join(settings.data_folder, 'barker.db');
  if (settings.database_url === '' && !existsSync(file)) {
    return [error(`there is no database at ${file}`, 'make it: barker migrate')];
  }
  let driver: Driver | undefined;
  try {
    driver = await openDriver(settings);
    return await examine(driver, settings);
  } catch (failure) {
    const advice = driver?.dialect === 'postgres' ? 'start the server, or correct database_url' : 'see the message';
    return [error(`the database does not answer: ${errorMessage(failure)}`, advice)];
  } finally {
    await driver?.close().catch(() => {});
  }
}

async function examine(driver: Driver, settings: Settings): Promise<Finding[]> {
  // The first ping opens the connection.
  await driver.ping();
  const before_ms = elapsed_ms();
  await driver.ping();
  const took_ms = elapsed_ms() - before_ms;
  const findings =
    driver.dialect === 'postgres' ? await examinePostgres(driver, settings, took_ms) : [ok('SQLite answers')];
  try {
    const pending = await pendingMigrations(driver);
    if (pending.length > 0) {
      return [...findings, error(`the schema lacks ${pending.join(', ')}`, 'back up, then: barker migrate')];
    }
  } catch (failure) {
    if (!(failure instanceof SchemaTooNew)) throw failure;
    return [...findings, error('the schema was made by a newer release', 'install that release, or restore a backup')];
  }
  findings.push(ok('the schema is up to date'));
  return [...findings, ...(await examineContents(driver, settings))];
}

async function examinePostgres(driver: Driver, settings: Settings, took_ms: number): Promise<Finding[]> {
  const asked_ms = systemClock.now();
  const { version, isDurable, connectionsMax, now_ms } = await postgresStatus(driver);
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
  const skew_ms = Math.abs(now_ms - asked_ms);
  if (skew_ms > SKEW_MAX_MS) {
    const seconds = Math.round(skew_ms / 1000);
    findings.push(
      warning(`the clocks of this machine and the database differ by ${seconds} s`, 'synchronise both with NTP'),
    );
  }
  return findings;
}

async function examineContents(driver: Driver, settings: Settings): Promise<Finding[]> {
  const now = systemClock.now();
  const { sample, callbacks, backlogs, oldestEvent } = await storeOn(driver).read(async (tx) => ({
    sample: await tx.credentials.findSomeApplication(),
    callbacks: await examineCallbacks(tx, settings.callback_schemes),
    backlogs: await tx.jobs.listBacklogs(formatInstant(now)),
    oldestEvent: await tx.events.findOldestWaiting(),
  }));
  const findings = [examineKey(settings, sample), ...callbacks];
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
  if (!sample) return ok('a master key is set, and there is no secret yet to try it on');
  try {
    secretBoxOf(settings).open(sample.consumer_secret, secretContext.application(sample.id));
    return ok('the master key opens the secrets');
  } catch {
    return error('the master key does not open the secrets', 'check master_key, master_key_id and master_keys_old');
  }
}
