import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { StoreUnavailable } from '../../src/contract/problems/store-unavailable.ts';
import { ConstraintViolated } from '../../src/contract/store/errors.ts';
import { insertDynamicRows } from '../../src/storage/core/bulk-insert.ts';
import type { Driver } from '../../src/storage/core/driver.ts';
import { dynamic, returning } from '../../src/storage/core/dynamic-tables.ts';
import { openPostgres } from '../../src/storage/core/postgres.ts';
import type { Session } from '../../src/storage/core/session.ts';
import { updateDynamicRows } from '../../src/storage/core/table-rows.ts';
import { openPlace, type Place } from '../rig/databases.ts';

let place: Place;
let driver: Driver;
let administrator: pg.Client;
/** The statements of units of work; those of a batch that insert are named by their table. */
let statements: string[] = [];

before(async () => {
  place = await openPlace('postgres', { hasSchema: true });
  driver = openPostgres({
    url: place.databaseUrl,
    connectionsMax: 10,
    probe: (text) => void statements.push(text.replaceAll('"', '')),
  });
  administrator = new pg.Client({ connectionString: place.databaseUrl });
  await administrator.connect();
  await administrator.query(`
    create table kept (name text primary key, place integer not null);
    create table beside (name text);
    create function cut() returns trigger language plpgsql as
      $$ begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$;
    create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'refused at the commit'; end $$;`);
});
after(async () => {
  await driver.close();
  await administrator.end();
  await place.remove();
});
beforeEach(async () => {
  await administrator.query('truncate kept, beside');
  statements = [];
});

let kinds = 0;
/** Units of a kind of their own, which go into one batch. */
function together<T>(...units: readonly ((session: Session) => Promise<T>)[]): Promise<PromiseSettledResult<T>[]> {
  const kind = `kind ${++kinds}`;
  return Promise.allSettled(units.map((unit) => driver.writeTogether!(kind, unit)));
}

const insert = (session: Session, name: string, at = 0) =>
  insertDynamicRows(session, 'kept', [{ name, place: at }], { columns: ['name', 'place'] });
const insertBeside = (session: Session, name: string) =>
  insertDynamicRows(session, 'beside', [{ name }], { columns: ['name'] });
const find = (session: Session, name: string) =>
  session.first('test find', { name }, (db, param) =>
    returning<{ name: string; place: number }>(
      dynamic(db).selectFrom('kept').select(['name', 'place']).where('name', '=', param('name')),
    ),
  );
const keep = (name: string) => async (session: Session) => {
  await find(session, 'nothing');
  await insert(session, name);
  await insertBeside(session, `${name} too`);
  return name;
};

async function stored(): Promise<{ name: string; unit: string }[]> {
  return (await administrator.query('select name, xmin::text as unit from kept order by name')).rows;
}
const names = async (): Promise<string[]> => (await stored()).map(({ name }) => name);
const transactions = async (): Promise<number> => new Set((await stored()).map(({ unit }) => unit)).size;

const fulfilled = <T>(value: T) => ({ status: 'fulfilled', value });

describe('units of work that wait at the same time', () => {
  test('are committed together', async () => {
    const done = await together(keep('a'), keep('b'), keep('c'));
    assert.deepEqual(done, [fulfilled('a'), fulfilled('b'), fulfilled('c')]);
    assert.deepEqual(await names(), ['a', 'b', 'c']);
    assert.equal(await transactions(), 1);
    const { rows } = await administrator.query('select name from beside order by name');
    assert.deepEqual(
      rows.map(({ name }) => name),
      ['a too', 'b too', 'c too'],
    );
  });

  test('share the answer to the same query, each with rows of its own', async () => {
    await insertAsAdministrator('known', 7);
    const asked = async (session: Session) => {
      const row = await find(session, 'known');
      await insert(session, `of ${++kinds}`);
      return row;
    };
    const done = await together(asked, asked);
    assert.deepEqual(done, [fulfilled({ name: 'known', place: 7 }), fulfilled({ name: 'known', place: 7 })]);
    assert.equal(await transactions(), 2, 'the known row, and both units');
  });

  test('are more than one batch can hold', async () => {
    const many = Array.from({ length: 230 }, (_, index) => keep(`n${String(index).padStart(3, '0')}`));
    const done = await together(...many);
    assert.ok(done.every(({ status }) => status === 'fulfilled'));
    assert.equal((await names()).length, 230);
    assert.equal(await transactions(), 3);
  });

  test('need nothing of the database if they only return', async () => {
    assert.deepEqual(await together(async () => 1), [fulfilled(1)]);
    assert.deepEqual(statements, []);
  });

  test('leave no transaction open if they only read', async () => {
    await together((session) => find(session, 'nothing'));
    const { rows } = await administrator.query(
      "select query from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'",
    );
    assert.deepEqual(rows, []);
  });

  test('may insert without having read', async () => {
    await together((session) => insert(session, 'unread'));
    assert.deepEqual(await names(), ['unread']);
  });
});

