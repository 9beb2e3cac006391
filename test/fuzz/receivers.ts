import { createHmac } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { asApplication, newPerson, type Person } from '../rig/activity.ts';
import { bearerOf } from '../rig/application.ts';
import type { World } from '../rig/world.ts';
import { bytesOf, type Call } from './call.ts';
import { bent, hostileText } from './hostile-texts.ts';
import type { Kind, Setting } from './setting.ts';

/** What cases of webhooks build on: somebody whose events go to receivers that misbehave. */
export interface ReceiverGround {
  readonly person: Person;
  readonly bearer: string;
  readonly origin: string;
  close(): void;
}

/** How a receiver answers what is sent to it; `right` is the answer that a challenge asks for. */
type Misbehaviour = (socket: Socket, right: string) => void;

const ok = (body: string): string =>
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

/** By the name that the address of a webhook ends in. Those that begin with `late` keep their sender waiting. */
const MISBEHAVIOURS: Readonly<Record<string, Misbehaviour>> = {
  well: (socket, right) => void socket.write(ok(right)),
  wrong: (socket) => void socket.write(ok('{"response_token":"sha256=AAAA"}')),
  other: (socket) => void socket.write(ok('{"response_token":{"toString":1}}')),
  deep: (socket) => void socket.write(ok('['.repeat(100_000))),
  text: (socket) => void socket.write(ok('\u0000\ufffd not json')),
  none: (socket) => void socket.write('HTTP/1.1 204 No Content\r\n\r\n'),
  gone: (socket) => void socket.write('HTTP/1.1 410 Gone\r\ncontent-length: 0\r\n\r\n'),
  away: (socket) =>
    void socket.write('HTTP/1.1 302 Found\r\nlocation: http://169.254.169.254/\r\ncontent-length: 0\r\n\r\n'),
  loop: (socket) => void socket.write('HTTP/1.1 307 Found\r\nlocation: ./loop\r\ncontent-length: 0\r\n\r\n'),
  busy: (socket) => void socket.write('HTTP/1.1 429 No\r\nretry-after: 99999999999999\r\ncontent-length: 0\r\n\r\n'),
  odd: (socket) => void socket.write('HTTP/1.1 503 No\r\nretry-after: Thu, 99 Foo\r\ncontent-length: 0\r\n\r\n'),
  reset: (socket) => void socket.resetAndDestroy(),
  shut: (socket) => void socket.end(),
  noise: (socket) => void socket.end(Buffer.alloc(3000, 0xff)),
  wide: (socket) => void socket.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`),
  many: (socket) => void socket.end(`HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(5000)}\r\n`),
  length: (socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\nabc'),
  chunks: (socket) => void socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nabc'),
  twice: (socket, right) => void socket.write(ok(right) + ok(right)),
  early: (socket) =>
    void socket.write(`${'HTTP/1.1 100 Continue\r\n\r\n'.repeat(2000)}HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n`),
  switch: (socket) =>
    void socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\nabc'),
  flood: (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    const piece = Buffer.alloc(65_536, 0x61);
    for (let count = 0; count < 64 && !socket.destroyed; count++) socket.write(piece);
    socket.end();
  },
  late: () => {},
  'late-drip': (socket) => {
    const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : socket.write('H')), 500);
    socket.on('close', () => clearInterval(timer));
  },
};

const NAMES = Object.keys(MISBEHAVIOURS);
const PROMPT = NAMES.filter((name) => !name.startsWith('late'));

/** Opens the receivers, and registers whoever is told of events. */
export async function openReceivers(world: World): Promise<ReceiverGround> {
  const person = await newPerson(world);
  const bearer = await bearerOf(world, person.keys);
  const server = await receiving(person.keys.consumer_secret);
  const application = await asApplication(world, person.keys);
  await application.call('POST', '/2/activity/subscriptions', {
    event_type: 'profile.update.bio',
    filter: { user_id: person.user },
  });
  const { port } = server.address() as AddressInfo;
  return { person, bearer, origin: `http://127.0.0.1:${port}`, close: () => server.close() };
}

