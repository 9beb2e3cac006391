import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import pg from 'pg';
import { StoreUnavailable } from '../../src/contract/problems/store-unavailable.ts';
import type { Driver } from '../../src/storage/core/driver.ts';
import { openPostgres } from '../../src/storage/core/postgres.ts';
import { Line } from '../../src/storage/core/postgres-line.ts';
import { knownStatements, type Message } from '../../src/storage/core/postgres-statements.ts';
import { Transaction } from '../../src/storage/core/postgres-transaction.ts';
import type { ReleaseLock } from '../../src/storage/core/server-lock.ts';
import type { Session } from '../../src/storage/core/session.ts';
import { UnitRestarted } from '../../src/storage/core/unit-restarted.ts';
import { openPlace, type Place } from '../rig/databases.ts';
import { inTime } from '../rig/patience.ts';

const TIMEOUTS = { connect_ms: 2000, statement_ms: 5000, idle_transaction_ms: 5000, silence_ms: 2000 };

let place: Place;
let driver: Driver;
let release: ReleaseLock;
let administrator: pg.Client;
const unhandled: unknown[] = [];
const note = (error: unknown): void => void unhandled.push(error);

before(async () => {
  process.on('unhandledRejection', note);
  place = await openPlace('postgres', { hasSchema: true });
  administrator = new pg.Client({ connectionString: place.databaseUrl });
  await administrator.connect();
  await administrator.query('create table kept (name text)');
  driver = openPostgres({ url: place.databaseUrl, connectionsMax: 3, timeouts: TIMEOUTS });
  release = await driver.acquireServerLock({ isShared: false });
});
after(async () => {
  await driver.close();
  await release();
  await administrator.end();
  await place.remove();
  process.off('unhandledRejection', note);
  assert.deepEqual(unhandled, []);
});
beforeEach(async () => {
  await administrator.query('delete from kept');
});

/** A new text each time, which the driver has not seen yet. */
let texts = 0;
const fresh = (sql: string): string => `${sql} /* ${++texts} */`;

const ask = <Row = Record<string, unknown>>(session: Session, sql: string, values: (string | number)[] = []) =>
  session.allRaw<Row>(sql, values);
const store = (name: string) => administrator.query('insert into kept values ($1)', [name]);
/** The connection that answers a read of one statement. */
const sharedBackend = async (): Promise<number> => {
  const [row] = await driver.read((session) => ask<{ pid: number }>(session, 'select pg_backend_pid() as pid'));
  return row!.pid;
};
const isUnavailable = (error: unknown): boolean => error instanceof StoreUnavailable;

describe('a unit that asks a second statement', () => {
  test('is started again and sees one snapshot, whatever is committed in between', async () => {
    const count = fresh('select count(*)::int as count from kept');
    let runs = 0;
    const work = async (session: Session): Promise<number[]> => {
      runs += 1;
      const [one] = await ask<{ count: number }>(session, count);
      await store('in between');
      const [other] = await ask<{ count: number }>(session, 'select count(*)::int as count from kept');
      return [one!.count, other!.count];
    };
    const [one, other] = await driver.read(work);
    assert.equal(one, other);
    assert.equal(runs, 2);
    // The next one begins in a transaction.
    const [next, last] = await driver.read(work);
    assert.equal(next, last);
    assert.equal(next, one! + 1);
    assert.equal(runs, 3);
  });

  test('begins on a shared connection again once units like it have one statement', async () => {
    const first = fresh('select pg_backend_pid() as pid');
    await driver.read(async (session) => {
      await ask(session, first);
      await ask(session, 'select 1');
    });
    const shared = await sharedBackend();
    const pids: unknown[] = [];
    do pids.push((await driver.read((session) => ask(session, first)))[0]!.pid);
    while (pids.at(-1) !== shared && pids.length < 100);
    assert.notEqual(pids[0], shared);
    assert.equal(pids.at(-1), shared);
  });

  test('has no result of the first run, even if it swallows all errors or does not wait', async () => {
    const first = fresh('select 1 as one');
    const ends: string[] = [];
    let runs = 0;
    const value = await driver.read(async (session) => {
      const run = ++runs;
      await ask(session, first);
      const second = ask(session, 'select 2 as two').catch(() => 'swallowed');
      const found = run === 1 ? await Promise.race([second, Promise.resolve('not waited for')]) : await second;
      ends.push(`${run} ${JSON.stringify(found)}`);
      return run;
    });
    assert.equal(value, 2);
    assert.deepEqual(ends.sort(), ['1 "not waited for"', '2 [{"two":2}]']);
  });

  test('is rejected in the first run, whose `finally` blocks run', async () => {
    const first = fresh('select 1 as one');
    let left: Session | undefined;
    const ends: number[] = [];
    let runs = 0;
    await driver.read(async (session) => {
      const run = ++runs;
      left ??= session;
      try {
        await ask(session, first);
        await ask(session, 'select 2');
      } finally {
        ends.push(run);
      }
    });
    await assert.rejects(ask(left!, 'select 3'), UnitRestarted);
    assert.deepEqual(ends, [1, 2]);
  });

  test('at once with the first begins in a transaction, and runs once', async () => {
    let runs = 0;
    const found = await driver.read((session) => {
      runs += 1;
      const now = 'select pg_backend_pid() as pid, transaction_timestamp()::text as began';
      return Promise.all([ask(session, fresh(now)), ask(session, fresh(now)), ask(session, fresh(now))]);
    });
    assert.deepEqual(found[1], found[0]);
    assert.deepEqual(found[2], found[0]);
    assert.equal(runs, 1);
  });
});

