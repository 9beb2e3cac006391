// On either database: what is stored of the world tells what is in `dev.json`.
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { openPlace, type Place } from '../rig/databases.ts';
import { ANY_PORTS, barker, flagsOf, type Started, started, toldBy } from './program.ts';

let place: Place;
let running: Started[] = [];
beforeEach(async () => {
  place = await openPlace(undefined, { hasSchema: true });
});
afterEach(async () => {
  for (const one of running) {
    one.child.kill('SIGKILL');
    await one.ended;
  }
  running = [];
  await place.remove();
});

async function dev(...flags: string[]): Promise<Started & { file: Record<string, string> }> {
  const one = started(['dev', ...flagsOf(place), ...ANY_PORTS, ...flags]);
  running.push(one);
  await one.saw(/Try it:\n.*\n/);
  return { ...one, file: written() };
}

const written = (): Record<string, string> => JSON.parse(readFileSync(join(place.folder, 'dev.json'), 'utf8'));

async function stop(one: Started): Promise<void> {
  one.child.kill('SIGTERM');
  assert.equal((await one.ended).code, 0);
}

/** What does not tell where the service listens. */
function lasting({ base_url, ads_url, sandbox_url, ...keys }: Record<string, string>): Record<string, string> {
  return keys;
}

async function accountsOf(...more: string[]): Promise<{ id: string; name: string }[]> {
  const { stdout, stderr } = await barker(['call', 'GET', '/12/accounts', '--data', place.folder, ...more]);
  assert.equal(stderr, '');
  return JSON.parse(stdout).data;
}

/** Replaces the keys of two applications and a token, and revokes the tokens of a user; returns what the commands told. */
async function replaceKeys(file: Record<string, string>) {
  const keys = toldBy(await barker(['app', 'regenerate-keys', file.consumer_key!, ...flagsOf(place)]));
  const reader = toldBy(await barker(['app', 'regenerate-keys', file.reader_consumer_key!, ...flagsOf(place)]));
  const { user_id, ...token } = toldBy(await barker(['app', 'token', file.messages_consumer_key!, ...flagsOf(place)]));
  const all = { ...keys, ...prefixed('reader_', reader), ...prefixed('messages_', token) };
  assert.equal(Object.keys(all).length, 6);
  for (const [name, value] of Object.entries(all)) assert.notEqual(value, file[name], name);
  return all;
}

const prefixed = (prefix: string, members: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [`${prefix}${name}`, value]));

/** Resolves when `dev.json` has these members. */
async function rewritten(expected: Readonly<Record<string, string>>): Promise<void> {
  const isThere = () => Object.entries(expected).every(([name, value]) => written()[name] === value);
  while (!isThere()) await wait(10);
}