function receiving(secret: string): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      if (end < 0) return;
      const [, path = '', query = ''] = /^\w+ ([^? ]*)\??([^ ]*)/.exec(text) ?? [];
      text = '';
      const name = path.split('/').at(-1)!;
      const token = new URLSearchParams(query).get('crc_token');
      const tag = createHmac('sha256', secret)
        .update(token ?? '')
        .digest('base64');
      const right = JSON.stringify({ response_token: `sha256=${tag}` });
      // `then-` answers challenges well, so that the webhook is registered, and nothing else.
      const isFair = name.startsWith('then-') && token !== null;
      const answer = isFair ? MISBEHAVIOURS.well! : (MISBEHAVIOURS[name.replace(/^then-/, '')] ?? MISBEHAVIOURS.well!);
      answer(socket, right);
    });
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)).unref());
}

/** Something about webhooks: registered, challenged, removed, replayed, or an event that is delivered. */
export const webhookCase: Kind = async (dice, setting, sending) => {
  const { receivers, recent } = setting;
  const call = (method: string, path: string, json?: unknown): Promise<string> =>
    send(setting, sending, method, path, json);
  const known = recent.pick(dice, 'webhooks') ?? '19';
  const id = dice.oneIn(10) ? bent(dice, known).replace(/[^\w]/g, '_') || '_' : known;
  const name = dice.pick(dice.oneIn(200) ? NAMES : PROMPT);
  const url = `${receivers.origin}/${dice.below(1_000_000)}/${dice.oneIn(3) ? '' : 'then-'}${name}`;
  switch (dice.below(8)) {
    case 0:
    case 1: {
      const sent = dice.oneIn(5) ? (dice.oneIn(2) ? hostileText(dice) : bent(dice, url)) : url;
      const text = await call('POST', '/2/webhooks', { url: sent });
      const made = /"id":"(\d+)"/.exec(text)?.[1];
      if (made) {
        recent.note('webhooks', made);
        const filter = { user_id: receivers.person.user };
        const subscription = { event_type: 'profile.update.bio', filter, webhook_id: made };
        await call('POST', '/2/activity/subscriptions', subscription);
      }
      return;
    }
    case 2:
      return void (await call('PUT', `/2/webhooks/${encodeURIComponent(id)}`));
    case 3:
      return void (await call('DELETE', `/2/webhooks/${encodeURIComponent(id)}`));
    case 4:
      return void (await call('GET', '/2/webhooks'));
    case 5: {
      const minutes = (back: number): string =>
        new Date(Date.now() - back * 60_000).toISOString().replace(/\D/g, '').slice(0, 12);
      const dates = dice.oneIn(3) ? { from_date: hostileText(dice) } : { from_date: minutes(3), to_date: minutes(0) };
      return void (await call('POST', '/2/webhooks/replay', { webhook_id: id, ...dates }));
    }
    default: {
      const bio: Call = {
        origin: setting.world.service.url,
        method: 'POST',
        path: '/1.1/account/update_profile.json',
        query: [],
        form: [['description', `${dice.below(1_000_000)} ${hostileText(dice)}`.slice(0, 160)]],
        body: undefined,
        headers: [],
        keys: receivers.person.keys,
      };
      await sending.send(bio.origin, bytesOf(bio), { method: 'POST', target: bio.path });
    }
  }
};

async function send(
  { world, receivers }: Setting,
  sending: Parameters<Kind>[2],
  method: string,
  path: string,
  json?: unknown,
): Promise<string> {
  const headers: Call['headers'] = [
    ['authorization', `Bearer ${receivers.bearer}`],
    ...(json === undefined ? [] : [['content-type', 'application/json'] as const]),
  ];
  const body = json === undefined ? undefined : JSON.stringify(json);
  const origin = world.service.url;
  const call: Call = { origin, method, path, query: [], form: undefined, body, headers, keys: undefined };
  const got = await sending.send(origin, bytesOf(call), { method, target: path });
  return typeof got === 'string' ? '' : got.text;
}
