import type pg from 'pg';
import { hasEnded, processIdentity } from '../../base/process-identity.ts';
import { secureRandom } from '../../base/random.ts';
import { after, elapsed_ms } from '../../base/timers.ts';
import { ServerAlreadyRunning } from './server-lock.ts';

/** The key of the advisory lock that the one server holds: an arbitrary number that nobody else is likely to use. */
const LOCK = 4_815_162_342;
/**
 * The key of the advisory lock that all connections of the server share: holding it exclusively proves that none is
 * left.
 */
const CONNECTIONS = LOCK + 1;

/** How long a killed process may still appear to hold the lock. */
const BUSY_MS = 5000;
const PAUSE_MS = 250;

const pause = (ms: number): Promise<void> => new Promise((resolve) => void after(ms, resolve));

interface Look {
  /** The token of the last server; undefined before the first one. */
  readonly token: string | undefined;
  /** Whether the last server is certain to have ended. */
  readonly isOver: boolean;
  /** Whether a server holds the lock or has connections. */
  readonly isServed: boolean;
}

/**
 * Takes the server lock for a starting server, on a connection that holds it from then on; returns the fencing token. A
 * lock that is free although it was not released may belong to a server that is just cut off from the database, so it
 * must stay free for `free_ms` first.
 * @throws ServerAlreadyRunning
 * @source decision 417
 */
export async function acquireLock(client: pg.Client, free_ms: number): Promise<string> {
  const startedAt_ms = elapsed_ms();
  let freeAt_ms: number | undefined;
  for (;;) {
    const { isServed, isOver } = await look(client);
    const now_ms = elapsed_ms();
    freeAt_ms = isServed ? undefined : (freeAt_ms ?? now_ms);
    if (isServed && now_ms - startedAt_ms > BUSY_MS) throw alreadyServed();
    const isFree = freeAt_ms !== undefined && (isOver || now_ms - freeAt_ms >= free_ms);
    if (isFree && (await takeLock(client))) return begin(client);
    await pause(PAUSE_MS);
  }
}

/**
 * Takes the server lock again for the server that held it last, under this token; returns the new one. Connections of
 * its own that the database still has are terminated, so that nothing can be stored through them any more.
 * @throws ServerAlreadyRunning when another server has held it since, whether it still runs or not
 * @source decision 415
 */
export async function reacquireLock(client: pg.Client, token: string): Promise<string> {
  for (;;) {
    if ((await look(client)).token !== token) throw alreadyServed();
    if (await takeLock(client)) break;
    // PostgreSQL has not noticed yet that our old connection broke.
    await end(client, LOCK);
    await pause(PAUSE_MS);
  }
  if ((await look(client)).token !== token) throw alreadyServed();
  return begin(client);
}

/** Records that the server has ended, so that the next one need not wait. @source decision 417 */
export async function releaseLock(client: pg.Client, token: string): Promise<void> {
  await client.query('update server_claim set released = 1 where token = $1', [token]).catch(unlessUndefined);
}

/**
 * The query that a connection of the server runs before its first use: takes the shared lock of the connections, then
 * checks whether the token is still current; its last row says so.
 * @source decision 416
 */
export function admissionQuery(token: string): string {
  return `select pg_try_advisory_lock_shared(${CONNECTIONS}) as locked;
    select exists (select from server_claim where token = '${token}') as stands`;
}

async function look(client: pg.Client): Promise<Look> {
  const held = await client.query(
    `select 1 from pg_locks where locktype = 'advisory' and objsubid = 1 and granted and pid <> pg_backend_pid()
       and database = (select oid from pg_database where datname = current_database())
       and (classid::bigint << 32) + objid::bigint in ($1, $2) limit 1`,
    [LOCK, CONNECTIONS],
  );
  const last = await lastClaim(client);
  return {
    token: last?.token,
    isOver: !last || last.isReleased || hasEnded(last.process),
    isServed: held.rowCount !== 0,
  };
}

interface Claimed {
  readonly token: string;
  readonly process: string;
  readonly isReleased: boolean;
}

/** PostgreSQL's error code undefined_table. */
const UNDEFINED_TABLE = '42P01';

const NOTE = `insert into server_claim (id, token, process, released) values (1, $1, $2, 0)
  on conflict (id) do update set token = excluded.token, process = excluded.process, released = 0`;

/** A database without a schema has no table of claims. */
function unlessUndefined(error: { readonly code?: string }): void {
  if (error.code !== UNDEFINED_TABLE) throw error;
}

async function lastClaim(client: pg.Client): Promise<Claimed | undefined> {
  const found = await client
    .query('select token, process, released = 1 as "isReleased" from server_claim where id = 1')
    .catch(unlessUndefined);
  return found?.rows[0];
}

async function takeLock(client: pg.Client): Promise<boolean> {
  return (await client.query('select pg_try_advisory_lock($1) as got', [LOCK])).rows[0].got;
}

/**
 * Stores a new token under the lock, and waits until no connection with an earlier token is left.
 * @source decision 416
 */
async function begin(client: pg.Client): Promise<string> {
  const token = secureRandom.bytes(16).toString('hex');
  await client.query(NOTE, [token, processIdentity()]).catch(unlessUndefined);
  while (!(await client.query('select pg_try_advisory_lock($1) as got', [CONNECTIONS])).rows[0].got) {
    await end(client, CONNECTIONS);
    await pause(PAUSE_MS / 10);
  }
  await client.query('select pg_advisory_unlock($1)', [CONNECTIONS]);
  return token;
}

/** Terminates the connections that hold a lock. Without permission to do so, the caller waits for them. */
async function end(client: pg.Client, lock: number): Promise<void> {
  await client
    .query(
      `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and objsubid = 1 and granted
         and pid <> pg_backend_pid() and (classid::bigint << 32) + objid::bigint = $1
         and database = (select oid from pg_database where datname = current_database())`,
      [lock],
    )
    .catch((error: { code?: string }) => {
      if (error.code !== NOT_ALLOWED) throw error;
    });
}

const NOT_ALLOWED = '42501';

function alreadyServed(): ServerAlreadyRunning {
  return new ServerAlreadyRunning('another process serves this database; stop it first');
}