/** What a tool of the server answers. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into replies of every shape
async function tool({ base_url }: Record<string, string>, path: string): Promise<any> {
  return (await fetch(`${base_url}/_dev/${path}`)).json();
}

describe('dev.json', () => {
  test('follows what is replaced while the server runs, and while it does not', async () => {
    const first = await dev();
    const live = await replaceKeys(first.file);
    await rewritten(live);
    assert.deepEqual(lasting(written()), lasting({ ...first.file, ...live }));
    for (const app of ['demo', 'messages', 'reader']) assert.equal((await accountsOf('--app', app)).length, 1, app);
    await stop(first);
    const offline = await replaceKeys(written());
    const again = await dev();
    assert.deepEqual(lasting(again.file), lasting({ ...first.file, ...live, ...offline }));
    for (const app of ['demo', 'messages', 'reader']) assert.equal((await accountsOf('--app', app)).length, 1, app);
  });

  test('is written again when it is lost, damaged, of another release or of another database', async () => {
    const first = await dev('--seed', '7');
    await stop(first);
    const replaced = await replaceKeys(first.file);
    const expected = lasting({ ...first.file, ...replaced });
    const other = {
      ...first.file,
      consumer_key: 'other',
      access_token: '900000001-other',
      user_id: '9',
      password: 'x',
    };
    const foreign = Object.fromEntries(
      Object.entries(other).map(([name, value]) => [name, /(_key|_token)$/.test(name) ? 'other' : value]),
    );
    for (const content of [undefined, '{', '[]', '{"base_url":1,"consumer_key":2}', JSON.stringify(foreign)]) {
      const path = join(place.folder, 'dev.json');
      if (content === undefined) rmSync(path);
      else writeFileSync(path, content);
      if (content === '{') {
        const { code, stderr } = await barker(['call', 'GET', '/12/accounts', '--data', place.folder]);
        assert.deepEqual(
          [code, stderr.split('\n', 1)[0]],
          [1, `barker: ${path} does not have addresses and keys; start barker dev, which writes it again`],
        );
      }
      // Without snapshots, only the seed tells the passwords.
      const again = await dev('--seed', '7');
      assert.deepEqual(lasting(again.file), expected, content);
      assert.equal((await accountsOf()).length, 1);
      await stop(again);
    }
  });

  test('lacks what nobody can know, and the page at / says so', async () => {
    const first = await dev();
    const { file } = first;
    const revoked = await barker(['call', 'POST', '/1.1/oauth/invalidate_token', '--data', place.folder]);
    assert.equal(JSON.parse(revoked.stdout).access_token, file.access_token);
    // What is read for the file is not counted for the request that changed it.
    const { requests } = await tool(file, 'requests');
    const { id } = requests.find(({ operation }: { operation?: string }) => operation === 'oauth.invalidate_token');
    const { statements } = await tool(file, `requests/${id}`);
    assert.ok(statements.count > 0);
    assert.ok(!statements.first.some(({ statement }: { statement: string }) => statement === 'access_tokens of'));
    const input = 'another long password';
    assert.equal((await barker(['user', 'password', 'ben_demo', ...flagsOf(place)], { input })).code, 0);
    await stop(first);
    const again = await dev();
    const { access_token, access_token_secret, other_password, ...rest } = lasting(file);
    assert.deepEqual(lasting(again.file), rest);
    const create = `barker token create --app ${file.consumer_key} --user ada_demo`;
    const home = await (await fetch(again.file.base_url!, { headers: { accept: 'text/html' } })).text();
    assert.match(home, /The user has revoked the access token/);
    assert.match(home, /<h3>ben_demo<\/h3>[\s\S]*?Changed or revoked\./);
    const call = ['call', 'GET', '/12/accounts', '--data', place.folder];
    const refused = await barker(call);
    const message = `dev.json has no token of the user first for this application; this issues one: ${create}`;
    assert.deepEqual([refused.code, refused.stderr], [1, `barker: ${message}\n`]);
    const made = toldBy(await barker([...create.split(' ').slice(1), ...flagsOf(place)]));
    await rewritten({ access_token: made.access_token! });
    assert.equal((await accountsOf()).length, 1);
  });
});

describe('dev.json of a world of a file', () => {
  const TEXT = `
users: { ada: { password: a long password }, ben: , cleo: }
applications:
  planner: { owner: ada, tokens: { ada: , cleo: } }
  idle: { owner: ben, tokens: {} }
accounts: { bakery: { users: { ada: ACCOUNT_ADMIN } } }
`;

  test('is written again when it is lost, whatever was replaced', async () => {
    const world = join(place.folder, 'begun.yaml');
    writeFileSync(world, TEXT);
    const first = await dev('--world', world);
    const idle = toldBy(await barker(['app', 'regenerate-keys', first.file.idle_consumer_key!, ...flagsOf(place)]));
    const replaced = { ...prefixed('idle_', idle) };
    await rewritten(replaced);
    await stop(first);
    const again = toldBy(await barker(['app', 'regenerate-keys', idle.consumer_key!, ...flagsOf(place)]));
    const planner = toldBy(await barker(['app', 'regenerate-keys', first.file.consumer_key!, ...flagsOf(place)]));
    rmSync(join(place.folder, 'dev.json'));
    const expected = {
      ...lasting(first.file),
      ...prefixed('idle_', again),
      ...planner,
      ...prefixed('planner_', planner),
    };
    const second = await dev('--world', world);
    // Without snapshots, nothing tells the names of what is in accounts, and the copy is all that there is of the file.
    const isKnown = place.databaseUrl === '';
    const { 'accounts.bakery': account, world: path, ...others } = expected;
    assert.deepEqual(lasting(second.file), isKnown ? expected : { ...others, world: join(place.folder, 'world.yaml') });
    assert.deepEqual(await accountsOf('--as', 'ada'), await accountsOf());
    assert.equal((await accountsOf('--as', 'ada'))[0]!.id, account);
  });
});
