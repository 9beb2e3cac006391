// On either database: commands open it as the service does.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { browserOf, type Seen, typed } from '../rig/browser.ts';
import { openPlace, type Place } from '../rig/databases.ts';
import { prepare, send } from '../rig/login.ts';
import { barker, flagsOf, MASTER_KEY, startServe, toldBy } from './program.ts';

const env = { BARKER_MASTER_KEY: MASTER_KEY };
const PASSWORD = 'correct-horse-battery-staple';
const WRONG = 'wrong-horse-battery-staple';
const CALLBACK = 'https://a.test/back';

let place: Place;
let keys: Record<string, string>;
let service: Awaited<ReturnType<typeof startServe>>;

before(async () => {
  place = await openPlace(undefined, { hasSchema: true });
  const run = async (args: string[], input?: string) =>
    toldBy(await barker([...args, ...flagsOf(place)], input === undefined ? { env } : { env, input }));
  const user = await run(['user', 'create', 'ada'], PASSWORD);
  const told = ['--owner', 'ada', '--website', 'https://a.test', '--level', 'read', '--callback', CALLBACK];
  const app = await run(['app', 'create', 'Reports', ...told]);
  keys = { ...user, ...app };
  service = await startServe(place, { flags: ['--access-log', 'all', '--log-level', 'debug'] });
});
after(async () => {
  service.child.kill('SIGKILL');
  await service.ended;
  await place.remove();
});

/** The two token steps, as an application takes them. */
async function step(path: '/oauth/request_token' | '/oauth/access_token', more: object): Promise<URLSearchParams> {
  const consumer = { consumer_key: keys.consumer_key!, consumer_secret: keys.consumer_secret! };
  const { status, text } = await send(prepare(service.url, systemClock, { path, consumer, ...more }));
  assert.equal(status, 200, text);
  return new URLSearchParams(text);
}

test('logins are logged, without secrets', async () => {
  const secrets: string[] = [WRONG, PASSWORD, keys.consumer_secret!];
  const transactions: string[] = [];
  const see = (page: Seen): Seen => {
    transactions.push(page.headers.get('x-transaction-id')!);
    return page;
  };
  for (const callback of [CALLBACK, 'oob']) {
    const begun = await step('/oauth/request_token', { oauth: { oauth_callback: callback } });
    const [token, secret] = [begun.get('oauth_token')!, begun.get('oauth_token_secret')!];
    const browser = browserOf(service.url);
    const page = see(await browser.get(`/oauth/authorize?oauth_token=${token}&screen_name=${PASSWORD}`));
    const again = see(await browser.submit(page, typed({ name: 'ada', password: WRONG })));
    secrets.push(...browser.cookies.values(), /name="authenticity_token" value="([^"]*)"/.exec(again.html)![1]!);
    // A password in the wrong box.
    see(await browser.submit(again, typed({ name: PASSWORD, password: 'ada' })));
    const done = see(await browser.submit(again, typed({ name: 'ada', password: PASSWORD })));
    const verifier =
      callback === 'oob'
        ? /<code>(\d{7})<\/code>/.exec(done.html)![1]!
        : new URL(done.location!).searchParams.get('oauth_verifier')!;
    secrets.push(...browser.cookies.values(), token, secret, verifier);
    see(await browser.get(`/oauth/authorize?oauth_token=${token}`));
    see(await browser.post('/login', { ...typed({ name: 'ada', password: PASSWORD }), authenticity_token: 'x' }));
    const own = await step('/oauth/access_token', { token: { token, secret }, oauth: { oauth_verifier: verifier } });
    secrets.push(own.get('oauth_token')!, own.get('oauth_token_secret')!);
  }
  for (const id of transactions) await service.saw(new RegExp(`"transaction_id":"${id}".*"status"`));

  const { stdout, stderr } = service.output();
  for (const secret of secrets) assert.ok(!(stdout + stderr).includes(secret), secret);
  assert.ok(secrets.length > 15);

  const lines: Record<string, unknown>[] = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const audit = lines.filter(({ message }) => message === 'audit');
  const told = audit.map(({ event, user_id, application_id }) => [event, user_id, application_id]);
  const once = [
    ['login_failed', undefined, '1'],
    ['login_failed', undefined, '1'],
    ['login', keys.user_id, '1'],
    ['consent_given', keys.user_id, '1'],
  ];
  // The second login gives out the token that the first one issued.
  assert.deepEqual(told, [...once, ['token_issued', keys.user_id, '1'], ...once]);
  assert.ok(audit.every(({ address }) => address === '127.0.0.1'));
  const page = lines.find(({ message, status }) => message === 'page' && status === 303)!;
  assert.deepEqual([page.method, page.route], ['POST', '/oauth/authorize']);
});
