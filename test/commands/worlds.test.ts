// On either database: what a world has is tested on both in developer-worlds.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { openPlace, type Place } from '../rig/databases.ts';
import { ANY_PORTS, barker, flagsOf, type Started, started } from './program.ts';

let place: Place;
let home: string;
let running: Started[] = [];
beforeEach(async () => {
  place = await openPlace(undefined, { hasSchema: true });
  home = mkdtempSync(join(tmpdir(), 'barker-world-'));
});
afterEach(async () => {
  for (const one of running) {
    one.child.kill('SIGKILL');
    await one.ended;
  }
  running = [];
  rmSync(home, { recursive: true });
  await place.remove();
});

const keys = (): Record<string, string> => JSON.parse(readFileSync(join(place.folder, 'dev.json'), 'utf8'));
const worldFile = (): string => join(home, 'world.yaml');

async function dev(...flags: string[]): Promise<Started> {
  const one = started(['dev', ...flagsOf(place), ...ANY_PORTS, '--world', worldFile(), ...flags]);
  running.push(one);
  await one.saw(/Try it:\n.*\n/);
  return one;
}

async function stop(one: Started): Promise<void> {
  one.child.kill('SIGTERM');
  assert.equal((await one.ended).code, 0);
}

const refused = (...flags: string[]) =>
  barker(['dev', ...flagsOf(place), ...ANY_PORTS, '--world', worldFile(), ...flags]);

describe('barker world init', () => {
  test('writes a file that names its schema, and replaces none', async () => {
    assert.equal((await barker(['world', 'init', worldFile()])).code, 0);
    const [, path] = /^# yaml-language-server: \$schema=(.*)\n/.exec(readFileSync(worldFile(), 'utf8'))!;
    const schema = readFileSync(resolve(dirname(worldFile()), path!), 'utf8');
    assert.equal((await barker(['world', 'schema'])).stdout, schema);
    const again = await barker(['world', 'init', worldFile()]);
    assert.deepEqual([again.code, again.stderr], [1, `barker: ${worldFile()} already exists\n`]);
  });
});

describe('barker dev --world', () => {
  test('begins with the world, and goes on with it', async () => {
    await barker(['world', 'init', worldFile()]);
    await stop(await dev());
    const first = keys();
    assert.equal(first.world, worldFile());
    const one = await dev();
    const { base_url, ads_url, sandbox_url, ...lasting } = keys();
    for (const [name, value] of Object.entries(lasting)) assert.equal(value, first[name], name);
    const call = (...args: string[]) => barker(['call', 'GET', '/12/accounts', '--data', place.folder, ...args]);
    assert.equal(JSON.parse((await call()).stdout).data[0].name, 'Corner Bakery');
    assert.equal((await call('--app', 'reports', '--as', 'ben')).code, 0);
    for (const [args, message] of [
      [['--app', 'shop'], 'dev.json has no application shop; it has demo, planner, reports, inbox'],
      [['--as', 'eve'], 'dev.json has no user eve; it has first, ada, other, ben'],
      [
        ['--app', 'reports', '--as', 'ada'],
        `dev.json has no token of the user ada for this application; this issues one: barker token create --app ${first.reports_consumer_key} --user ada`,
      ],
    ] as const) {
      const { code, stderr } = await call(...args);
      assert.deepEqual([code, stderr], [1, `barker: ${message}\n`]);
    }
    await stop(one);
    writeFileSync(worldFile(), readFileSync(worldFile(), 'utf8').replace('Corner Bakery', 'Quay Bakery'));
    const other = await refused();
    assert.equal(other.code, 1);
    assert.equal(
      other.stderr,
      `barker: ${place.folder} has a world that began with another text than ${worldFile()}; give another folder with --data, or leave --world out\n`,
    );
    await dev('--reset');
    assert.equal(JSON.parse((await call()).stdout).data[0].name, 'Quay Bakery');
  });

  test('leaves nothing when something of it is refused', async () => {
    const text = `
users: { ada: }
applications: { planner: { consumer_key: my-key, consumer_secret: my-secret } }
accounts:
  bakery:
    users: { ada: ACCOUNT_ADMIN }
    funding:
      card: { type: CREDIT_CARD, currency: USD }
    campaigns:
      spring:
        name: Spring
        funding: card
        daily_budget_amount_local_micro: 20000001
`;
    writeFileSync(worldFile(), text);
    const { code, stderr } = await refused();
    assert.equal(code, 2);
    assert.equal(
      stderr,
      `barker: ${worldFile()}:13: accounts.bakery.campaigns.spring.daily_budget_amount_local_micro: Expected a multiple of 10000 USD micros, got 20000001 for daily_budget_amount_local_micro\n`,
    );
    assert.equal(existsSync(join(place.folder, 'dev.json')), false);
    writeFileSync(worldFile(), text.replace('20000001', '20000000'));
    await dev();
    const { consumer_key, planner_consumer_secret } = keys();
    assert.deepEqual([consumer_key, planner_consumer_secret], ['my-key', 'my-secret']);
    const { stdout } = await barker([
      'call',
      'GET',
      `/12/accounts/${keys()['accounts.bakery']}/campaigns`,
      '--data',
      place.folder,
    ]);
    assert.equal(JSON.parse(stdout).data[0].name, 'Spring');
  });

  test('deletes nothing for a file that is wrong, and takes no second beginning', async () => {
    await barker(['world', 'init', worldFile()]);
    await stop(await dev());
    writeFileSync(worldFile(), 'users: {}\n');
    assert.equal((await refused('--reset')).code, 2);
    assert.ok(existsSync(join(place.folder, 'dev.json')));
    const both = await refused('--restore', 'all.tar');
    assert.deepEqual([both.code, both.stderr], [2, 'barker: give either --world or --restore\n']);
    rmSync(worldFile());
    const none = await refused();
    assert.deepEqual(
      [none.code, none.stderr],
      [2, `barker: ${worldFile()} does not exist; barker world init writes one\n`],
    );
  });

  test('starts the clock where the world says', async () => {
    await barker(['world', 'init', worldFile()]);
    const text = readFileSync(worldFile(), 'utf8').replace('# clock: 2026', 'clock: 2031');
    writeFileSync(worldFile(), text);
    await dev('--frozen');
    const shown = await barker(['dev', 'clock', 'now', '--data', place.folder]);
    assert.match(shown.stdout, /2031-03-02T09:00:00/);
  });
});

