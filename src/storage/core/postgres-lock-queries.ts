import type pg from 'pg';
import { hasEnded, processIdentity } from '../../base/process-identity.ts';
import { secureRandom } from '../../base/random.ts';
import { after, elapsed_ms } from '../../base/timers.ts';
import { StoreUnavailable } from '../../contract/problems/store-unavailable.ts';
import { ServerAlreadyRunning } from './server-lock.ts';

/** A server lock held without interruption. */
export interface HeldLock {
  /** Unique per acquisition. */
  readonly key: string;
  /** The fencing token in the database: with another one there, this process has been superseded. */
  readonly token: string;
  /**
   * The statements that a connection runs before its first use: the last but one returns whether it could be `marked` as
   * one of this lock, the last one whether the token still `stands`.
   * @source decision 416
   */
  readonly admission: string;
}

/** How a process takes the server lock on a connection, which then holds it. */
export interface ServerLockKind {
  /**
   * For a starting server. A free lock that was not released may belong to a server that is cut off from the database,
   * so it must stay free for `free_ms` first.
   * @throws ServerAlreadyRunning
   * @source decision 417
   */
  acquire(client: pg.Client, free_ms: number): Promise<HeldLock>;
  /**
   * For a server that has lost it. Its remaining connections are terminated, so that they cannot store anything.
   * @throws ServerAlreadyRunning if an exclusive server has held it since, even if that one has ended
   * @source decision 415
   */
  reacquire(client: pg.Client, last: HeldLock): Promise<HeldLock>;
  /** Records that the server has ended, so that the next one need not wait. @source decision 417 */
  release(client: pg.Client, held: HeldLock): Promise<void>;
}

/** The advisory lock key of the server lock: an arbitrary number. */
const LOCK = 4_815_162_342;
/** The key of the lock shared by all connections of an exclusive server. */
const CONNECTIONS = LOCK + 1;
/** The first key of the locks of the connections of nodes; the second one is a number of the node. */
const NODES = 481_516_234;

/** How long a killed process may still appear to hold the lock. */
const BUSY_MS = 5000;
const PAUSE_MS = 250;
const TERMINATION_PAUSE_MS = 25;

/** Prefix of the tokens shared by nodes. */
const SHARED = 'shared-';

/** The lock of a server that excludes all others. */
export const exclusiveLock: ServerLockKind = {
  async acquire(client, free_ms) {
    const isServed = ({ isExclusive, isShared, hasConnections, hasNodes }: Look): boolean =>
      isExclusive || isShared || hasConnections || hasNodes;
    await acquireWhen({ client, free_ms, isServed, isOver: hasLastEnded, take: 'pg_try_advisory_lock' });
    return beginAlone(client);
  },
  async reacquire(client, { token }) {
    const isLast = async (): Promise<boolean> => (await look(client)).last?.token === token;
    for (;;) {
      if (!(await isLast())) throw alreadyServed();
      if (await tryLock(client, 'pg_try_advisory_lock')) break;
      // PostgreSQL has not noticed yet that the old connection broke.
      await terminate(client, `objsubid = 1 and ${BIG_KEY} = ${LOCK}`);
      await pause(PAUSE_MS);
    }
    if (!(await isLast())) throw alreadyServed();
    return beginAlone(client);
  },
  release: markReleased,
};

/**
 * The lock shared by the nodes of one database, which excludes exclusive servers. Nodes share one token, replaced only
 * by that of an exclusive server. Each node marks its connections with its own number.
 * @source decision 813
 */
