import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import pg from 'pg';
import { StoreUnavailable } from '../../src/contract/problems/store-unavailable.ts';
import type { Driver } from '../../src/storage/core/driver.ts';
import { openPostgres } from '../../src/storage/core/postgres.ts';
import { type ReleaseLock, ServerAlreadyRunning } from '../../src/storage/core/server-lock.ts';
import type { Session } from '../../src/storage/core/session.ts';
import { type CuttableProxy, openCuttableProxy } from '../rig/cuttable-proxy.ts';
import { openPlace, type Place } from '../rig/databases.ts';
import { inTime, PATIENCE_MS } from '../rig/patience.ts';

const TIMEOUTS = { connect_ms: 1000, statement_ms: 2000, idle_transaction_ms: 5000, silence_ms: 1000 };

let place: Place;
let administrator: pg.Client;
before(async () => {
  place = await openPlace('postgres', { hasSchema: true });
  administrator = new pg.Client({ connectionString: place.databaseUrl });
  await administrator.connect();
  await administrator.query('create table kept (name text)');
});
after(async () => {
  await administrator.end();
  await place.remove();
});

interface Server {
  readonly driver: Driver;
  readonly release: ReleaseLock;
  /** What it heard of outages, in order. */
  readonly heard: string[];
  /** Resolves once it has heard something so often. */
  until(what: string, times?: number): Promise<void>;
}

const running: Server[] = [];
/** Starts what a server has of the database; by another way when one is named. */
async function serve(url = place.databaseUrl, timeouts = TIMEOUTS, isShared = false): Promise<Server> {
  const driver = openPostgres({ url, connectionsMax: 3, timeouts });
  const heard: string[] = [];
  let look = (): void => {};
  const hear = (what: string) => () => {
    heard.push(what);
    look();
  };
  driver.onOutage({ began: hear('began'), ended: hear('ended'), superseded: hear('superseded') });
  const release = await driver.acquireServerLock({ isShared }).catch(async (error) => {
    await driver.close();
    throw error;
  });
  const until = async (what: string, times = 1): Promise<void> => {
    const isThere = (): boolean => heard.filter((each) => each === what).length >= times;
    const heardOf = new Promise<void>((resolve) => {
      look = () => void (isThere() && resolve());
      look();
    });
    await inTime(heardOf);
  };
  const server = { driver, release, heard, until };
  running.push(server);
  return server;
}

let proxy: CuttableProxy;
beforeEach(async () => {
  proxy = await openCuttableProxy(place.databaseUrl);
});
afterEach(async () => {
  for (const { driver, release } of running.splice(0)) {
    await driver.close();
    await release();
  }
  await proxy.close();
  await administrator.query('delete from kept');
});

const run = (session: Session, sql: string) => session.runRaw(sql);
const keep = (name: string) => (session: Session) => run(session, `insert into kept values ('${name}')`);
const one = (session: Session) => session.allRaw('select 1 as one');
async function names(): Promise<string[]> {
  return (await administrator.query('select name from kept order by name')).rows.map(({ name }) => name);
}
/** As if the last server had been of another machine, of which nobody knows whether it lives. */
const forgetProcess = () => administrator.query("update server_claim set process = ''");

describe('the server lock on a database', () => {
  test('is held by one server, and free at once after a clean shutdown', async () => {
    const first = await serve();
    await assert.rejects(serve(), ServerAlreadyRunning);
    await first.driver.write(keep('a'));
    running.splice(0);
    await first.driver.close();
    await first.release();
    // Whoever had to wait for it would wait for longer than anybody waits here.
    const patient = { ...TIMEOUTS, silence_ms: PATIENCE_MS };
    const second = await inTime(serve(place.databaseUrl, patient));
    await second.driver.write(keep('b'));
    assert.deepEqual(await names(), ['a', 'b']);
  });

  test('is taken again after its connection ends, before a starting server gets it', async () => {
    const first = await serve();
    await forgetProcess();
    const starting = assert.rejects(serve(), ServerAlreadyRunning);
    for (let times = 1; times <= 3; times++) {
      await administrator.query(
        `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and mode = 'ExclusiveLock'
           and database = (select oid from pg_database where datname = current_database())`,
      );
      await first.until('ended', times);
      assert.deepEqual(await first.driver.read(one), [{ one: 1 }]);
    }
    await starting;
    assert.deepEqual(first.heard, ['began', 'ended', 'began', 'ended', 'began', 'ended']);
  });

  test('waits for a server that is cut off silently, and refuses units meanwhile', async () => {
    const first = await serve(proxy.url);
    await first.driver.write(keep('a'));
    const slow = first.driver.write(async (session) => {
      await keep('b')(session);
      proxy.silence();
      await keep('c')(session);
    });
    await assert.rejects(slow, StoreUnavailable);
    await first.until('began');
    await assert.rejects(first.driver.read(one), (error) => error instanceof StoreUnavailable && error.isOutage);
    await assert.rejects(first.driver.ping(), StoreUnavailable);
    // The database still has its connections, so whoever starts knows that it may come back.
    await assert.rejects(serve(), ServerAlreadyRunning);
    proxy.mend();
    await first.until('ended');
    await first.driver.write(keep('d'));
    await first.driver.ping();
    assert.deepEqual(await names(), ['a', 'd']);
  });

  test('passes to another server when its own is cut off for long; that one has to stop', async () => {
    const first = await serve(proxy.url);
    await forgetProcess();
    let second: Server | undefined;
    const writing = first.driver.write(async (session) => {
      await keep('of the first')(session);
      proxy.loseClients();
      second = await serve();
    });
    await assert.rejects(writing, StoreUnavailable);
    await second!.driver.write(keep('of the second'));
    proxy.mend();
    await first.until('superseded');
    await assert.rejects(first.driver.write(keep('too late')), StoreUnavailable);
    await assert.rejects(first.driver.ping(), StoreUnavailable);
    assert.deepEqual(await names(), ['of the second']);
    assert.deepEqual(second!.heard, []);
  });

  test('ends the connections of a server that has lost it: their transactions are rolled back', async () => {
    const first = await serve();
    await forgetProcess();
    const writing = first.driver.write(async (session) => {
      await keep('of the first')(session);
      await administrator.query("update server_claim set token = 'of another'");
      await administrator.query(
        `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and mode = 'ExclusiveLock'
           and database = (select oid from pg_database where datname = current_database())`,
      );
      await first.until('superseded');
      await keep('too late')(session);
    });
    await assert.rejects(writing, StoreUnavailable);
    await assert.rejects(first.driver.write(keep('too late')), StoreUnavailable);
    const second = await serve();
    await second.driver.write(keep('of the second'));
    assert.deepEqual(await names(), ['of the second']);
  });
});

