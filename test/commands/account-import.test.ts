// On either database: commands open it as the service does.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { type Client, clientOf, type Keys } from '../rig/client.ts';
import { openPlace, type Place } from '../rig/databases.ts';
import { until } from '../rig/patience.ts';
import { barker, flagsOf, MASTER_KEY, type Outcome, startServe, toldBy } from './program.ts';

const env = { BARKER_MASTER_KEY: MASTER_KEY };

let place: Place;
let service: Awaited<ReturnType<typeof startServe>>;
let ada: Client;
let users: { ada: string; ben: string };
const run = (...args: string[]) => barker([...args, ...flagsOf(place)], { env });

before(async () => {
  place = await openPlace(undefined, { hasSchema: true });
  const input = 'correct horse battery staple\n';
  const made = [];
  for (const name of ['ada', 'ben']) {
    made.push(toldBy(await barker(['user', 'create', name, ...flagsOf(place)], { env, input })).user_id!);
  }
  users = { ada: made[0]!, ben: made[1]! };
  const callback = ['--website', 'https://a.test', '--callback', 'https://a.test/back', '--level', 'read-write'];
  const app = toldBy(await run('app', 'create', 'Reports', '--owner', 'ada', ...callback));
  const token = toldBy(await run('token', 'create', '--app', app.consumer_key!, '--user', 'ada'));
  service = await startServe(place);
  ada = clientOf(service.url, { ...app, ...token } as unknown as Keys, systemClock);
});
after(async () => {
  service.child.kill('SIGTERM');
  await service.ended;
  await place.remove();
});

/** The example of the page for operators, with users who exist. */
function example(): { accounts: Record<string, unknown>[] } {
  const page = readFileSync('docs/operate.md', 'utf8');
  const [, text] = /^```json\n([\s\S]*?)^```$/m.exec(page)!;
  return JSON.parse(text!.replaceAll('900000001', users.ada).replaceAll('900000002', users.ben));
}

async function importing(file: unknown): Promise<Outcome> {
  const path = join(place.folder, 'accounts.json');
  writeFileSync(path, typeof file === 'string' ? file : JSON.stringify(file));
  const outcome = await run('account', 'import', path);
  return { ...outcome, stderr: outcome.stderr.replaceAll(path, 'FILE') };
}

