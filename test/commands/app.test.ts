import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../src/base/clock.ts';
import { EXTERNAL_CHANGE_POLL_MS } from '../../src/storage/core/external-changes.ts';
import { clientOf, type Keys } from '../rig/client.ts';
import { engine, openPlace, type Place } from '../rig/databases.ts';
import { barker, flagsOf, MASTER_KEY, startServe, toldBy } from './program.ts';

const env = { BARKER_MASTER_KEY: MASTER_KEY };
type Told = Record<string, string>;

let place: Place;
let service: Awaited<ReturnType<typeof startServe>>;
let made: Told;
const run = (...args: string[]) => barker([...args, ...flagsOf(place)], { env });
const told = async (...args: string[]): Promise<Told> => toldBy(await run('app', ...args));

before(async () => {
  place = await openPlace(undefined, { hasSchema: true });
  const input = 'correct horse battery staple\n';
  toldBy(await barker(['user', 'create', 'ada', '--email', 'ada@mail.test', ...flagsOf(place)], { env, input }));
  // It is asked until it takes notice, which is more often than the limits allow.
  service = await startServe(place, { flags: ['--rate-limits', 'off'] });
  const about = ['--website', 'https://a.test', '--callback', 'https://a.test/back', 'myapp://done'];
  about.push('--callback-schemes', 'myapp');
  made = await told('create', 'Reports', '--owner', 'ada', ...about, '--level', 'read', '--sign-in');
});
after(async () => {
  service.child.kill('SIGTERM');
  await service.ended;
  await place.remove();
});

/** What the running service says of a caller. */
async function ask(keys: Told): Promise<unknown> {
  const client = clientOf(service.url, { ...made, ...keys } as unknown as Keys, systemClock);
  const reply = await client.call('GET', '/1.1/account/verify_credentials.json?include_email=true');
  return reply.status === 200 ? reply.body : [reply.status, reply.body.errors[0].code];
}

/**
 * On PostgreSQL, the first request after a command is meant. On SQLite, asks until the service has taken notice; it looks
 * by itself, and a test that waits for ever fails by its time.
 */
async function until(keys: Told, isMeant: (said: unknown) => boolean): Promise<void> {
  if (engine === 'postgres') {
    const said = await ask(keys);
    assert.ok(isMeant(said), JSON.stringify(said));
  }
  while (!isMeant(await ask(keys))) await delay(EXTERNAL_CHANGE_POLL_MS / 10);
}
const is = (...wanted: number[]) => {
  return (said: unknown) => JSON.stringify(said) === JSON.stringify(wanted);
};

