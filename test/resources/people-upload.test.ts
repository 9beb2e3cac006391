import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { rawCall } from '../rig/raw.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';
import { audienceOn, beginUpload, hashOf, type Kept, persons, remove, update } from './people-calls.ts';

let world: World;
let account: string;
let kept: Kept;
before(async () => {
  world = await openWorld();
  account = (await openAccount(world.sandbox)).path;
  kept = await audienceOn(world.sandbox, account);
});
after(() => world.close());

const logged = () =>
  world.service.store.read((tx) => tx.audienceLog.findAfter(`audience:${kept.id}`, 0, Number.MAX_SAFE_INTEGER));

describe('people are uploaded', () => {
  test('as in the reference, and counted', async () => {
    const reply = await kept.upload([
      update(
        [
          {
            email: ['c63bfa58347adb89a36591889b9faa7bfea02e5336529c46662ddda5ad233f90'],
            phone_number: ['abbf04d6f629b136344993dfb197f1fd9296f712eaf103ebc22b1cc29fb0f135'],
            partner_user_id: ['crm-00017'],
          },
          {
            handle: ['2d318ee0150f0cf54940ef2241bcf542aa787d31df357b3f34c8cda9b33a983c'],
            service_user_id: ['7b509a2df73e73c9abb3b24c889764f8e0e33e5c9e22b1ba3ca4f00853446720'],
            device_id: ['31b806b4deec8c4cb1ffb18b9ab4ee1fa82a2b30e1f47902f04d03f5db023376'],
          },
        ],
        { effective_at: '2026-03-01T00:00:00Z', expires_at: '2027-03-01T00:00:00Z' },
      ),
      remove([{ email: ['6751db98f5f4c89107fa73a513e9a94a003be8400ea2d3af072091421bbd8e79'] }]),
    ]);
    assert.equal(reply.status, 200);
    assert.deepEqual(reply.body, {
      request: { params: { account_id: account.split('/').at(-1), custom_audience_id: kept.id } },
      data: { success_count: 3, total_count: 3 },
    });
    assert.deepEqual(
      (await logged()).map(({ number, accepted_at, records }) => ({ number, accepted_at, records })),
      [{ number: 1, accepted_at: world.clock.now() / 1000, records: 3 }],
    );
  });

  test('in capitals, with members in any order, with empty lists beside others', async () => {
    const users = [{ phone_number: [], email: [hashOf(1).toUpperCase()], handle: null }];
    const reply = await kept.upload([{ params: { users, unknown: 1 }, operation_type: 'Update' }]);
    assert.deepEqual(reply.body.data, { success_count: 1, total_count: 1 });
  });

  test('and the next read of the sandbox sees them', async () => {
    const readers = await audienceOn(world.sandbox, account);
    const told = async () => {
      const { targetable, reasons_not_targetable, audience_size } = await readers.show();
      return { targetable, reasons_not_targetable, audience_size };
    };
    await readers.upload([update(persons(0, 99))]);
    assert.deepEqual(await told(), { targetable: false, reasons_not_targetable: ['TOO_SMALL'], audience_size: null });
    await readers.upload([update(persons(90, 120))]);
    assert.deepEqual(await told(), { targetable: true, reasons_not_targetable: [], audience_size: 120 });
    await readers.upload([remove(persons(0, 10))]);
    assert.deepEqual(await told(), { targetable: true, reasons_not_targetable: [], audience_size: 110 });
  });

  test('in up to 2500 operations', async () => {
    const operations = (count: number) => persons(0, count).map((person) => update([person]));
    const before = (await logged()).length;
    const refused = await kept.upload(operations(2501));
    assert.equal(refused.status, 400);
    assert.deepEqual(refused.body.errors, [
      { code: 'INVALID_PARAMETER', message: 'Expected at most 2500 operations, got 2501', parameter: 'operations' },
    ]);
    assert.equal((await logged()).length, before);
    assert.deepEqual((await kept.upload(operations(2500))).body.data, { success_count: 2500, total_count: 2500 });
  });
});

