// On either database: the server is one of this file.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, afterEach, before, describe, test } from 'node:test';
import { openTypedProject, type TypedModule, type TypedProject } from './typed-client.ts';
import { REFUSALS } from './typed-refusals.ts';

interface Seen {
  readonly method: string;
  readonly target: string;
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
}

type Answer = (seen: Seen, response: ServerResponse) => void;

let project: TypedProject;
let client: TypedModule;
let server: Server;
let url: string;
/** The requests of a test, and what is answered to them, in order; the last answer is repeated. */
let seen: Seen[] = [];
let answers: Answer[] = [];

before(async () => {
  project = await openTypedProject();
  client = await project.load();
  server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const { method = '', url: target = '', headers } = request;
    const one = { method, target, headers, body: Buffer.concat(pieces).toString() };
    seen.push(one);
    (answers.length > 1 ? answers.shift()! : answers[0]!)(one, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
  project.remove();
});
afterEach(() => {
  seen = [];
  answers = [];
});

function json(body: unknown, status = 200, headers: Record<string, string> = {}): Answer {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
}

async function collect<Item>(all: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of all) items.push(item);
  return items;
}

const KEYS = { consumer: ['key', 'secret'], token: ['token', 'token secret'] };

function open(options: object = {}) {
  return new client.BarkerClient({ url, ...KEYS, ...options });
}

/** The error of a call, as plain members. */
async function refused(call: Promise<unknown>): Promise<Record<string, unknown>> {
  try {
    await call;
  } catch (error) {
    return error as Record<string, unknown>;
  }
  throw new assert.AssertionError({ message: 'the call was not refused' });
}

const page = (names: readonly string[], next_cursor: string | null) =>
  json({ request: { params: {} }, next_cursor, data: names.map((name) => ({ name })) });

describe('lists', () => {
  const targets = () => seen.map(({ target }) => target);
  const list = () => open().campaigns!.list!({ account_id: 'a b', q: "ä'&=", with_total_count: true }) as unknown;

  test('yield the rows of all pages, and ask for the count of all with the first', async () => {
    answers = [page(['1', '2'], 'c+1'), page([], 'c2'), page(['3'], null)];
    const names: string[] = [];
    for await (const { name } of list() as AsyncIterable<{ name: string }>) names.push(name);
    assert.deepEqual(names, ['1', '2', '3']);
    const path = '/12/accounts/a%20b/campaigns?q=%C3%A4%27%26%3D';
    assert.deepEqual(targets(), [`${path}&with_total_count=true`, `${path}&cursor=c%2B1`, `${path}&cursor=c2`]);
  });

  test('ask for no page that is not needed', async () => {
    answers = [page(['1', '2'], 'c1')];
    for await (const _ of list() as AsyncIterable<unknown>) break;
    assert.equal(seen.length, 1);
  });

  test('are one page when they are awaited, and all rows when they are asked for', async () => {
    answers = [page(['1'], 'c1'), page(['1'], 'c1'), page(['2'], null)];
    assert.deepEqual(await list(), { request: { params: {} }, next_cursor: 'c1', data: [{ name: '1' }] });
    assert.deepEqual(await (list() as { all(): Promise<unknown> }).all(), [{ name: '1' }, { name: '2' }]);
  });
});

describe('calls that fail', () => {
  const limited = (after_s: string) =>
    json({ errors: [{ code: 'TOO_MANY_REQUESTS', message: 'Later' }] }, 429, { 'retry-after': after_s });
  const broken = json({ errors: [{ code: 'SERVICE_UNAVAILABLE', message: 'Down' }] }, 503);
  const lost: Answer = (_, response) => response.destroy();
  const done = json({ data: { id: 'x' }, request: { params: {} } });
  const get = (options?: object) => open(options).campaigns!.get!({ account_id: 'a', campaign_id: 'c' });
  const create = (options?: object) => open(options).campaigns!.create!({ account_id: 'a', name: 'n' });

  test('are repeated when a limit refused them, each with a signature of its own', async () => {
    answers = [limited('0'), limited('0'), done];
    assert.deepEqual(await create(), { data: { id: 'x' }, request: { params: {} } });
    assert.equal(new Set(seen.map(({ headers }) => headers.authorization)).size, 3);
    assert.deepEqual(new Set(seen.map(({ body }) => body)), new Set(['{"name":"n"}']));
  });

  test('are repeated when the window of a limit ends', async () => {
    const reset = { 'x-rate-limit-remaining': '0', 'x-rate-limit-reset': String(Math.floor(Date.now() / 1000) - 1) };
    answers = [json({ errors: [] }, 429, reset), done];
    await create();
    assert.equal(seen.length, 2);
  });

  test('are repeated as often as the options say, and no more', async () => {
    answers = [limited('0')];
    assert.equal((await refused(create({ retries: 3 }))).status, 429);
    assert.equal(seen.length, 4);
  });

  test('fail at once when they would have to wait too long', async () => {
    answers = [limited('900')];
    const error = await refused(create());
    assert.deepEqual([error.retryAfter_s, error.codes, seen.length], [900, ['TOO_MANY_REQUESTS'], 1]);
  });

  for (const [what, answer] of [
    ['a broken server', broken],
    ['a lost connection', lost],
  ] as const) {
    test(`are repeated after ${what} if they read`, async () => {
      answers = [answer, done];
      await get();
      assert.equal(seen.length, 2);
    });

    test(`are not repeated after ${what} if they change something`, async () => {
      answers = [answer, done];
      await refused(create());
      assert.equal(seen.length, 1);
    });
  }

  test('end with their signal, also while they wait', async () => {
    const stop = new AbortController();
    answers = [
      (one, response) => {
        limited('50')(one, response);
        response.on('finish', () => setImmediate(() => stop.abort(new Error('enough'))));
      },
    ];
    const call = open().campaigns!.get!({ account_id: 'a', campaign_id: 'c' }, { signal: stop.signal });
    assert.equal((await refused(call)).message, 'enough');
  });
});