describe('barker account import', () => {
  test('imports the example of docs/operate.md with all its parts', async () => {
    const file = example();
    const id = String(file.accounts[0]!.id);
    assert.deepEqual(await importing(file), { code: 0, stdout: `${id}=created\n`, stderr: '' });
    const read = async (path: string) => (await ada.call('GET', `/12/accounts/${id}${path}`)).body.data;
    // On SQLite, a running service may show what a command has stored a moment later.
    await until('the service shows the account', async () => (await read('')) !== undefined);
    const account = await read('');
    const { users: _, funding_instruments, promotable_users, features, custom_limits, ...fields } = file.accounts[0]!;
    for (const [name, value] of Object.entries(fields)) assert.deepEqual(account[name], value, name);
    assert.deepEqual((await read('/authenticated_user_access')).permissions, ['ACCOUNT_ADMIN', 'POST_COMPOSER']);
    assert.deepEqual(await read('/features'), features);
    const [instrument] = await read('/funding_instruments');
    const [wanted] = funding_instruments as Record<string, unknown>[];
    for (const [name, value] of Object.entries(wanted!)) assert.deepEqual(instrument[name], value, name);
    const promoted: { user_id: string; promotable_user_type: string }[] = await read('/promotable_users');
    const kinds = promoted.map(({ user_id, promotable_user_type }) => ({ user_id, promotable_user_type }));
    assert.deepEqual(
      new Set(kinds.map((each) => JSON.stringify(each))),
      new Set((promotable_users as object[]).map((each) => JSON.stringify(each))),
    );
    const shown = toldBy(await run('account', 'show', id));
    assert.equal(shown.limit_active_campaigns, String((custom_limits as Record<string, number>).active_campaigns));
    assert.equal(shown.role_ben, 'CAMPAIGN_ANALYST');
  });

  test('is idempotent, and applies changes of a changed file', async () => {
    const file = example();
    const [account] = file.accounts;
    const id = String(account!.id);
    const before = (await ada.call('GET', `/12/accounts/${id}`)).body;
    assert.equal((await importing(file)).stdout, `${id}=unchanged\n`);
    assert.deepEqual((await ada.call('GET', `/12/accounts/${id}`)).body, before);
    const [instrument] = account!.funding_instruments as Record<string, unknown>[];
    const second = {
      accounts: [{ ...account, name: 'Renamed', funding_instruments: [{ ...instrument, description: 'New card' }] }],
    };
    assert.equal((await importing(second)).stdout, `${id}=changed\n`);
    // It may show this a moment later too.
    const named = async () => (await ada.call('GET', '/12/accounts?q=renamed')).body.data[0]?.name;
    await until('the service shows the name', async () => (await named()) === 'Renamed');
    const shown = toldBy(await run('account', 'show', id));
    assert.ok(
      Object.values(shown).some((text) => text.endsWith('New card')),
      JSON.stringify(shown),
    );
    const other = { promotable_users: [{ user_id: users.ben, promotable_user_type: 'FULL' }] };
    assert.equal((await importing({ accounts: [{ ...second.accounts[0], ...other }] })).stdout, `${id}=changed\n`);
    const full = async (): Promise<string[]> => {
      const rows = (await ada.call('GET', `/12/accounts/${id}/promotable_users`)).body.data;
      const found = rows.filter((row: { promotable_user_type: string }) => row.promotable_user_type === 'FULL');
      return found.map((row: { user_id: string }) => row.user_id);
    };
    await until('the service shows the other user', async () => (await full()).join() === users.ben);
  });

  /** The accounts that the service has: everybody in these files who is known administers what they make. */
  const kept = async () => (await ada.call('GET', '/12/accounts', { params: { count: 1000 } })).body.data;

  test('reserves the imported ids', async () => {
    const [account] = example().accounts;
    const next = toldBy(await run('account', 'create', 'Next', '--admin', 'ada')).account_id!;
    const near = (Number.parseInt(next, 36) + 5).toString(36);
    await importing({ accounts: [{ ...account, id: near, funding_instruments: [] }] });
    const after = toldBy(await run('account', 'create', 'After', '--admin', 'ada')).account_id!;
    assert.ok(Number.parseInt(after, 36) > Number.parseInt(near, 36));
    // On SQLite, a running service may show what a command has stored a moment later.
    const isShown = async () => (await kept()).some(({ id }: { id: string }) => id === after);
    await until('the service shows it', isShown);
  });

  const base = () => ({ id: '18ce5aaaaaa', name: 'A', users: [{ user_id: users.ada, role: 'ACCOUNT_ADMIN' }] });
  const refused: [input: string, file: () => unknown, stderr: RegExp][] = [
    ['no JSON', () => '{', /^barker: FILE: the file is not JSON: /],
    ['no accounts', () => ({}), /^barker: FILE: accounts: expected an object with an array "accounts"\n$/],
    ['a strange member', () => ({ accounts: [], more: 1 }), /FILE: more: unknown member; expected only accounts\n$/],
    [
      'no id',
      () => ({ accounts: [{ ...base(), id: undefined }] }),
      /: accounts\[0\]\.id: "id" is a required parameter\n$/,
    ],
    [
      'a misspelt name',
      () => ({ accounts: [{ ...base(), nmae: 'x' }] }),
      /: accounts\[0\]\.nmae: unknown member; expected one of id, environment, name, /,
    ],
    [
      'a word outside its list',
      () => ({ accounts: [{ ...base(), industry_type: 'FARM' }] }),
      /accounts\[0\]\.industry_type: Expected a value in AGENCY, .* got "FARM"/,
    ],
    [
      'no such time zone',
      () => ({ accounts: [{ ...base(), timezone: 'Mars/Base' }] }),
      /accounts\[0\]\.timezone: there is no time zone Mars\/Base\n$/,
    ],
    [
      'a role that there is not',
      () => ({ accounts: [{ ...base(), users: [{ user_id: users.ada, role: 'KING' }] }] }),
      /accounts\[0\]\.users\[0\]\.role: Expected a value in/,
    ],
    [
      'a composer who is an analyst',
      () => ({
        accounts: [
          { ...base(), users: [...base().users, { user_id: users.ben, role: 'ANALYST', post_composer: true }] },
        ],
      }),
      /accounts\[0\]\.users\[1\]\.post_composer: not allowed for ANALYST/,
    ],
    [
      'a user who is not registered',
      () => ({ accounts: [{ ...base(), users: [...base().users, { user_id: '99', role: 'ANALYST' }] }] }),
      /accounts\[0\]\.users\[1\]\.user_id: there is no user 99; create one with: barker user create\n$/,
    ],
    [
      'nobody to advertise',
      () => ({ accounts: [{ ...base(), users: [] }] }),
      /accounts\[0\]\.users: expected an ACCOUNT_ADMIN, or a promotable user of type FULL\n$/,
    ],
    [
      'two to advertise',
      () => ({
        accounts: [
          {
            ...base(),
            promotable_users: [users.ada, users.ben].map((user_id) => ({ user_id, promotable_user_type: 'FULL' })),
          },
        ],
      }),
      /promotable_users: expected one of type FULL, got 2\n$/,
    ],
    [
      'a feature that there is not',
      () => ({ accounts: [{ ...base(), features: ['NOPE'] }] }),
      /accounts\[0\]\.features: Expected a value in/,
    ],
    [
      'a limit beyond what is allowed',
      () => ({ accounts: [{ ...base(), custom_limits: { active_campaigns: 8001 } }] }),
      /accounts\[0\]\.custom_limits\.active_campaigns: Expected int between 1 and 8000, got "8001"/,
    ],
    [
      'an instrument without an id',
      () => ({
        accounts: [
          { ...base(), funding_instruments: [{ type: 'CREDIT_CARD', currency: 'USD', start_time: '2026-01-01' }] },
        ],
      }),
      /accounts\[0\]\.funding_instruments\[0\]\.id: "id" is a required parameter\n$/,
    ],
    [
      'an order without an end',
      () => ({
        accounts: [
          {
            ...base(),
            funding_instruments: [{ id: 'i1', type: 'INSERTION_ORDER', currency: 'USD', start_time: '2026-01-01' }],
          },
        ],
      }),
      /accounts\[0\]\.funding_instruments\[0\]\.end_time: "end_time" is a required parameter\n$/,
    ],
    [
      'users that are no list',
      () => ({ accounts: [{ ...base(), users: {} }] }),
      /accounts\[0\]\.users: expected an array; /,
    ],
    [
      'one account twice',
      () => ({ accounts: [base(), base()] }),
      /accounts\[1\]\.id: 18ce5aaaaaa occurs more than once\n$/,
    ],
    [
      'a deleted account',
      () => ({ accounts: [{ ...base(), deleted: true }] }),
      /accounts\[0\]\.deleted: a deleted account cannot be imported\n$/,
    ],
    [
      'the wrong environment',
      () => ({ accounts: [{ ...example().accounts[0], environment: 'sandbox' }] }),
      /^barker: account \w+ belongs to production\n$/,
    ],
  ];
  for (const [input, file, stderr] of refused) {
    test(`rejects ${input} and stores nothing`, async () => {
      const before = await kept();
      const whole = file() as { accounts?: unknown[] };
      const good = { ...base(), id: '18ce5bbbbbb' };
      const sent =
        typeof whole === 'object' && whole.accounts ? { ...whole, accounts: [...whole.accounts, good] } : whole;
      const outcome = await importing(sent);
      assert.match(outcome.stderr, stderr);
      assert.notEqual(outcome.code, 0);
      assert.equal(outcome.stdout, '');
      assert.deepEqual(await kept(), before);
    });
  }

  test('reports all errors at once', async () => {
    const { stderr, code } = await importing({ accounts: [{ ...base(), nmae: 'x', timezone: 'X' }, { id: '18ce5c' }] });
    assert.equal(code, 2);
    assert.equal(stderr.split('; accounts[').length + stderr.split(': accounts[').length - 2, 4, stderr);
  });
});