/** An upload of so many bytes: spaces do not count. */
function bodyOf(bytes: number): Buffer {
  return Buffer.from(JSON.stringify([update(persons(0, 100))]).padEnd(bytes));
}

const TOO_LARGE = /"errors":\[\{"code":"REQUEST_TOO_COMPLEX","message":"Expected at most 5000000 bytes"\}\]/;

describe('an upload has at most 5,000,000 bytes', () => {
  for (const [how, headers] of [
    ['of announced length', { 'content-length': 5_000_000 }],
    ['in chunks', { 'transfer-encoding': 'chunked' }],
  ] as const) {
    test(`${how}: up to the limit`, async () => {
      const { outgoing, reply } = beginUpload(world, `${kept.path}/users`, headers);
      outgoing.end(bodyOf(5_000_000));
      const { statusCode, text } = await reply;
      assert.deepEqual([statusCode, JSON.parse(text).data], [200, { success_count: 100, total_count: 100 }]);
    });
  }

  test('of announced length: a byte more is refused before any is sent, and the connection ends', async () => {
    const before = (await logged()).length;
    const { outgoing, reply } = beginUpload(world, `${kept.path}/users`, { 'content-length': 5_000_001 });
    outgoing.flushHeaders();
    const { statusCode, text, headers } = await reply;
    assert.deepEqual([statusCode, headers.connection], [400, 'close']);
    assert.match(text, TOO_LARGE);
    outgoing.destroy();
    assert.equal((await logged()).length, before);
  });

  test('in chunks: a byte more is refused before the rest has arrived, and the connection ends', async () => {
    const { outgoing, reply } = beginUpload(world, `${kept.path}/users`, { 'transfer-encoding': 'chunked' });
    outgoing.write(bodyOf(5_000_001));
    const { statusCode, text, headers } = await reply;
    assert.deepEqual([statusCode, headers.connection], [400, 'close']);
    assert.match(text, TOO_LARGE);
    outgoing.destroy();
  });

  test('a client that sends everything before it reads gets the reply', async () => {
    const { outgoing, reply } = beginUpload(world, `${kept.path}/users`, { 'content-length': 6_000_000 });
    const sent = new Promise<void>((resolve) => outgoing.end(bodyOf(6_000_000), resolve));
    await sent;
    assert.equal((await reply).statusCode, 400);
  });
});

describe('an upload is invalid as a whole', () => {
  const path = () => `${kept.path}/users`;
  for (const [what, body, message] of [
    ['that is no JSON', '[{', 'Request body is not valid JSON'],
    ['that is empty', '', 'Request body is not valid JSON'],
    ['that is not UTF-8', Buffer.from('["\xff"]', 'latin1'), 'Request body is not valid JSON'],
    ['that is nested without end', '['.repeat(100_000), 'Request body is not valid JSON'],
    ['that is one operation', '{"operation_type":"Update"}', 'Expected an array of operations'],
    ['of nothing', '[]', 'A minimum of 1 items must be provided for operations'],
  ] as const) {
    test(what, async () => {
      const { outgoing, reply } = beginUpload(world, path());
      outgoing.end(body);
      const { statusCode, text } = await reply;
      assert.deepEqual([statusCode, JSON.parse(text).errors], [400, [{ code: 'INVALID_PARAMETER', message }]]);
    });
  }

  test('under another content type', async () => {
    const { outgoing, reply } = beginUpload(world, path(), { 'content-type': 'text/plain' });
    outgoing.end('[]');
    assert.match((await reply).text, /"message":"Content-Type must be application\/json"/);
  });

  for (const [what, forged, status] of [
    ['with the hash that was signed it is taken', '', 200],
    ['with another body than the one whose hash was signed it is refused', 'x', 401],
  ] as const) {
    test(what, async () => {
      const body = JSON.stringify([update(persons(0, 1))]);
      const oauth_body_hash = hash('sha1', body + forged, 'base64');
      const headers = { 'content-type': 'application/json' };
      const call = { method: 'POST', target: path(), keys: world.keys, headers, body, oauth: { oauth_body_hash } };
      const reply = await rawCall(world.service.sandboxUrl, world.clock, call);
      assert.equal(reply.status, status, reply.text);
    });
  }
});
