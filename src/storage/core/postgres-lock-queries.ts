import type pg from 'pg';
import { hasEnded, processIdentity } from '../../base/process-identity.ts';
import { secureRandom } from '../../base/random.ts';
import { after, elapsed_ms } from '../../base/timers.ts';
import { ServerAlreadyRunning } from './server-lock.ts';

/** The name of the lock that the one server holds, any number that nobody else would take. */
const LOCK = 4_815_162_342;
/** The name of the lock that every connection of the one server shares: whoever holds it alone knows that there are none. */
const CONNECTIONS = LOCK + 1;

/** How long a process that was killed may seem to hold the lock. */
const BUSY_MS = 5000;
const PAUSE_MS = 250;

const pause = (ms: number): Promise<void> => new Promise((resolve) => void after(ms, resolve));

interface Look {
  /** Of the last server; undefined before the first. */
  readonly token: string | undefined;
  /** Whether the last server has ended for certain. */
  readonly isOver: boolean;
  /** Whether a server holds the lock, or has connections. */
  readonly isServed: boolean;
}

/**
 * Claims the database for a server that starts, on a connection that holds the claim while it lasts; the answer is the token of
 * the claim. A lock that is free although nobody gave it back may belong to a server that is just being cut off from the
 * database, so it has to be free for a while first.
 * @throws ServerAlreadyRunning
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
 * Claims the database again for the server that claimed it last, under this token; the answer is the new one. Connections of
 * its own that the database still has are ended, so that nothing can be stored through them any more.
 * @throws ServerAlreadyRunning when another server has claimed it since, whether it still serves or not
 */
export async function reacquireLock(client: pg.Client, token: string): Promise<string> {
  for (;;) {
    if ((await look(client)).token !== token) throw alreadyServed();
    if (await takeLock(client)) break;
    // A server that has not noticed yet that our connection broke.
    await end(client, LOCK);
    await pause(PAUSE_MS);
  }
  if ((await look(client)).token !== token) throw alreadyServed();
  return begin(client);
}

/** Records that the server has ended, so that the next one need not wait. */
export async function releaseLock(client: pg.Client, token: string): Promise<void> {
  await client.query('update server_claim set released = 1 where token = $1', [token]).catch(unlessUndefined);
}

/**
 * What a connection of the server runs before it is used: it shares the lock of the connections, and then looks whether the
 * claim still stands; the last of the rows says so.
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

/** What PostgreSQL says of a table that is not there. */
const UNDEFINED_TABLE = '42P01';

const NOTE = `insert into server_claim (id, token, process, released) values (1, $1, $2, 0)
  on conflict (id) do update set token = excluded.token, process = excluded.process, released = 0`;

/** A database without a schema has no table of locks. */
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

/** Records a new token under the lock, and waits until no connection of an earlier token is left. */
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

/** Ends the connections that hold a lock. Without the permission for that, the caller waits for them. */
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