export const sharedLock: ServerLockKind = {
  async acquire(client, free_ms) {
    const isServed = ({ isExclusive, hasConnections }: Look): boolean => isExclusive || hasConnections;
    const isOver = (seen: Look): boolean => isOfNodes(seen) || hasLastEnded(seen);
    await acquireWhen({ client, free_ms, isServed, isOver, take: 'pg_try_advisory_lock_shared' });
    const token = await joinToken(client);
    await terminateAll(client, ONLY_SERVER);
    return heldByNode(token);
  },
  async reacquire(client, { key, token }) {
    const isLast = async (): Promise<boolean> => (await look(client)).last?.token === token;
    do {
      if (!(await isLast())) throw alreadyServed();
    } while (!(await tryLock(client, 'pg_try_advisory_lock_shared')) && (await pause(PAUSE_MS)));
    if (!(await isLast())) throw alreadyServed();
    await terminateAll(client, `objsubid = 2 and classid = ${NODES} and objid = ${key}`);
    return heldByNode(token);
  },
  async release(client, held) {
    // Succeeds only for the last node.
    if (await tryLock(client, 'pg_try_advisory_lock')) await markReleased(client, held);
  },
};

type TryLock = 'pg_try_advisory_lock' | 'pg_try_advisory_lock_shared';

interface Acquisition {
  readonly client: pg.Client;
  readonly free_ms: number;
  /** Whether a server runs that does not share the lock. */
  readonly isServed: (seen: Look) => boolean;
  /** Whether the last such server has certainly ended. */
  readonly isOver: (seen: Look) => boolean;
  readonly take: TryLock;
}

async function acquireWhen({ client, free_ms, isServed, isOver, take }: Acquisition): Promise<void> {
  const startedAt_ms = elapsed_ms();
  let freeAt_ms: number | undefined;
  for (;;) {
    const seen = await look(client);
    const now_ms = elapsed_ms();
    freeAt_ms = isServed(seen) ? undefined : (freeAt_ms ?? now_ms);
    if (isServed(seen) && now_ms - startedAt_ms > BUSY_MS) throw alreadyServed();
    const isFree = freeAt_ms !== undefined && (isOver(seen) || now_ms - freeAt_ms >= free_ms);
    if (isFree && (await tryLock(client, take))) return;
    await pause(PAUSE_MS);
  }
}

/** The other servers visible in the database. */
interface Look {
  /** The last server, or the nodes; undefined before the first one. */
  readonly last: Claim | undefined;
  readonly isExclusive: boolean;
  readonly isShared: boolean;
  /** Whether an exclusive server has connections. */
  readonly hasConnections: boolean;
  /** Whether nodes have connections. */
  readonly hasNodes: boolean;
}

interface Claim {
  readonly token: string;
  readonly process: string;
  readonly isReleased: boolean;
}

const BIG_KEY = '((classid::bigint << 32) + objid::bigint)';
const ONLY_SERVER = `objsubid = 1 and ${BIG_KEY} = ${CONNECTIONS} and mode = 'ShareLock'`;
/** The advisory locks of other connections to this database. */
const OTHERS = `from pg_locks where locktype = 'advisory' and granted and pid <> pg_backend_pid()
  and database = (select oid from pg_database where datname = current_database())`;
const exists = (condition: string): string => `exists (select 1 ${OTHERS} and ${condition})`;

const LOOK = `select pg_is_in_recovery() as "isStandby",
  ${exists(`objsubid = 1 and ${BIG_KEY} = ${LOCK} and mode = 'ExclusiveLock'`)} as "isExclusive",
  ${exists(`objsubid = 1 and ${BIG_KEY} = ${LOCK} and mode = 'ShareLock'`)} as "isShared",
  ${exists(`objsubid = 1 and ${BIG_KEY} = ${CONNECTIONS}`)} as "hasConnections",
  ${exists(`objsubid = 2 and classid = ${NODES}`)} as "hasNodes"`;

async function look(client: pg.Client): Promise<Look> {
  const [seen] = (await client.query(LOOK)).rows;
  if (seen.isStandby) throw new StoreUnavailable(new Error('the database server is a standby'));
  return { ...seen, last: await lastClaim(client) };
}