describe('a unit that fails', () => {
  test('by itself stores nothing; the others are stored', async () => {
    const [a, b, c] = await together(
      keep('a'),
      async (session) => {
        await insert(session, 'b');
        throw new TypeError('a mistake of ours');
      },
      keep('c'),
    );
    assert.deepEqual([a, c], [fulfilled('a'), fulfilled('c')]);
    assert.ok(b?.status === 'rejected' && b.reason instanceof TypeError);
    assert.deepEqual(await names(), ['a', 'c']);
    assert.equal(await transactions(), 1);
  });

  test('in the database is told its own error; each of the others is stored by itself', async () => {
    await insertAsAdministrator('taken');
    const [a, taken, c] = await together(keep('a'), keep('taken'), keep('c'));
    assert.deepEqual([a, c], [fulfilled('a'), fulfilled('c')]);
    assert.ok(taken?.status === 'rejected' && taken.reason instanceof ConstraintViolated, String(taken));
    assert.deepEqual(await names(), ['a', 'c', 'taken']);
    assert.equal(await transactions(), 3);
    const { rows } = await administrator.query('select name from beside order by name');
    assert.deepEqual(
      rows.map(({ name }) => name),
      ['a too', 'c too'],
    );
  });

  test('in a query is told its own error; each of the others is stored by itself', async () => {
    const [a, wrong] = await together(keep('a'), (session) =>
      session.first('test wrong', {}, (db) => returning(dynamic(db).selectFrom('nowhere').select('nothing'))),
    );
    assert.deepEqual(a, fulfilled('a'));
    assert.ok(wrong?.status === 'rejected' && /nowhere/.test(String(wrong.reason)), String(wrong));
    assert.deepEqual(await names(), ['a']);
  });

  test('and hides that a query has failed is not acknowledged, nor are its rows stored', async () => {
    const [a, hidden] = await together(keep('a'), async (session) => {
      await session
        .first('test wrong', {}, (db) => returning(dynamic(db).selectFrom('nowhere').select('nothing')))
        .catch(() => {});
      await insert(session, 'hidden');
      return '';
    });
    assert.deepEqual(a, fulfilled('a'));
    assert.equal(hidden?.status, 'rejected');
    assert.deepEqual(await names(), ['a']);
  });

  test('at the commit is told so; each of the others is stored by itself', async () => {
    await administrator.query(`create constraint trigger refused after insert on kept
      deferrable initially deferred for each row when (new.place = 1) execute function refuse()`);
    const [a, refused] = await together(keep('a'), async (session) => {
      await insert(session, 'refused', 1);
      return '';
    });
    assert.deepEqual(a, fulfilled('a'));
    assert.ok(refused?.status === 'rejected' && /refused at the commit/.test(String(refused.reason)), String(refused));
    assert.deepEqual(await names(), ['a']);
    await administrator.query('drop trigger refused on kept');
  });
});

