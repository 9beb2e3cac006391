import type { Driver } from './driver.ts';

/** Version, durability, connections and clock of a PostgreSQL server. */
export interface PostgresStatus {
  readonly version: string;
  /** Whether acknowledged commits survive a crash of the server. */
  readonly isDurable: boolean;
  readonly connectionsMax: number;
  /** The server's clock: a UTC text with milliseconds. */
  readonly now: string;
}

/** Queries the server's version and settings. */
export async function postgresStatus(driver: Driver): Promise<PostgresStatus> {
  const sql = `select current_setting('server_version') as version, current_setting('synchronous_commit') as commits,
    current_setting('fsync') as fsync, current_setting('full_page_writes') as pages,
    current_setting('max_connections')::int as connections, 
    to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as now`;
  const [row] = await driver.read((session) => session.allRaw(sql));
  return {
    version: String(row!.version),
    isDurable: row!.commits !== 'off' && row!.fsync === 'on' && row!.pages === 'on',
    connectionsMax: Number(row!.connections),
    now: String(row!.now),
  };
}

/**
 * The age of the oldest open transaction of the database by its user or by others that it may see, in seconds; 0 when
 * there is none.
 * @source decision 826
 */
export async function oldestTransaction_s(driver: Driver): Promise<number> {
  const sql = `select coalesce(max(extract(epoch from clock_timestamp() - xact_start)), 0)::float8 as age_s
    from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
  const [row] = await driver.read((session) => session.allRaw<{ age_s: number }>(sql));
  return Math.max(0, row!.age_s);
}

/** A globally unique id of a database: equal for all connections, and after a failover. */
export async function postgresIdentity(driver: Driver): Promise<string> {
  const sql = `select system_identifier::text || '/' || (select oid from pg_database where datname = current_database())
    as id from pg_control_system()`;
  const [row] = await driver.read((session) => session.allRaw(sql));
  return String(row!.id);
}