const hasLastEnded = ({ last }: Look): boolean => !last || last.isReleased || hasEnded(last.process);
const isOfNodes = ({ last }: Look): boolean => last?.token.startsWith(SHARED) ?? false;

/** PostgreSQL's error code undefined_table. */
const UNDEFINED_TABLE = '42P01';

/** A database without a schema has no table of claims. */
function unlessUndefined(error: { readonly code?: string }): void {
  if (error.code !== UNDEFINED_TABLE) throw error;
}

async function lastClaim(client: pg.Client): Promise<Claim | undefined> {
  const found = await client
    .query('select token, process, released = 1 as "isReleased" from server_claim where id = 1')
    .catch(unlessUndefined);
  return found?.rows[0];
}

async function tryLock(client: pg.Client, take: TryLock): Promise<boolean> {
  return (await client.query(`select ${take}($1) as got`, [LOCK])).rows[0].got;
}

const CLAIM = `insert into server_claim (id, token, process, released) values (1, $1, $2, 0)
  on conflict (id) do update set token = excluded.token, process = excluded.process, released = 0`;

/**
 * Stores a new token under the lock, and waits until no connection with an earlier token is left.
 * @source decision 416
 */
async function beginAlone(client: pg.Client): Promise<HeldLock> {
  const token = newToken();
  await client.query(CLAIM, [token, processIdentity()]).catch(unlessUndefined);
  await terminateAll(client, `(${ONLY_SERVER} or objsubid = 2 and classid = ${NODES})`);
  return { key: token, token, admission: admissionQuery(`${CONNECTIONS}`, token) };
}

/** Reads the token of the nodes, or creates one after an exclusive server. */
async function joinToken(client: pg.Client): Promise<string> {
  for (;;) {
    const last = await lastClaim(client);
    if (last?.token.startsWith(SHARED)) {
      const joined = await client.query('update server_claim set released = 0 where token = $1', [last.token]);
      if (joined.rowCount === 1) return last.token;
    } else {
      const token = SHARED + newToken();
      const claimed = await client.query(`${CLAIM} where server_claim.token = $3`, [token, '', last?.token ?? '']);
      if (claimed.rowCount === 1) return token;
    }
    // Another node was first.
  }
}

function heldByNode(token: string): HeldLock {
  const key = `${secureRandom.bytes(4).readUInt32BE() >>> 1}`;
  return { key, token, admission: admissionQuery(`${NODES}, ${key}`, token) };
}

function admissionQuery(lock: string, token: string): string {
  return `select pg_try_advisory_lock_shared(${lock}) as marked;
    select exists (select from server_claim where token = '${token}') as stands`;
}

async function markReleased(client: pg.Client, { token }: HeldLock): Promise<void> {
  await client.query('update server_claim set released = 1 where token = $1', [token]).catch(unlessUndefined);
}

/** Terminates connections with such locks until none is left: the outcome of their commits is then final. */
async function terminateAll(client: pg.Client, locks: string): Promise<void> {
  while ((await client.query(`select ${exists(locks)} as found`)).rows[0].found) {
    await terminate(client, locks);
    await pause(TERMINATION_PAUSE_MS);
  }
}

/** Without permission to terminate them, the caller waits for them. */
async function terminate(client: pg.Client, locks: string): Promise<void> {
  await client.query(`select pg_terminate_backend(pid) ${OTHERS} and ${locks}`).catch((error: { code?: string }) => {
    if (error.code !== NOT_ALLOWED) throw error;
  });
}

/** PostgreSQL's error code insufficient_privilege. */
const NOT_ALLOWED = '42501';

const newToken = (): string => secureRandom.bytes(16).toString('hex');

const pause = (ms: number): Promise<true> => new Promise((resolve) => void after(ms, () => resolve(true)));

function alreadyServed(): ServerAlreadyRunning {
  return new ServerAlreadyRunning(
    'another process serves this database; stop it first, or set redis_url and object_store for both, so that they can share it',
  );
}
