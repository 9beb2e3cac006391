// On either database: it is about connections, and one request alone asks the database.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { request } from 'undici';
import { until } from '../rig/patience.ts';
import { closeAll, openWorldOver, type World } from '../rig/world.ts';

const STALL_S = 1;
/** Sent ahead: the replies are more than the operating system keeps for a client that does not read. */
const AHEAD = 50;
const REQUEST = 'GET /openapi.json HTTP/1.1\r\nhost: 127.0.0.1\r\n';
const REQUESTS = `${`${REQUEST}\r\n`.repeat(AHEAD - 1)}${REQUEST}connection: close\r\n\r\n`;

let isSlow = false;
let world: World;
let bytes: number;
before(async () => {
  world = await openWorldOver(
    (driver) => ({
      ...driver,
      async read(work) {
        if (isSlow) await wait(STALL_S * 2500);
        return driver.read(work);
      },
    }),
    { flags: { reply_stall_timeout_s: STALL_S } },
  );
  const { body } = await request(`${world.service.url}/openapi.json`, { reset: true });
  bytes = (await body.bytes()).length * AHEAD;
});
after(() => closeAll([world]));

/** Has asked, and reads nothing yet. */
async function reader(): Promise<Socket> {
  const socket = connect(Number(new URL(world.service.url).port), '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.pause();
  socket.write(REQUESTS);
  return socket;
}

/** Open connections, without the one that asks. */
async function connectionCount(): Promise<number> {
  const { body } = await request(`${world.service.operationsUrl}/metrics`, { reset: true });
  return Number(/^barker_connections_open (\d+)$/m.exec(await body.text())![1]) - 1;
}

describe('a reply to a slow client', () => {
  test('is cut off when nothing of it is read for long', async () => {
    await until('no other connection is open', async () => (await connectionCount()) === 0);
    const socket = await reader();
    // A busy machine takes longer to make the replies.
    await until('the connection is closed', async () => (await connectionCount()) === 0);
    let size = 0;
    socket.on('data', (chunk: Buffer) => {
      size += chunk.length;
    });
    socket.resume();
    await once(socket, 'close');
    assert.ok(size < bytes, `${size} bytes`);
  });

  test('arrives completely when it is read slowly', async () => {
    const socket = await reader();
    let size = 0;
    let pauses = 0;
    // Slowly for three times as long, and then at once.
    socket.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (++pauses > 300 * STALL_S) return;
      socket.pause();
      setTimeout(() => socket.resume(), 10);
    });
    socket.resume();
    await once(socket, 'close');
    assert.ok(size > bytes, `${size} bytes`);
  });

  test('is not cut off while it is being made', async () => {
    isSlow = true;
    try {
      assert.equal((await world.production.call('GET', '/12/accounts')).status, 200);
    } finally {
      isSlow = false;
    }
  });
});
