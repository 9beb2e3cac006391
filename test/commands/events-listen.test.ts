// On either database: commands open it as the service does.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { ConnectionProfile } from '../../src/cli/connection-profile.ts';
import { connect } from '../../src/cli/events/connection.ts';
import { readDevFile } from '../../src/dev/dev-folder.ts';
import { basic, bearerOf, postForm } from '../rig/application.ts';
import { callAs, happen, type Subscriber } from '../rig/streams.ts';
import { openWorld, type World } from '../rig/world.ts';
import { barker, type Started, started } from './program.ts';

let world: World;
let demo: Subscriber;
before(async () => {
  world = await openWorld();
  const { consumer_key, consumer_secret } = world.keys;
  const me = await world.production.call('GET', '/1.1/account/verify_credentials.json');
  const bearer = await bearerOf(world, world.keys);
  const { store } = world.service;
  const found = await store.read((tx) => tx.credentials.findApplicationByKey(consumer_key));
  demo = { bearer, user: me.body.id_str, application: found!.id, consumer_key, consumer_secret };
});
after(() => world.close());

interface Received {
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A receiver that keeps what it got, and answers with a status. */
async function receiver(status: number) {
  const got: Received[] = [];
  const server: Server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    got.push({ headers: request.headers, body });
    response.writeHead(status).end('thanks');
    server.emit('got');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/in?x=1`,
    async until(count: number): Promise<readonly Received[]> {
      while (got.length < count) await once(server, 'got');
      return got;
    },
    close: () => void server.close(),
  };
}

/** A test that fails leaves none running. */
const begun: Started[] = [];
after(() => {
  for (const { child } of begun) child.kill('SIGKILL');
});

function listen(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Started {
  const command = started(['events', 'listen', '--data', world.place.folder, ...args], { env });
  begun.push(command);
  return command;
}

/** The service notices a little later that the command has gone: the next test must not take its stream for its own. */
async function stop(running: Started): Promise<void> {
  running.child.kill('SIGINT');
  assert.equal((await running.ended).code, 0);
  await openConnections(0);
}

function linesOf(running: Started): string[] {
  return running.output().stdout.split('\n').slice(0, -1);
}

describe('barker events listen', () => {
  test('prints events once there is a subscription', async () => {
    const running = listen();
    await running.saw(/no events will come until the application has a subscription/);
    const reply = await callAs(world, demo, 'POST', '/2/activity/subscriptions', {
      event_type: 'profile.update.bio',
      filter: { user_id: demo.user },
      tag: 'müsli',
    });
    assert.equal(reply.status, 200, reply.text);
    await openConnections(1);
    await happen(world, demo.user, [1, 2]);
    await running.saw(/"after":"2"/);
    const [line] = linesOf(running).map((each) => JSON.parse(each));
    assert.equal(line.data.tag, 'müsli');
    await stop(running);
  });

  test('reconnects and prints nothing twice', async () => {
    const running = listen(['--backfill', '5']);
    await running.saw(/listening, with 1 subscription\n/);
    await happen(world, demo.user, [11]);
    await running.saw(/"after":"11"/);
    await callAs(world, demo, 'DELETE', '/2/connections/all');
    await running.saw(/the stream ended: .*ForceDisconnect/);
    await happen(world, demo.user, [12]);
    await running.saw(/"after":"12"/);
    const lines = linesOf(running);
    assert.equal(new Set(lines).size, lines.length);
    assert.deepEqual(lines.map((each) => JSON.parse(each).data.payload.after).slice(-2), ['11', '12']);
    await stop(running);
  });

  test('begins with the events since a time, and reconnects there', async () => {
    const running = listen(['--start-time', '2026-03-02T17:04:55Z']);
    await running.saw(/"after":"12"/);
    const numbers = () => linesOf(running).map((each) => JSON.parse(each).data.payload.after);
    assert.deepEqual(numbers(), ['1', '2', '11', '12']);
    await callAs(world, demo, 'DELETE', '/2/connections/all');
    await running.saw(/the stream ended: .*ForceDisconnect/);
    await happen(world, demo.user, [13]);
    await running.saw(/"after":"13"/);
    assert.deepEqual(numbers(), ['1', '2', '11', '12', '13']);
    await stop(running);
  });

  test('says so when the log does not reach back so far', async () => {
    const { code, stderr } = await listen(['--start-time', '2026-02-01']).ended;
    assert.equal(code, 1);
    assert.match(stderr, /^barker: the stream was refused: .*start_time.*\n$/, 'it never listened');
  });

  test('forwards each event, signed like a webhook', async () => {
    const hooks = await receiver(204);
    const secret = Buffer.alloc(32, 9);
    const env = { BARKER_CALL_WEBHOOK_SECRET: `whsec_${secret.toString('base64')}` };
    const running = listen(['--forward-to', hooks.url], env);
    await openConnections(1);
    await happen(world, demo.user, [21]);
    const [{ headers, body }] = (await hooks.until(1)) as [Received];
    assert.equal(body, linesOf(running).at(-1));
    assert.equal(headers['content-type'], 'application/json; charset=utf-8');
    const signed = createHmac('sha256', world.keys.consumer_secret).update(body).digest('base64');
    assert.equal(headers['x-ext-webhooks-signature'], `sha256=${signed}`);
    const id = `msg_${JSON.parse(body).data.event_uuid}_listen`;
    assert.equal(headers['webhook-id'], id);
    const standard = createHmac('sha256', secret)
      .update(`${id}.${headers['webhook-timestamp']}.${body}`)
      .digest('base64');
    assert.equal(headers['webhook-signature'], `v1,${standard}`);
    await running.saw(/profile\.update\.bio 73\d{17}: 204 after \d+ ms/);
    await stop(running);
    hooks.close();
  });

  test('continues when the receiver fails or is unreachable', async () => {
    const hooks = await receiver(500);
    const running = listen(['--forward-to', hooks.url]);
    await openConnections(1);
    await happen(world, demo.user, [31]);
    const [{ headers }] = (await hooks.until(1)) as [Received];
    assert.equal(headers['webhook-signature'], undefined);
    await running.saw(/: 500 after/);
    hooks.close();
    await happen(world, demo.user, [32]);
    await running.saw(/: nothing answers at 127\.0\.0\.1:\d+ after/);
    await stop(running);
  });

  const wrong: readonly (readonly [args: readonly string[], said: RegExp])[] = [
    [['--backfill', '6'], /^barker: --backfill must be a number from 0 to 5\n$/],
    [['--start-time', 'noon'], /^barker: --start-time must be a UTC time such as 2026-03-02T09:00:00Z, not "noon"\n$/],
    [['--start-time', '2026-03-02', '--backfill', '1'], /^barker: use either --backfill or --start-time\n$/],
    [['--forward-to', 'localhost:1'], /^barker: --forward-to must be a URL with http:\/\/ or https:\/\/\n$/],
    [['--forward-to', 'http://localhost:1', '--webhook-secret', 'abc'], /^barker: --webhook-secret must be whsec_/],
  ];
  for (const [args, said] of wrong) {
    test(`refuses ${args.join(' ')}`, async () => {
      const { code, stderr } = await barker(['events', 'listen', '--data', world.place.folder, ...args]);
      assert.equal(code, 2);
      assert.match(stderr, said);
    });
  }

  test('reports an unreachable server and an unknown application', async () => {
    const file = readDevFile(world.place.folder)!;
    const keys = ['--consumer-key', file.consumer_key, '--consumer-secret', 'wrong'];
    const refused = await barker(['events', 'listen', '--url', world.service.url, ...keys]);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /^barker: could not get a bearer token: 403 /);
    const nowhere = await barker(['events', 'listen', '--url', 'http://127.0.0.1:1', ...keys]);
    assert.equal(nowhere.code, 1);
    assert.match(nowhere.stderr, /^barker: no server answers at http:\/\/127\.0\.0\.1:1; is barker dev running\?\n$/);
  });
});

describe('a stream of events', () => {
  test('is given up when the server accepts the connection and says nothing', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const origin = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const caller: ConnectionProfile = { origin, keys: world.keys, tlsCa: undefined };
    await assert.rejects(connect(caller, demo.bearer, [], 50), {
      name: 'CommandFailed',
      message: 'no answer within 0.05 s',
    });
    silent.closeAllConnections();
    silent.close();
  });

  test('is opened again with another token when its own is revoked', async () => {
    const running = listen();
    await openConnections(1);
    const body = `access_token=${demo.bearer}`;
    const revoked = await postForm(world, '/oauth2/invalidate_token', basic(demo), body);
    assert.equal(revoked.status, 200, revoked.text);
    await running.saw(/the stream ended: .*ForceDisconnect/);
    await happen(world, demo.user, [41]);
    await running.saw(/"after":"41"/);
    assert.doesNotMatch(running.output().stderr, /\b401\b/);
    await stop(running);
  });
});

/** Waits until the demo application has so many open streams. */
async function openConnections(count: number): Promise<void> {
  for (;;) {
    const open = await world.service.store.read((tx) => tx.streamConnections.listOpen(demo.application));
    if (open.length === count) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