describe('the server lock of nodes', () => {
  const join = (url = place.databaseUrl) => serve(url, TIMEOUTS, true);
  const leave = async (node: Server): Promise<void> => {
    running.splice(running.indexOf(node), 1);
    await node.driver.close();
    await node.release();
  };

  test('is shared by them and excludes an only server until the last has left', async () => {
    const [first, second] = await Promise.all([join(), join()]);
    await first.driver.write(keep('a'));
    await second.driver.write(keep('b'));
    await leave(first);
    await assert.rejects(serve(), ServerAlreadyRunning);
    await second.driver.write(keep('c'));
    await leave(second);
    const only = await inTime(serve(place.databaseUrl, { ...TIMEOUTS, silence_ms: PATIENCE_MS }));
    await only.driver.write(keep('d'));
    assert.deepEqual(await names(), ['a', 'b', 'c', 'd']);
    assert.deepEqual([...first.heard, ...second.heard, ...only.heard], []);
  });

  test('is not for nodes while an only server holds it, and free for them at once when that has left', async () => {
    const only = await serve();
    await assert.rejects(join(), ServerAlreadyRunning);
    await leave(only);
    const patient = { ...TIMEOUTS, silence_ms: PATIENCE_MS };
    const [first, second] = await inTime(Promise.all([1, 2].map(() => serve(place.databaseUrl, patient, true))));
    await first!.driver.write(keep('a'));
    await second!.driver.write(keep('b'));
    assert.deepEqual(await names(), ['a', 'b']);
  });

  test('is taken again by a node that was cut off; its transactions have ended, those of others go on', async () => {
    const [near, far] = await Promise.all([join(), join(proxy.url)]);
    const slow = far.driver.write(async (session) => {
      await keep('of the node that was cut off')(session);
      proxy.silence();
      await keep('too late')(session);
    });
    const other = near.driver.write(async (session) => {
      await keep('of the other')(session);
      await far.until('began');
      proxy.mend();
      await far.until('ended');
    });
    await assert.rejects(slow, StoreUnavailable);
    await other;
    await far.driver.write(keep('later'));
    assert.deepEqual(await names(), ['later', 'of the other']);
    assert.deepEqual(near.heard, []);
    assert.deepEqual(far.heard, ['began', 'ended']);
    const { rows } = await administrator.query(
      `select count(*)::int as count from pg_stat_activity where state like 'idle in transaction%' and datname = current_database()`,
    );
    assert.deepEqual(rows, [{ count: 0 }]);
  });

  test('is lost for good by a node when an only server was there meanwhile', async () => {
    const node = await join(proxy.url);
    let only: Server | undefined;
    const writing = node.driver.write(async (session) => {
      await keep('of the node')(session);
      proxy.loseClients();
      only = await serve();
    });
    await assert.rejects(writing, StoreUnavailable);
    await only!.driver.write(keep('of the only one'));
    await leave(only!);
    const next = await join();
    proxy.mend();
    await node.until('superseded');
    await assert.rejects(node.driver.write(keep('too late')), StoreUnavailable);
    await next.driver.write(keep('of the next'));
    assert.deepEqual(await names(), ['of the next', 'of the only one']);
  });
});

describe('a connection of a server', () => {
  test('with a statement that takes too long is ended by the database, and the unit is unavailable', async () => {
    const { driver, heard } = await serve();
    const slow = driver.read((session) => session.allRaw('select pg_sleep(30)'));
    await assert.rejects(slow, (error) => error instanceof StoreUnavailable && !error.isOutage);
    assert.deepEqual(heard, []);
  });

  test('that is left idle in a transaction holds no lock for long', async () => {
    const { rows } = await administrator.query('show idle_in_transaction_session_timeout');
    assert.equal(rows[0].idle_in_transaction_session_timeout, '0');
    const { driver } = await serve();
    const [shown] = await driver.read((session) => session.allRaw('show idle_in_transaction_session_timeout'));
    assert.equal(shown!.idle_in_transaction_session_timeout, '5s');
  });

  test('of a command has no limit for its statements', async () => {
    const command = openPostgres({ url: place.databaseUrl, connectionsMax: 1, timeouts: TIMEOUTS });
    running.push({ driver: command, release: async () => {}, heard: [], until: async () => {} });
    const [shown] = await command.read((session) => session.allRaw('show statement_timeout'));
    assert.equal(shown!.statement_timeout, '0');
  });
});