describe('a statement on a shared connection', () => {
  test('that fails does not disturb others', async () => {
    const shared = await sharedBackend();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 30 }, (_, number) =>
        driver.read((session) => ask(session, number % 3 === 0 ? 'select nothing' : 'select $1::int as n', [number])),
      ),
    );
    for (const [number, outcome] of outcomes.entries()) {
      if (number % 3 === 0) assert.equal(outcome.status, 'rejected');
      else assert.deepEqual(outcome, { status: 'fulfilled', value: [{ n: number }] });
    }
    assert.equal(await sharedBackend(), shared);
  });

  test('that fails says where it was asked', async () => {
    const asking = async () => {
      await driver.read((session) => ask(session, 'select nothing'));
    };
    await assert.rejects(
      asking(),
      (error: Error) => /column "nothing"/.test(error.message) && /asking/.test(error.stack!),
    );
  });

  test('that failed while it was prepared, or whose columns have changed, is prepared again', async () => {
    const sql = 'select name from later';
    const read = () => driver.read((session) => ask(session, sql));
    await assert.rejects(read(), /relation "later" does not exist/);
    await administrator.query("create table later as select 'there' as name");
    assert.deepEqual(await read(), [{ name: 'there' }]);
    await administrator.query('alter table later alter column name type int using 7');
    assert.deepEqual(await read(), [{ name: 7 }]);
  });

  test('cannot write', async () => {
    const sql = "with made as (insert into kept values ('read') returning name) select name from made";
    await assert.rejects(driver.read((session) => ask(session, sql)));
    assert.equal((await administrator.query('select from kept')).rowCount, 0);
  });

  test('binds and returns all kinds of values', async () => {
    const sql = `select $1::text as text, $2::bigint as number, $3::text as nothing, $4::bytea as bytes,
      array_to_json($5::text[])::text as list`;
    const values = ['"\\é', 2 ** 53 - 1, null, new Uint8Array([0, 255]), ['a"\\', ',{}', '']];
    const [row] = await driver.read((session) => session.allRaw(sql, values as never));
    assert.deepEqual(
      { ...row, bytes: [...(row!.bytes as Uint8Array)] },
      { text: '"\\é', number: 2 ** 53 - 1, nothing: null, bytes: [0, 255], list: '["a\\"\\\\",",{}",""]' },
    );
  });

  test('with many rows runs in a transaction from the second time on', async () => {
    const shared = await sharedBackend();
    const sql = fresh('select pg_backend_pid() as pid from generate_series(1, 300)');
    const pids = [];
    for (let times = 0; times < 2; times++) pids.push((await driver.read((session) => ask(session, sql)))[0]!.pid);
    assert.equal(pids[0], shared);
    assert.notEqual(pids[1], shared);
  });

  test('that is slow holds up nobody for long', async () => {
    await administrator.query('select pg_advisory_lock(7)');
    const slow = driver.read((session) => ask(session, fresh('select pg_advisory_xact_lock_shared(7)::text as got')));
    const fast = Array.from({ length: 20 }, (_, number) =>
      driver.read((session) => ask(session, 'select $1::int as n', [number])),
    );
    assert.deepEqual(
      (await Promise.all(fast)).map(([row]) => row!.n),
      Array.from({ length: 20 }, (_, number) => number),
    );
    await administrator.query('select pg_advisory_unlock(7)');
    assert.deepEqual(await slow, [{ got: '' }]);
  });

  test('that is ended by the statement timeout makes its unit unavailable, and nobody else', async () => {
    const slow = driver.read((session) => ask(session, fresh('select pg_sleep(60)')));
    const fast = driver.read((session) => ask(session, 'select 1 as one'));
    await assert.rejects(slow, (error) => error instanceof StoreUnavailable && !error.isOutage);
    assert.deepEqual(await fast, [{ one: 1 }]);
  });
});