describe('barker world export', () => {
  test('writes a file with which another server begins', async () => {
    await barker(['world', 'init', worldFile()]);
    await stop(await dev());
    await dev();
    const exported = join(home, 'exported.yaml');
    const written = await barker(['world', 'export', exported, '--data', place.folder]);
    assert.deepEqual([written.code, written.stderr], [0, '']);
    assert.match(readFileSync(exported, 'utf8'), /^# yaml-language-server: \$schema=.*\n\nclock: /);
    const again = await barker(['world', 'export', exported, '--data', place.folder]);
    assert.deepEqual([again.code, again.stderr], [1, `barker: ${exported} already exists\n`]);
    const other = await openPlace(undefined, { hasSchema: true });
    try {
      const one = started(['dev', ...flagsOf(other), ...ANY_PORTS, '--world', exported, '--frozen']);
      running.push(one);
      await one.saw(/Try it:\n.*\n/);
      const second = join(home, 'second.yaml');
      await barker(['world', 'export', second, '--data', other.folder]);
      assert.equal(readFileSync(second, 'utf8'), readFileSync(exported, 'utf8'));
      await stop(one);
    } finally {
      await other.remove();
    }
  });
});

describe('the demo world', () => {
  test('has an account with campaigns, line items, posts and an audience', async () => {
    const one = started(['dev', ...flagsOf(place), ...ANY_PORTS]);
    running.push(one);
    await one.saw(/Try it:\n.*\n/);
    const accounts = await barker(['call', 'GET', '/12/accounts', '--data', place.folder]);
    const [account] = JSON.parse(accounts.stdout).data as { id: string }[];
    const listOf = async (path: string) => {
      const { stdout } = await barker(['call', 'GET', `/12/accounts/${account!.id}/${path}`, '--data', place.folder]);
      return JSON.parse(stdout).data as Record<string, unknown>[];
    };
    const campaigns = await listOf('campaigns?with_draft=true&sort_by=name-asc');
    assert.deepEqual(
      campaigns.map(({ name, entity_status, servable }) => [name, entity_status, servable]),
      [
        ['Bread for beginners', 'DRAFT', false],
        ['Cakes to order', 'ACTIVE', true],
        ['From the oven', 'ACTIVE', true],
        ['In front of cheerful videos', 'ACTIVE', true],
        ['More regulars', 'PAUSED', false],
        ['Mornings in the neighbourhood', 'ACTIVE', true],
        ['Opening week', 'ACTIVE', true],
        ['The app', 'ACTIVE', true],
      ],
    );
    const lines = await listOf('line_items');
    assert.deepEqual([...new Set(lines.map(({ objective }) => objective))].sort(), [
      'APP_INSTALLS',
      'ENGAGEMENTS',
      'FOLLOWERS',
      'PREROLL_VIEWS',
      'REACH',
      'VIDEO_VIEWS',
      'WEBSITE_CLICKS',
    ]);
    const counts = await Promise.all(
      ['promoted_posts', 'scheduled_posts', 'draft_posts', 'cards/poll', 'custom_audiences'].map(
        async (path) => (await listOf(path)).length,
      ),
    );
    assert.deepEqual(counts, [9, 1, 1, 4, 3]);
  });
});
