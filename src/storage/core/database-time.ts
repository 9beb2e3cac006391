import { type Expression, type RawBuilder, sql } from 'kysely';
import type { Dialect } from './statements.ts';

/**
 * The time of the database plus some seconds, as a UTC text with milliseconds, for what several servers must agree on:
 * their own clocks may differ, and the clock of a service may be moved. On SQLite it is the clock of the machine. Each
 * use in a statement reads the clock anew, also in a transaction.
 * @source decision 750
 */
export function databaseTime(dialect: Dialect, plus_s: number | Expression<number>): RawBuilder<string> {
  return dialect === 'sqlite'
    ? sql<string>`strftime('%Y-%m-%dT%H:%M:%fZ', 'now', ${plus_s} || ' seconds')`
    : sql<string>`to_char((clock_timestamp() + cast(${plus_s} as double precision) * interval '1 second')
        at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}