test('a transaction that does not begin runs none of its statements', async () => {
  const client = new pg.Client({ connectionString: place.databaseUrl, pipeline: true } as pg.ClientConfig);
  await client.connect();
  const line = new Line(client, () => 0);
  const known = knownStatements();
  const insert = (name: string): Message => {
    const text = 'insert into kept values ($1)';
    return { known: known.get(text), text, values: [name], wantsRows: false, begin: undefined };
  };
  const failed = new Transaction('begin isolation level wrong', async () => line);
  const outcomes = await Promise.allSettled([failed.ask(insert('first')), failed.ask(insert('at once'))]);
  outcomes.push(...(await Promise.allSettled([failed.ask(insert('later'))])));
  for (const outcome of outcomes) assert.equal(outcome.status, 'rejected');
  assert.equal((await administrator.query('select from kept')).rowCount, 0);
  const begun = new Transaction('begin', async () => line);
  assert.deepEqual(await Promise.all([begun.ask(insert('one')), begun.ask(insert('two'))]), [1, 1]);
  assert.equal((await administrator.query('select from kept')).rowCount, 0);
  begun.end();
  await assert.rejects(begun.ask(insert('late')), /the unit of work has ended/);
  assert.equal(await line.command('commit'), 'COMMIT');
  assert.equal((await administrator.query('select from kept')).rowCount, 2);
  await client.end();
});

test('killed shared connections under load: reads are right or unavailable, and never hang', async () => {
  let isOn = true;
  let right = 0;
  let unavailable = 0;
  const wrong: string[] = [];
  const readers = Array.from({ length: 16 }, async (_, reader) => {
    for (let turn = 0; isOn; turn++) {
      const n = reader * 1_000_000 + turn;
      await driver
        .read((session) => ask<{ n: number }>(session, 'select $1::int as n', [n]))
        .then(
          ([row]) => {
            if (row!.n === n) right += 1;
            else wrong.push(`${row!.n} instead of ${n}`);
          },
          (error) => {
            if (isUnavailable(error)) unavailable += 1;
            else wrong.push(String(error));
          },
        );
    }
  });
  for (let kills = 0; kills < 10; kills++) {
    const pid = await sharedBackend().catch(() => undefined);
    if (pid === undefined) continue;
    await administrator.query('select pg_terminate_backend($1, 5000)', [pid]);
  }
  isOn = false;
  await inTime(Promise.all(readers));
  assert.deepEqual(wrong, []);
  assert.ok(unavailable > 0, 'statements were under way');
  assert.ok(right > unavailable);
  await sharedBackend();
});

test('reads on shared connections are refused when the server lock is lost', async () => {
  const heard: string[] = [];
  const regained = new Promise<void>((resolve) => {
    driver.onOutage({
      began: () => void heard.push('began'),
      ended: () => {
        heard.push('ended');
        resolve();
      },
    });
  });
  const before = await sharedBackend();
  const slow = driver.read((session) => ask(session, fresh('select pg_sleep(4)')));
  const refused = assert.rejects(slow, (error) => error instanceof StoreUnavailable && error.isOutage);
  await administrator.query(
    `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and mode = 'ExclusiveLock'
       and database = (select oid from pg_database where datname = current_database())`,
  );
  await refused;
  await inTime(regained);
  assert.notEqual(await sharedBackend(), before);
  assert.deepEqual(heard, ['began', 'ended']);
});