describe('errors', () => {
  const told = async (body: unknown, status = 400) => {
    answers = [json(body, status, { 'x-transaction-id': '0123456789abcdef', 'x-hint': 'look there' })];
    const error = await refused(open().campaigns!.create!({ account_id: 'a' }));
    assert.ok(error instanceof (client.BarkerError as ErrorConstructor));
    const { message, codes, parameter, requestId, hint, status: told, errors, itemErrors, operation } = error as never;
    assert.deepEqual(
      [requestId, hint, told, operation],
      ['0123456789abcdef', 'look there', status, 'campaigns.create'],
    );
    return { message, codes, parameter, errors, itemErrors };
  };

  for (const [family, body, expected] of REFUSALS) {
    test(`in the form of ${family}`, async () => assert.deepEqual(await told(body), expected));
  }

  test('of a proxy keep its text', async () => {
    answers = [(_, response) => response.writeHead(400, 'Bad', {}).end('<h1>Bad</h1>')];
    const { message, body } = await refused(open().campaigns!.create!({ account_id: 'a' }));
    assert.deepEqual([message, body], ['campaigns.create: 400 <h1>Bad</h1>', '<h1>Bad</h1>']);
  });

  test('that a program can avoid are found before anything is sent', async () => {
    const barker = new client.BarkerClient({ url });
    const calls = [
      open().campaigns!.get!({ account_id: 'a' }),
      barker.campaigns!.list!({ account_id: 'a' }),
      barker.webhooks!.list!(),
      barker.delivery!.decisions!({}),
      barker.oauth2!.token!({ grant_type: 'client_credentials' }),
    ];
    const found = await Promise.all(calls.map(async (call) => (await refused(Promise.resolve(call))).message));
    assert.deepEqual(found, [
      'campaigns.get needs campaign_id',
      'campaigns.list needs the options `consumer` and `token`',
      'webhooks.list needs the option `consumer` or `bearer`',
      'delivery.decisions needs the option `publisher`',
      'oauth2.token needs the option `consumer`',
    ]);
    assert.equal(seen.length, 0);
  });
});

test('a client gets one application-only token, whatever calls need it', async () => {
  answers = [json({ token_type: 'bearer', access_token: 'AAA' }), json({ data: [], meta: { result_count: 0 } })];
  const barker = open();
  await Promise.all([barker.webhooks!.list!(), barker.webhooks!.list!(), barker.connections!.list!()]);
  assert.deepEqual(
    seen.map(({ target, headers }) => `${target} ${headers.authorization}`),
    [
      `/oauth2/token Basic ${btoa('key:secret')}`,
      ...['/2/webhooks', '/2/webhooks', '/2/connections'].map((path) => `${path} Bearer AAA`),
    ],
  );
  assert.equal(seen[0]!.body, 'grant_type=client_credentials');
});

test('bodies have times with seconds, lists, null, and nothing that is undefined', async () => {
  answers = [json({})];
  const time = new Date('2026-03-02T09:00:00.250Z');
  await open().lineItems!.update!({
    account_id: 'a',
    line_item_id: 'l',
    start_time: time,
    end_time: null,
    name: undefined,
  });
  await open().stats!.get!({ account_id: 'a', entity_ids: ['x', 'y'], start_time: time });
  assert.deepEqual(
    seen.map(({ method, target, body }) => [method, target, body]),
    [
      ['PUT', '/12/accounts/a/line_items/l', '{"start_time":"2026-03-02T09:00:00Z","end_time":null}'],
      ['GET', '/12/stats/accounts/a?entity_ids=x%2Cy&start_time=2026-03-02T09%3A00%3A00Z', ''],
    ],
  );
});