describe('a unit that does more than read and then insert starts again by itself', () => {
  const others: Readonly<Record<string, (session: Session) => Promise<unknown>>> = {
    'reads what it has inserted': async (session) => {
      await insert(session, 'own', 3);
      assert.deepEqual(await find(session, 'own'), { name: 'own', place: 3 });
    },
    updates: async (session) => {
      await find(session, 'nothing');
      await insert(session, 'own');
      await updateDynamicRows(session, 'kept', { place: 4 }, { name: 'own' });
      assert.deepEqual(await find(session, 'own'), { name: 'own', place: 4 });
    },
    'locks a row': async (session) => {
      await session.all('test lock', {}, (db) =>
        returning(dynamic(db).selectFrom('kept').select('name').where('place', '=', sql.lit(9)).forUpdate()),
      );
      await insert(session, 'own');
    },
    'runs SQL of its own': async (session) => {
      await session.allRaw('select 1');
      await session.runRaw("insert into kept values ('own', 0)");
    },
  };
  for (const [what, work] of Object.entries(others)) {
    test(what, async () => {
      let begun = 0;
      const [a] = await together(keep('a'), async (session) => {
        begun += 1;
        await work(session);
        return '';
      });
      assert.equal(a?.status, 'fulfilled');
      assert.deepEqual(await names(), ['a', 'own']);
      assert.equal(await transactions(), 2);
      assert.equal(begun, 2);
    });
  }

  test('and so do the next ones of its kind, from the beginning', async () => {
    let begun = 0;
    const own = (name: string) => async (session: Session) => {
      begun += 1;
      await insert(session, name);
      await updateDynamicRows(session, 'kept', { place: 4 }, { name });
    };
    for (let number = 0; number < 17; number++) await driver.writeTogether!('that update', own(`n${number}`));
    assert.equal(begun, 18, 'only the first one twice');
    await driver.writeTogether!('that update', own('later'));
    assert.equal(begun, 20, 'after so many, it is tried again');
    assert.equal((await names()).length, 18);
  });

  test('but only once, also when the others of its batch fail', async () => {
    await insertAsAdministrator('taken');
    let begun = 0;
    const [own, taken] = await together(async (session) => {
      begun += 1;
      await insert(session, 'own');
      await updateDynamicRows(session, 'kept', { place: 4 }, { name: 'own' });
      return '';
    }, keep('taken'));
    assert.deepEqual([own?.status, taken?.status, begun], ['fulfilled', 'rejected', 2]);
  });
});

test('who waits for a lock holds up nobody else', async () => {
  const holder = new pg.Client({ connectionString: place.databaseUrl });
  await holder.connect();
  await holder.query("begin; insert into kept values ('held', 0)");
  let isHeld = true;
  const kind = `kind ${++kinds}`;
  const held = driver.writeTogether!(kind, keep('held')).finally(() => {
    isHeld = false;
  });
  assert.equal(await driver.writeTogether!(kind, keep('free')), 'free');
  assert.equal(isHeld, true);
  await holder.query('rollback');
  await holder.end();
  assert.equal(await held, 'held');
  assert.deepEqual(await names(), ['free', 'held']);
});

describe('a connection that ends', () => {
  test('while units read lets each run by itself', async () => {
    let cuts = 1;
    const [cut, b] = await together(async (session) => {
      if (cuts-- > 0) {
        await session.all('test cut', {}, (db) =>
          db.selectNoFrom(sql<boolean>`pg_terminate_backend(pg_backend_pid())`.as('cut')),
        );
      }
      await insert(session, 'a');
      return 'a';
    }, keep('b'));
    assert.deepEqual([cut, b], [fulfilled('a'), fulfilled('b')]);
    assert.deepEqual(await names(), ['a', 'b']);
  });

  test('at the commit leaves the outcome of all units unknown', async () => {
    await administrator.query(`create constraint trigger cut after insert on kept
      deferrable initially deferred for each row when (new.place = 2) execute function cut()`);
    const done = await together(keep('a'), async (session) => {
      await insert(session, 'cut', 2);
      return 'cut';
    });
    for (const outcome of done) {
      assert.ok(outcome.status === 'rejected' && outcome.reason instanceof StoreUnavailable, String(outcome));
      assert.equal(outcome.reason.isOutcomeUnknown, true);
    }
    await administrator.query('drop trigger cut on kept');
  });
});

test('units that are under way end before the driver has closed', async () => {
  const own = openPostgres({ url: place.databaseUrl, connectionsMax: 2 });
  const unit = own.writeTogether!('closing', keep('closing'));
  await own.close();
  assert.equal(await unit, 'closing');
  assert.deepEqual(await names(), ['closing']);
});

test('what cannot be reached is unavailable', async () => {
  const own = openPostgres({ url: 'postgres://nobody:nothing@127.0.0.1:1/none', connectionsMax: 2 });
  await assert.rejects(own.writeTogether!('away', keep('away')), StoreUnavailable);
  await own.close();
});

async function insertAsAdministrator(name: string, at = 0): Promise<void> {
  await administrator.query('insert into kept values ($1, $2)', [name, at]);
}
