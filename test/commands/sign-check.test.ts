// On either database: the command needs none.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { sign } from '../../src/features/auth/oauth1/signature.ts';
import { protocol } from '../rig/client.ts';
import { barker } from './program.ts';

/** What `barker dev` writes; no server runs. */
const FILE = {
  ...{ base_url: 'http://127.0.0.1:8080', ads_url: 'http://127.0.0.1:8080', sandbox_url: 'http://127.0.0.1:8081' },
  ...{ consumer_key: 'demo-consumer-key', consumer_secret: 'demo-consumer-secret' },
  ...{ access_token: '1-ada-token', access_token_secret: 'ada-token-secret', username: 'ada' },
  ...{ other_access_token: '2-ben-token', other_access_token_secret: 'ben-token-secret', other_username: 'ben' },
};

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'barker-check-'));
  writeFileSync(join(folder, 'dev.json'), JSON.stringify(FILE));
});
after(() => rmSync(folder, { recursive: true }));

const URL_OF_TEST = `${FILE.base_url}/12/accounts?count=10`;

/** A curl command that is signed with these secrets, for this URL. */
function curl({ url = URL_OF_TEST, secret = FILE.access_token_secret, keys = FILE, clock = systemClock } = {}): string {
  const { header } = sign({
    ...{ method: 'GET', url, oauth: protocol(keys, clock) },
    ...{ consumerSecret: keys.consumer_secret, tokenSecret: secret },
  });
  return `curl '${URL_OF_TEST}' -H 'Authorization: ${header}'`;
}

const check = (command: string, ...args: string[]) => barker(['sign', '--check', command, '--data', folder, ...args]);

describe('barker sign --check', () => {
  test('says that a command is signed right', async () => {
    const { code, stdout, stderr } = await check(curl());
    assert.match(stdout, /^Valid:\nNothing is wrong with the credentials\.\n\nParameter string:\ncount=10&oauth_/);
    assert.deepEqual([code, stderr], [0, '']);
  });

  test('accepts what barker sign prints', async () => {
    const { stdout } = await barker(['sign', 'POST', '/12/accounts', '-d', "name=it's", '--sandbox', '--data', folder]);
    const command = stdout.slice(stdout.indexOf('Command:\n') + 'Command:\n'.length).trim();
    assert.equal((await check(command)).code, 0);
  });

  test('takes the time at which a command was sent, such as one from a log', async () => {
    const old = curl({ clock: { ...systemClock, now: () => Date.parse('2026-01-02T03:04:05Z') } });
    const late = await check(old);
    assert.equal(late.code, 1);
    assert.match(late.stdout, /^timestamp-/);
    assert.equal((await check(old, '--at', '2026-01-02T03:05:00Z')).code, 0);
    assert.equal((await check(old, '--at', '2026-01-02T04:05:00Z')).code, 1);
    const { code, stderr } = await check(old, '--at', 'yesterday');
    assert.deepEqual([code, stderr], [2, 'barker: --at takes a time such as 2026-03-02T17:04:55Z\n']);
    const alone = await barker(['sign', 'GET', '/12/accounts', '--at', '2026-01-02T03:05:00Z', '--data', folder]);
    assert.deepEqual([alone.code, alone.stderr], [2, 'barker: --at needs --check\n']);
  });

  test('says what is wrong', async () => {
    const { code, stdout, stderr } = await check(curl({ url: 'http://127.0.0.1/12/accounts?count=10' }));
    assert.match(stdout, /^port-left-out:\nThe URL was signed without its port\./);
    assert.match(stdout, /\nFirst difference:\n%3A8080%2F12.*\n%2F12/);
    assert.match(stderr, /^barker: The URL was signed without its port\. Sign the port/);
    assert.equal(code, 1);
  });

  test('knows the other keys of the demo world, and shows no secret', async () => {
    const { code, stdout, stderr } = await check(curl({ secret: FILE.other_access_token_secret }));
    assert.match(stderr, /the token secret of ben for the demo application/);
    assert.equal(code, 1);
    for (const secret of [FILE.consumer_secret, FILE.access_token_secret, FILE.other_access_token_secret]) {
      assert.ok(!`${stdout}${stderr}`.includes(secret));
    }
  });

  test('takes the keys of options', async () => {
    const keys = { ...FILE, consumer_key: 'key-1', consumer_secret: 'consumer-secret-1', access_token: 'token-1' };
    const options = ['--consumer-key', 'key-1', '--consumer-secret', 'consumer-secret-1', '--token', 'token-1'];
    const command = curl({ keys, secret: 'token-secret-1' });
    assert.equal((await check(command, ...options, '--token-secret', 'token-secret-1')).code, 0);
    assert.equal((await check(command, ...options, '--token-secret', 'token-secret-2')).code, 1);
  });

  test('reads the command from stdin', async () => {
    const args = ['sign', '--check', '-', '--data', folder];
    assert.equal((await barker(args, { input: `${curl()}\n` })).code, 0);
  });

  for (const [args, message] of [
    [['--check', 'wget http://a.test'], 'the command does not begin with curl'],
    [['--check', 'curl ftp://a.test'], 'ftp://a.test is not a URL with http or https'],
    [['--check', 'curl http://a.test', 'GET'], '--check takes no method'],
    [['--check', 'curl http://a.test', '-d', 'a=1'], '--check takes no --param'],
    [[], "missing required argument 'method'"],
    [['GET'], "missing required argument 'url'"],
  ] as const) {
    test(`refuses ${args.join(' ') || 'nothing'}`, async () => {
      const { code, stderr } = await barker(['sign', ...args, '--data', folder]);
      assert.deepEqual([code, stderr], [2, `barker: ${message}\n`]);
    });
  }
});