describe('uploads', () => {
  const upload = (bytes: number, options: object) =>
    (open() as unknown as { upload(file: Blob, options: object): Promise<unknown> }).upload(
      new Blob(['x'.repeat(bytes)], { type: 'video/mp4' }),
      options,
    );
  const media = (processing_info?: object) => json({ data: { id: '7', media_key: '13_7', processing_info } });

  test('send parts in order, tell how far they are, and wait until the file has been processed', async () => {
    answers = [
      ...[media(), json({ data: {} }), json({ data: {} }), json({ data: {} })],
      ...[media({ state: 'pending', check_after_secs: 0 }), media({ state: 'succeeded' })],
    ];
    const told: number[][] = [];
    const onProgress = (...numbers: number[]) => told.push(numbers);
    const done = await upload(250, { partBytes: 100, media_category: 'amplify_video', onProgress });
    assert.deepEqual(done, { id: '7', media_key: '13_7', processing_info: { state: 'succeeded' } });
    assert.deepEqual(
      told,
      [100, 200, 250].map((sent) => [sent, 250]),
    );
    assert.deepEqual(
      seen.map(({ method, target }) => `${method} ${target}`),
      [
        'POST /2/media/upload/initialize',
        ...Array(3).fill('POST /2/media/upload/7/append'),
        ...['POST /2/media/upload/7/finalize', 'GET /2/media/upload?media_id=7'],
      ],
    );
    assert.deepEqual(JSON.parse(seen[0]!.body), {
      media_type: 'video/mp4',
      media_category: 'amplify_video',
      total_bytes: 250,
    });
    const parts = seen
      .slice(1, 4)
      .map(({ body }) => [/name="segment_index"\r\n\r\n(\d)/.exec(body)![1], /x{9,}/.exec(body)![0].length]);
    assert.deepEqual(parts, [
      ['0', 100],
      ['1', 100],
      ['2', 50],
    ]);
  });

  test('fail when the file cannot be used', async () => {
    const error = { code: 1, name: 'InvalidMedia', message: 'No video' };
    answers = [media(), json({ data: {} }), media({ state: 'failed', error })];
    const { name, message } = await refused(upload(10, {}));
    assert.deepEqual([name, message], ['MediaFailed', 'No video']);
  });
});

describe('the stream', () => {
  const event = (id: string) =>
    `${JSON.stringify({ data: { event_uuid: id, event_type: 'dm.sent', filter: {}, payload: {} } })}\r\n`;
  const lines =
    (...texts: string[]): Answer =>
    (_, response) => {
      response.writeHead(200);
      for (const text of texts) response.write(text);
      response.end();
    };
  const last = (disconnect_type: string) =>
    `${JSON.stringify({ errors: [{ title: 'T', detail: 'D', type: 'x', disconnect_type }] })}\r\n`;
  const stream = (params?: object) =>
    open({ bearer: 'B' }).activity!.stream!(params) as unknown as AsyncIterable<{ event_uuid: string }>;

  test('reconnects, asks for what it missed, and repeats nothing', async () => {
    const half = event('2').length / 2;
    answers = [
      lines(
        '\r\n',
        event('1'),
        event('2').slice(0, half),
        event('2').slice(half),
        last('UpstreamOperationalDisconnect'),
      ),
      lines(event('2'), event('3')),
      lines(last('ForceDisconnect')),
    ];
    const got: string[] = [];
    const error = await refused(
      (async () => {
        for await (const { event_uuid } of stream({ start_time: '2026-03-02T09:00:00Z' })) got.push(event_uuid);
      })(),
    );
    assert.deepEqual(got, ['1', '2', '3']);
    assert.deepEqual([error.name, error.message, error.disconnectType], ['StreamClosed', 'T: D', 'ForceDisconnect']);
    assert.deepEqual(
      seen.map(({ target, headers }) => `${target} ${headers.authorization}`),
      ['start_time=2026-03-02T09%3A00%3A00Z', 'backfill_minutes=5', 'backfill_minutes=5'].map(
        (query) => `/2/activity/stream?${query} Bearer B`,
      ),
    );
  });

  test('ends with the end of a window', async () => {
    answers = [lines(event('1'))];
    const got = await collect(stream({ start_time: new Date(0), end_time: new Date(1000) }));
    assert.deepEqual([got.map(({ event_uuid }) => event_uuid), seen.length], [['1'], 1]);
  });

  test('fails when it is refused', async () => {
    answers = [json({ title: 'Unauthorized', detail: 'No' }, 401)];
    assert.equal((await refused(collect(stream()))).status, 401);
  });
});
