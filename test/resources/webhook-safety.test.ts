// On either database: what is tried here is decided before the database is asked.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { systemClock } from '../../src/base/clock.ts';
import { ensureCertificates } from '../../src/dev/certificates.ts';
import type { Network } from '../../src/http/sending/network.ts';
import { openSender } from '../../src/http/sending/sender.ts';
import type { Keys } from '../rig/client.ts';
import { type BearerClient, bearerClient, changeBio } from '../rig/events.ts';
import { until } from '../rig/patience.ts';
import { register } from '../rig/people.ts';
import { openReceiver, type Receiver, status } from '../rig/receiver.ts';
import { openWorld, type World } from '../rig/world.ts';

// A name server and a network of our own: what is public here is on this machine.
const names = new Map<string, readonly string[]>();
const dialled: string[] = [];
const UNREACHABLE_MS = 100;
let port = 0;
const network: Network = {
  async resolve(host) {
    const found = names.get(host);
    if (!found) throw new Error(`${host} is not known`);
    return found;
  },
  dial(address, asked) {
    dialled.push(`${address} ${asked}`);
    return { address: '127.0.0.1', port };
  },
  unreachable_ms: UNREACHABLE_MS,
};

const HOST = 'hooks.example.test';
const PUBLIC = '93.184.216.34';
let folder: string;
let world: World;
let keys: Keys & { readonly user: string };
let client: BearerClient;
let receiver: Receiver;
let stranger: Receiver;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'barker-hooks-'));
  const own = await ensureCertificates(join(folder, 'own'), [HOST], systemClock);
  const others = await ensureCertificates(join(folder, 'others'), [HOST], systemClock);
  setDefaultCACertificates([...getCACertificates('default'), readFileSync(own.ca, 'utf8')]);
  world = await openWorld({ flags: { webhook_allow_private: false }, seams: { network } });
  keys = await register(world);
  client = await bearerClient(world, keys);
  const read = ({ cert, key }: { cert: string; key: string }) => ({ cert: readFileSync(cert), key: readFileSync(key) });
  receiver = await openReceiver(keys.consumer_secret, read(own));
  stranger = await openReceiver(keys.consumer_secret, read(others));
  port = receiver.port;
  names.set(HOST, [PUBLIC]);
});
after(async () => {
  await receiver.close();
  await stranger.close();
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

const refusal = async (url: string): Promise<string> => {
  const reply = await client.call('POST', '/2/webhooks', { url });
  assert.equal(reply.status, 400, reply.text);
  const [{ message }] = reply.body.errors;
  return message;
};

const reason = (message: string): string => message.replace(/^CrcValidationFailed: .* Reason: /, '');
const UNREACHABLE = 'UrlValidationFailed: the host of the url cannot be reached';

describe('as in production', () => {
  test('a webhook is reached under its name, at the checked address', async () => {
    dialled.length = 0;
    const reply = await client.call('POST', '/2/webhooks', { url: `https://${HOST}/in` });
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(dialled, [`${PUBLIC} 443`]);
    assert.equal(receiver.challenges.at(-1)!.headers.host, HOST);
    const subscribed = await client.call('POST', '/2/activity/subscriptions', {
      event_type: 'profile.update.bio',
      filter: { user_id: keys.user },
      webhook_id: reply.body.data.id,
    });
    assert.equal(subscribed.status, 200, subscribed.text);
    await changeBio(world, keys.user, ['one']);
    await receiver.came(1);
  });

  const urls: readonly (readonly [url: string, says: string])[] = [
    [`http://${HOST}/`, 'the url must begin with https://'],
    [`https://${HOST}:8443/`, 'the url must have no port'],
    ['https://127.0.0.1/', 'the host of the url must be a name'],
    [`https://me:secret@${HOST}/`, 'the url must have no user'],
    [`https://${HOST}/#x`, 'the url must have no fragment'],
    [`https://${HOST}/${'x'.repeat(200)}`, 'the url must have 1 to 200 characters'],
  ];
  for (const [url, says] of urls) {
    test(`${url.slice(0, 50)} is refused`, async () =>
      assert.equal(await refusal(url), `UrlValidationFailed: ${says}`));
  }

  const targets: readonly (readonly [what: string, addresses: readonly string[]])[] = [
    ['a private address', ['10.0.0.1']],
    ['this machine', ['127.0.0.1']],
    ['the machine that tells secrets', ['169.254.169.254']],
    ['this machine, as IPv6 writes it', ['::ffff:127.0.0.1']],
    ['a public address and a private one', [PUBLIC, 'fd00::1']],
  ];
  for (const [what, addresses] of targets) {
    test(`a name that leads to ${what} is refused, and nothing is sent`, async () => {
      names.set('inside.example.test', addresses);
      dialled.length = 0;
      const asked = performance.now();
      assert.equal(reason(await refusal('https://inside.example.test/')), UNREACHABLE);
      assert.ok(performance.now() - asked >= UNREACHABLE_MS, 'no sooner than one that does not answer');
      assert.deepEqual(dialled, []);
    });
  }

  test('a name that does not resolve is refused with the same message, and no sooner', async () => {
    const asked = performance.now();
    assert.equal(reason(await refusal('https://nowhere.example.test/')), UNREACHABLE);
    assert.ok(performance.now() - asked >= UNREACHABLE_MS);
  });

  test('so is a host that refuses or closes connections', async () => {
    const gone = await openReceiver(keys.consumer_secret);
    port = gone.port;
    await gone.close();
    assert.equal(reason(await refusal(`https://${HOST}/gone`)), UNREACHABLE);
    const closing = createTcpServer((socket) => socket.end()).listen(0, '127.0.0.1');
    await once(closing, 'listening');
    port = (closing.address() as AddressInfo).port;
    assert.equal(reason(await refusal(`https://${HOST}/closing`)), UNREACHABLE);
    closing.close();
    port = receiver.port;
  });

  test('a redirect is not followed', async () => {
    const right = receiver.answerChallenge;
    receiver.answerChallenge = status(302, { location: `https://${HOST}/elsewhere` });
    const before = receiver.challenges.length;
    assert.equal(reason(await refusal(`https://${HOST}/moved`)), 'A redirect');
    assert.equal(receiver.challenges.length, before + 1);
    receiver.answerChallenge = right;
  });

  test('an untrusted certificate is refused, and one for another name', async () => {
    port = stranger.port;
    assert.equal(reason(await refusal(`https://${HOST}/self`)), 'The certificate is not trusted');
    port = receiver.port;
    names.set('other.example.test', [PUBLIC]);
    assert.equal(reason(await refusal('https://other.example.test/')), 'The certificate is not trusted');
    assert.deepEqual(stranger.challenges, []);
  });

  test('a name that leads to a private address by the time of delivery is refused, and tried again', async () => {
    const { webhook_id } = (await client.call('GET', '/2/activity/subscriptions')).body.data[0];
    const newest = async () => {
      const query = { webhook: webhook_id, state: undefined, after: undefined, limit: 1 };
      const [row] = await world.service.store.read((tx) => tx.webhookDeliveries.page(query));
      return row;
    };
    names.set(HOST, ['10.0.0.1']);
    dialled.length = 0;
    const [position] = (await changeBio(world, keys.user, ['hidden'])) as [number];
    // What was found out a second ago may still be believed.
    await until('the new address is found out', async () => {
      if ((await newest())?.tries.at(-1)?.reason === 'address refused') return true;
      if ((await newest())?.state === 'delivered') await changeBio(world, keys.user, ['hidden']);
      return false;
    });
    const row = (await newest())!;
    assert.ok(row.position >= position);
    assert.equal(row.state, 'pending');
    assert.ok(dialled.every((each) => !each.startsWith('10.')));
    names.set(HOST, [PUBLIC]);
    await until('the old address is found out', async () => {
      if ((await newest())?.tries.at(-1)?.status === 200) return true;
      if (((await newest())?.tries.length ?? 0) > 0) await changeBio(world, keys.user, ['shown']);
      return false;
    });
    world.clock.advance(3);
    await world.service.jobs.runDue();
    await until('what was refused has come', async () => {
      const found = await world.service.store.read((tx) => tx.webhookDeliveries.find(row));
      return found!.state === 'delivered';
    });
  });

  test('a name that now leads to a private address is refused by every challenge', async () => {
    names.set('turned.example.test', [PUBLIC]);
    port = receiver.port;
    // Its certificate is for another name, so the webhook is made as if it had answered.
    const id = '1800000000000000077';
    const { store, box } = world.service;
    await store.write(async (tx) => {
      const [there] = await tx.webhooks.list((await tx.credentials.findApplicationByKey(keys.consumer_key))!.id);
      const url = 'https://turned.example.test/in';
      const secret = box.seal('whsec_', `webhooks.secret:${id}`);
      await tx.webhooks.add({ ...there!, id, url, url_form: url, secret }, 0);
    });
    names.set('turned.example.test', ['10.0.0.1']);
    const minute = (offset_s: number): string =>
      new Date(world.clock.now() + offset_s * 1000).toISOString().replace(/\D/g, '').slice(0, 12);
    const minutes = { from_date: minute(-60), to_date: minute(0) };
    const valid = () => store.write((tx) => tx.webhooks.change(id, { valid: 1 }));
    const old = `/2/account_activity/replay/webhooks/${id}/subscriptions/all?${new URLSearchParams(minutes)}`;
    for (const [method, path, json] of [
      ['POST', '/2/webhooks/replay', { webhook_id: id, ...minutes }],
      ['POST', old, undefined],
      ['PUT', `/2/webhooks/${id}`, undefined],
    ] as const) {
      await valid();
      const reply = await client.call(method, path, json);
      assert.equal(reply.status, 400, reply.text);
      assert.equal(reason(reply.body.errors[0].message), UNREACHABLE);
    }
    await client.call('DELETE', `/2/webhooks/${id}`);
  });
});

describe('a sender', () => {
  const rules = { allowsPrivate: true, privateRanges: [], proxy: '', ownOrigins: () => [] };
  const post = (url: string, more = {}) => ({
    method: 'POST' as const,
    url,
    headers: {},
    body: Buffer.from('x'),
    ...more,
  });

  test('times out after ten seconds, however slowly a response drips in', async () => {
    const slow = await openReceiver('');
    const sender = openSender(rules);
    const silent = async () => {
      slow.answer = () => {};
      return sender.send(post(slow.url));
    };
    const dripping = async () => {
      const drip = createServer((_, response) => {
        response.socket!.write('HTTP/1.1 200 OK\r\n');
        const more = setInterval(() => response.socket?.write('x-a: b\r\n'), 200);
        response.on('close', () => clearInterval(more));
      });
      await new Promise<void>((resolve) => drip.listen(0, '127.0.0.1', resolve));
      const came = await sender.send(post(`http://127.0.0.1:${(drip.address() as AddressInfo).port}/`));
      drip.closeAllConnections();
      drip.close();
      return came;
    };
    const found = await Promise.all([silent(), dripping()]);
    assert.deepEqual(
      found.map((came) => came.outcome === 'failed' && came.reason),
      ['timeout', 'timeout'],
    );
    await sender.close();
    await slow.close();
  });

  test('uses the configured proxy, for the address that was checked', async () => {
    const target = await openReceiver('');
    const asked: string[] = [];
    const authorized: unknown[] = [];
    const proxy = createServer();
    const tunnels: Socket[] = [];
    proxy.on('connect', (request, socket: Socket) => {
      asked.push(request.url!);
      authorized.push(request.headers['proxy-authorization']);
      const onward = connect(target.port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connected\r\n\r\n');
        socket.pipe(onward).pipe(socket);
      });
      onward.on('error', () => socket.destroy());
      socket.on('error', () => onward.destroy());
      tunnels.push(socket, onward);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const through = `http://me:pass@127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const sender = openSender({ ...rules, proxy: through, network });
    names.set('far.example.test', ['198.51.100.77']);
    const came = await sender.send(post('http://far.example.test/in'));
    assert.equal(came.outcome, 'answered', JSON.stringify(came));
    assert.deepEqual(asked, ['198.51.100.77:80']);
    assert.deepEqual(authorized, [`Basic ${btoa('me:pass')}`]);
    assert.equal(target.messages[0]!.headers.host, 'far.example.test');
    proxy.removeAllListeners('connect');
    proxy.on('connect', (_, socket: Socket) => void socket.end('HTTP/1.1 403 No\r\n\r\n'));
    names.set('blocked.example.test', ['198.51.100.78']);
    const refused = await sender.send(post('http://blocked.example.test/'));
    assert.equal(refused.outcome === 'failed' && refused.reason, 'connection refused');
    await sender.close();
    for (const each of tunnels) each.destroy();
    proxy.closeAllConnections();
    proxy.close();
    await target.close();
  });

  test('ignores proxies of the environment', async () => {
    const target = await openReceiver('');
    process.env.HTTP_PROXY = 'http://127.0.0.1:1';
    process.env.http_proxy = 'http://127.0.0.1:1';
    const sender = openSender(rules);
    const came = await sender.send(post(target.url));
    delete process.env.HTTP_PROXY;
    delete process.env.http_proxy;
    assert.equal(came.outcome, 'answered', JSON.stringify(came));
    await sender.close();
    await target.close();
  });
});