describe('barker app', () => {
  test('lists and shows applications without secrets', async () => {
    const listed = await run('app', 'list', '--owner', 'ada');
    assert.equal(listed.stdout, `${made.consumer_key}\tread\tactive\tReports\n`);
    assert.equal((await run('app', 'list')).stdout, listed.stdout);
    const shown = await told('show', made.consumer_key!);
    assert.deepEqual(
      [shown.owner, shown.name, shown.callback_1, shown.callback_2, shown.sign_in, shown.extra_query],
      ['ada', 'Reports', 'https://a.test/back', 'myapp://done', '1', '0'],
    );
    assert.ok(!JSON.stringify(shown).includes(made.consumer_secret!));
  });

  test('changes only the given options', async () => {
    const links = ['--terms', 'https://a.test/t', '--privacy', 'https://a.test/p', '--email-access'];
    await told('edit', made.consumer_key!, '--level', 'read-write', '--no-sign-in', ...links);
    const shown = await told('show', made.consumer_key!);
    assert.deepEqual(
      [shown.name, shown.access_level, shown.sign_in, shown.email_access, shown.callback_2, shown.website_url],
      ['Reports', 'read-write', '0', '1', 'myapp://done', 'https://a.test'],
    );
  });

  test('issues an owner token and revokes the earlier one in the running server', async () => {
    const first = await told('token', made.consumer_key!);
    assert.equal(((await ask(first)) as Told).email, 'ada@mail.test');
    const second = await told('token', made.consumer_key!);
    await until(first, is(401, 89));
    assert.equal(((await ask(second)) as Told).screen_name, 'ada');
    assert.equal((await told('show', made.consumer_key!))['tokens_read-write'], '1');
  });

  test('suspends and resumes an application in the running server', async () => {
    const token = await told('token', made.consumer_key!);
    await ask(token);
    assert.equal((await told('suspend', made.consumer_key!)).suspended, 'yes');
    await until(token, is(401, 416));
    assert.match((await run('app', 'list')).stdout, /\tsuspended\t/);
    assert.equal((await told('resume', made.consumer_key!)).suspended, 'no');
    await until(token, (said) => (said as Told).screen_name === 'ada');
  });

  for (const [word, back, code] of [
    ['suspend', 'resume', [403, 64]],
    ['lock', 'unlock', [403, 326]],
  ] as const) {
    test(`refuses requests for a user after ${word}, until ${back}`, async () => {
      const token = await told('token', made.consumer_key!);
      await ask(token);
      assert.equal((await run('user', word, 'ADA')).stderr, '');
      await until(token, is(...code));
      assert.equal((await run('user', back, 'ada')).stderr, '');
      await until(token, (said) => (said as Told).screen_name === 'ada');
      assert.match((await run('user', word, 'zed')).stderr, /^barker: there is no user zed; see: barker user list\n$/);
    });
  }

  test('issues and revokes a bearer token', async () => {
    const { bearer_token: first } = await told('bearer', made.consumer_key!);
    const { bearer_token: second } = await told('bearer', made.consumer_key!);
    assert.match(first!, /^A{22}/);
    assert.notEqual(first, second);
    assert.deepEqual(await told('bearer', made.consumer_key!, '--revoke'), { revoked: 'yes' });
    const again = await run('app', 'bearer', made.consumer_key!, '--revoke');
    assert.deepEqual([again.code, again.stderr], [1, 'barker: Reports has no bearer token\n']);
  });

  test('replaces keys in the running server; user tokens stay valid', async () => {
    const token = await told('token', made.consumer_key!);
    await ask(token);
    const fresh = await told('regenerate-keys', made.consumer_key!);
    await until(token, is(401, 32));
    assert.equal(((await ask({ ...token, ...fresh })) as Told).screen_name, 'ada');
    made = { ...made, ...fresh };
  });

  const refused: [args: string[], stderr: RegExp][] = [
    [['show', 'zzz'], /^barker: there is no application with this consumer key; see: barker app list\n$/],
    [['list', '--owner', 'zed'], /^barker: there is no user zed/],
    [
      ['create', 'Reports', '--owner', 'ada', '--website', 'https://a.test', '--callback', 'https://a.test/'],
      /^barker: the name is already taken\n$/,
    ],
    [['create', 'Y', '--owner', 'ada'], /^barker: The website is missing\. At least one callback URL is required/],
  ];
  for (const [args, stderr] of refused) {
    test(`rejects app ${args.join(' ')}`, async () => {
      const outcome = await run('app', ...args);
      assert.match(outcome.stderr, stderr);
      assert.notEqual(outcome.code, 0);
      assert.equal(outcome.stdout, '');
    });
  }

  test('keeps callbacks whose scheme is no longer allowed, but adds none', async () => {
    await told('edit', made.consumer_key!, '--callback', 'myapp://done', 'com.example.app:/done');
    const { code, stderr } = await run('app', 'edit', made.consumer_key!, '--callback', 'myapp://done', 'other://done');
    assert.deepEqual(
      [code, stderr],
      [
        2,
        'barker: other://done has the scheme other; a custom scheme needs a dot, such as com.example.app, unless the operator allows it (callback_schemes).\n',
      ],
    );
    const shown = await told('show', made.consumer_key!);
    assert.deepEqual([shown.callback_1, shown.callback_2], ['myapp://done', 'com.example.app:/done']);
  });

  test('an invalid change changes nothing', async () => {
    const outcome = await run('app', 'edit', made.consumer_key!, '--callback', 'ftp://a.test/', '--name', 'Changed');
    assert.deepEqual(
      [outcome.code, outcome.stderr],
      [2, 'barker: ftp://a.test/ has the scheme ftp, which is refused.\n'],
    );
    assert.equal((await told('show', made.consumer_key!)).name, 'Reports');
  });
});
