// On either database: commands open it as the service does.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { addPerson, browserOf, logIn, outlineOf, type Person, typed } from '../rig/browser.ts';
import { recordSecret } from '../rig/secrets.ts';
import { openWorld, type World } from '../rig/world.ts';
import { barker, flagsOf, type Outcome, toldBy } from './program.ts';

const NEXT = 'four slow lanterns';
let world: World;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
});
after(() => world.close());

const user = (words: readonly string[], input?: string): Promise<Outcome> =>
  barker(['user', ...words, ...flagsOf(world.place)], input === undefined ? {} : { input });

/** A person who is logged in with a browser, beside the running service. */
async function inside() {
  const person = await addPerson(world);
  const browser = browserOf(world.service.url);
  await logIn(browser, person);
  const isIn = async () => outlineOf((await browser.get('/login')).html).heading === 'You are logged in';
  return { person, browser, isIn };
}

const canLogIn = async (person: Pick<Person, 'name' | 'password'>): Promise<boolean> => {
  const browser = browserOf(world.service.url);
  return (await browser.submit(await browser.get('/login'), typed(person))).status === 303;
};

describe('barker user password', () => {
  test('sets a password from stdin and ends sessions', async () => {
    const { person, isIn } = await inside();
    const done = await user(['password', person.name], `${NEXT}\n`);
    assert.deepEqual(done, { code: 0, stdout: `user_id=${person.id}\nusername=${person.name}\n`, stderr: '' });
    assert.equal(await isIn(), false);
    assert.deepEqual([await canLogIn(person), await canLogIn({ ...person, password: NEXT })], [false, true]);
    const shown = toldBy(await user(['show', person.name]));
    assert.equal(shown.state, 'active');
    assert.match(shown.password_changed_at!, /^\d{4}-/);
  });

  test('generates and prints a password', async () => {
    const { person } = await inside();
    const { password } = toldBy(await user(['password', person.name, '--generate']));
    assert.match(password!, /^[\w-]{20}$/);
    assert.equal(await canLogIn({ ...person, password: password! }), true);
  });

  test('creates a reset link', async () => {
    const { person } = await inside();
    const told = toldBy(await user(['password', person.name, '--link', '--public-base-url', 'https://ads.test']));
    assert.equal(told.valid_s, '3600');
    const [, path, secret] = /^https:\/\/ads\.test(\/login\/reset\?token=([\w-]{43}))$/.exec(told.link!)!;
    recordSecret('password link', secret);
    const browser = browserOf(world.service.url);
    // The clock of this service stands still in the past, for which the link lasts longer.
    const sent = await browser.submit(await browser.get(path!), { new_password: NEXT, new_password_again: NEXT });
    assert.equal(sent.location, '/login?password=reset', sent.html);
    assert.equal(await canLogIn({ ...person, password: NEXT }), true);
  });

  const refused: [why: string, words: string[], input: string, stderr: RegExp][] = [
    ['nobody', ['password', 'zed'], 'x', /^barker: there is no user zed; see: barker user list\n$/],
    ['a common one', ['password', 'ada_demo'], 'password1', /^barker: the password is one of the 10,000 most common/],
    [
      'the user name',
      ['password', 'ada_demo'],
      'it is ada_demo',
      /^barker: the password must not contain the user name\n$/,
    ],
    [
      'two ways at once',
      ['password', 'ada_demo', '--link', '--generate'],
      '',
      /^barker: --password-file, .* cannot be combined/,
    ],
    ['a common one at first', ['create', 'eve'], 'sunshine', /^barker: the password is one of the 10,000 most common/],
  ];
  for (const [why, words, input, stderr] of refused) {
    test(`refuses ${why}`, async () => {
      const outcome = await user(words, input);
      assert.match(outcome.stderr, stderr);
      assert.notEqual(outcome.code, 0);
      assert.equal(outcome.stdout, '');
    });
  }
});

test('barker user list prints the states, and suspend ends sessions in the running server', async () => {
  const { person, isIn } = await inside();
  assert.equal((await user(['suspend', person.name])).code, 0);
  assert.equal(await isIn(), false);
  const { stdout } = await user(['list']);
  const lines = stdout.trim().split('\n');
  assert.ok(lines.includes(`${person.id}\t${person.name}\tsuspended\t2026-03-02`), stdout);
  assert.ok(lines.some((line) => /^\d+\tada_demo\tactive\t/.test(line)));
});

test('barker user totp shows and turns off two-step login', async () => {
  const { person, isIn } = await inside();
  await world.service.store.write(async (tx) => {
    const factor = { user_id: person.id, secret: 'sealed', last_step: 1, created_at: '2026-03-02T17:04:55Z' };
    await tx.secondFactors.add(factor);
    await tx.secondFactors.putRecovery(person.id, ['one', 'two']);
  });
  const on = { user_id: person.id, username: person.name, totp: 'on', since: '2026-03-02T17:04:55Z' };
  assert.deepEqual(toldBy(await user(['totp', person.name])), { ...on, recovery_codes: '2' });
  assert.equal((await user(['totp', person.name, '--reset'])).code, 0);
  assert.equal(await isIn(), false);
  assert.equal(await canLogIn(person), true);
  assert.match((await user(['totp', person.name, '--reset'])).stderr, /has not turned on two-step login/);
});
