import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { migrations } from '../../src/storage/migrations/all-migrations.ts';
import { schema } from '../../src/storage/migrations/schema.ts';
import { programVersion } from '../../src/version.ts';
import { onPlace, openPlace, type Place } from '../rig/databases.ts';
import { untilReady } from '../rig/patience.ts';
import { openReleasedTables, runOn } from '../rig/releases.ts';
import { ANY_PORTS, barker, flagsOf, MASTER_KEY, startServe } from './program.ts';

let place: Place;
const command = (...args: string[]) => barker([...args, ...flagsOf(place)], { env: { BARKER_MASTER_KEY: MASTER_KEY } });

test('a database of a development version before the schema is refused, and taken as it is from there on', async () => {
  const old = await openReleasedTables();
  const list = (...names: string[]) =>
    runOn(
      old,
      names.map((name) => `insert into schema_steps (name, applied_at) values ('${name}', '')`),
    );
  const migrateIt = (...args: string[]) => barker(['migrate', ...args, ...flagsOf(old)]);
  assert.equal((await migrateIt('--dry-run')).stdout, `would apply ${schema.name}\n`);
  await list('0020-server-claim', '0033-webhook-leases');
  for (const args of [[], ['--dry-run']]) {
    const { code, stderr } = await migrateIt(...args);
    assert.equal(code, 1);
    assert.match(stderr, /^barker: the database is of a development version .* last migration is 0033-webhook-leases/);
  }
  await list(schema.name);
  assert.equal((await migrateIt('--dry-run')).stdout, 'the schema is up to date\n');
  await old.remove();
});

describe('migrate', () => {
  before(async () => {
    place = await openPlace();
  });
  after(() => place.remove());

  const told = async (...args: string[]) => {
    const { code, stdout, stderr } = await barker(['migrate', ...args, ...flagsOf(place)]);
    assert.equal(code, 0, stderr);
    return stdout;
  };

  test('lists and applies migrations, and then has nothing to do', async () => {
    const listed = await told('--dry-run');
    assert.equal(listed, migrations.map(({ name }) => `would apply ${name}\n`).join(''));
    assert.equal(await told('--dry-run'), listed);
    assert.equal(await told(), listed.replaceAll('would apply', 'applied'));
    assert.equal(await told(), 'the schema is up to date\n');
    assert.equal(await told('--dry-run'), 'the schema is up to date\n');
  });

  const change = (sql: string) => onPlace(place, (driver) => driver.write((session) => session.runRaw(sql)));
  const LAST = migrations.at(-1)!.name;

  test('accepts a schema of a newer version that works with this one', async () => {
    await change("insert into schema_steps (name, applied_at) values ('9998-future', '')");
    for (const args of [[], ['--dry-run']]) {
      assert.equal(await told(...args), 'the schema is of a newer version, and works with this one: 9998-future\n');
    }
    const service = await startServe(place);
    await untilReady(service.operationsUrl);
    service.child.kill('SIGTERM');
    assert.equal((await service.ended).code, 0);
    await change(`update schema_steps set servers_from = '${LAST}' where name = '9998-future'`);
    assert.match(await told(), /, and works with this one: /);
  });

  test('refuses a schema of a newer version that does not', async () => {
    await change("insert into schema_steps (name, applied_at, servers_from) values ('9999-future', '', '9998-future')");
    for (const args of [['migrate'], ['migrate', '--dry-run'], ['serve', ...ANY_PORTS], ['user', 'list']]) {
      const { code, stderr } = await command(...args);
      const message = `the database has migrations that only newer versions can work with: 9999-future; this one, ${programVersion}, knows migrations up to ${LAST}`;
      assert.equal(stderr, `barker: ${message}\n`);
      assert.equal(code, 1);
    }
  });
});
