import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { StoreUnavailable } from '../../src/contract/problems/store-unavailable.ts';
import type { Driver } from '../../src/storage/core/driver.ts';
import { openPostgres } from '../../src/storage/core/postgres.ts';
import type { Session } from '../../src/storage/core/session.ts';
import { openPlace, type Place } from '../rig/databases.ts';

let place: Place;
let driver: Driver;
let administrator: pg.Client;

before(async () => {
  place = await openPlace('postgres', { hasSchema: true });
  driver = openPostgres({ url: place.databaseUrl, connectionsMax: 2 });
  administrator = new pg.Client({ connectionString: place.databaseUrl });
  await administrator.connect();
  await driver.write((session) => run(session, 'create table kept (name text)'));
});
after(async () => {
  await driver.close();
  await administrator.end();
  await place.remove();
});

const run = (session: Session, sql: string) => session.runRaw(sql);
const ask = (session: Session, sql: string) => session.allRaw(sql);

/** Ends the connection of a unit, as a server that stops does; resolves when it is gone. */
async function cut(session: Session): Promise<void> {
  const [backend] = await ask(session, 'select pg_backend_pid() as pid');
  await administrator.query('select pg_terminate_backend($1, 5000)', [backend!.pid]);
  // Its last words have arrived once another has been answered after them.
  await new Promise((resolve) => setTimeout(resolve, 50));
}

async function names(): Promise<string[]> {
  return (await administrator.query('select name from kept order by name')).rows.map(({ name }) => name);
}

const isUnavailable = (error: unknown): boolean => {
  assert.ok(error instanceof StoreUnavailable, String(error));
  assert.equal(error.retryAfter_s, 1);
  return !error.isOutcomeUnknown;
};

describe('a connection that ends', () => {
  for (const kind of ['read', 'write'] as const) {
    test(`before the first statement of a ${kind} and in the middle of it makes the unit unavailable`, async () => {
      const unit = driver[kind](async (session) => {
        await cut(session);
        return ask(session, 'select 1');
      });
      await assert.rejects(unit, isUnavailable);
      assert.deepEqual(await driver[kind]((session) => ask(session, 'select 1 as one')), [{ one: 1 }]);
    });

    test(`while a ${kind} is idle makes the unit unavailable`, async () => {
      const unit = driver[kind](async (session) => {
        await cut(session);
        throw new Error('Client has encountered a connection error and is not queryable');
      });
      await assert.rejects(unit, isUnavailable);
    });
  }

  test('does not hide an earlier error of the unit', async () => {
    const unit = driver.read(async (session) => {
      await ask(session, 'select 1');
      throw new TypeError('a mistake of ours');
    });
    await assert.rejects(unit, TypeError);
  });

  test('before the commit leaves nothing behind', async () => {
    const unit = driver.write(async (session) => {
      await run(session, "insert into kept values ('before the commit')");
      await cut(session);
    });
    await assert.rejects(unit, isUnavailable);
    assert.deepEqual(await names(), []);
  });
});

describe('a temporary refusal by the server', () => {
  test('is a statement that takes too long', async () => {
    const unit = driver.read(async (session) => {
      await run(session, 'set local statement_timeout = 20');
      await ask(session, 'select pg_sleep(10)');
    });
    await assert.rejects(unit, isUnavailable);
  });

  test('is not an invalid statement', async () => {
    await assert.rejects(
      driver.read((session) => ask(session, 'select nothing')),
      (error) => !(error instanceof StoreUnavailable),
    );
  });
});

test('a unit that continues after a failed statement is not acknowledged', async () => {
  const unit = driver.write(async (session) => {
    await run(session, "insert into kept values ('by halves')");
    await ask(session, 'select nothing').catch(() => {});
  });
  await assert.rejects(unit, /rolled back because a statement failed/);
  assert.deepEqual(await names(), []);
});
