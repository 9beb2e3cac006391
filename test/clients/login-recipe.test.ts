import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { OAuth } from 'oauth';
import { systemClock } from '../../src/base/clock.ts';
import { cleanEnvironment } from '../commands/program.ts';
import { browserOf, typed } from '../rig/browser.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;

before(async () => {
  // The package takes the time from the machine.
  world = await openWorld({ seams: { clock: systemClock } });
});
after(() => world.close());

const demoUser = () => ({ name: world.keys.username!, password: world.keys.password! });

/** What a method of the package calls back with. */
function answered(call: (done: (...all: unknown[]) => void) => void): Promise<string[]> {
  return new Promise((resolve, reject) => {
    call((error, ...all) => (error ? reject(new Error(JSON.stringify(error))) : resolve(all as string[])));
  });
}

test('the npm package oauth logs a user in with a callback', async () => {
  const { keys, service } = world;
  const [request, access] = ['request_token', 'access_token'].map((name) => `${service.url}/oauth/${name}`);
  const { consumer_key, consumer_secret, callback_url } = keys;
  const oauth = new OAuth(request!, access!, consumer_key, consumer_secret, '1.0', callback_url!, 'HMAC-SHA1');
  const [token, secret] = await answered((done) => oauth.getOAuthRequestToken(done));
  const browser = browserOf(service.url);
  const page = await browser.get(`/oauth/authorize?oauth_token=${token}`);
  const { location } = await browser.submit(page, typed(demoUser()));
  const back = new URL(location!);
  assert.equal(back.origin + back.pathname, callback_url);
  const verifier = back.searchParams.get('oauth_verifier')!;
  const [own, ownSecret] = await answered((done) => oauth.getOAuthAccessToken(token!, secret!, verifier, done));
  assert.match(own!, new RegExp(`^${keys.user_id}-`));
  const [text] = await answered((done) =>
    oauth.get(`${service.url}/1.1/account/verify_credentials.json`, own!, ownSecret!, done),
  );
  assert.equal(JSON.parse(text!).screen_name, keys.username);
});

test('the recipe with a PIN does what it says', async () => {
  const text = readFileSync('docs/clients.md', 'utf8');
  const section = text.slice(text.indexOf('## Logging users in'));
  const recipe = /```js\n([\s\S]*?)```/.exec(section)![1]!;
  const file = join(world.place.folder, 'dev.json');
  // The package is looked for beside the script, so the script says where it is.
  const script = recipe
    .replace("'data/dev.json'", JSON.stringify(file))
    .replace("from 'oauth'", `from ${JSON.stringify(import.meta.resolve('oauth'))}`);
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env: cleanEnvironment(),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const asked = await lines.next();
  const path = /Open http:\/\/[^/]+(\/\S+) and type/.exec(asked.value ?? '')![1]!;
  const browser = browserOf(world.service.url);
  const page = await browser.submit(await browser.get(path), typed(demoUser()));
  const [, pin] = /<div id="oauth_pin">.*?<code>(\d{7})</.exec(page.html)!;
  const ended = once(child, 'exit');
  child.stdin.end(`${pin}\n`);
  const said = await lines.next();
  assert.match(said.value ?? '', new RegExp(`^${world.keys.username} gave access: ${world.keys.user_id}-\\w+$`));
  assert.deepEqual(await ended, [0, null]);
});
