import assert from 'node:assert/strict';
import { createServer, type Server, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { elapsed_ms } from '../../src/base/timers.ts';
import { SharedServerAway } from '../../src/contract/services/first-uses.ts';
import { connectRedis, type RedisConnection } from '../../src/storage/redis/connection.ts';

/** Longer than a reply of Redis may take. */
const STALL_MS = 200;

/** A Redis in this process, which stalls when it does: it answers every command with OK, or keeps silent. */
let server: Server;
const sockets = new Set<Socket>();
let isSilent = false;
let redis: RedisConnection;
const lost: string[] = [];
before(async () => {
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      const commands = bytes.toString('latin1').match(/^\*\d+\r$/gm) ?? [];
      if (!isSilent) for (const _ of commands) socket.write('+OK\r\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { readonly port: number };
  redis = await connectRedis(
    { url: `redis://127.0.0.1:${port}`, timeout_ms: 50 },
    { lost: (because) => void lost.push(because), back() {} },
  );
});
after(async () => {
  redis.close();
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

function stall(): void {
  const until_ms = elapsed_ms() + STALL_MS;
  while (elapsed_ms() < until_ms);
}
const set = () => redis.run(['rates'], (it) => it.set('a', 1));

describe('a process that stands still', () => {
  test('does not take Redis for lost because of it, even if Redis stood still as well', async () => {
    const reply = set();
    stall();
    assert.equal(await reply, 'OK');
    stall();
    const replies = [set(), set()];
    stall();
    assert.deepEqual(await Promise.all(replies), ['OK', 'OK']);
    assert.deepEqual([lost, redis.isUp()], [[], true]);
  });

  test('loses a Redis that does not answer after that either', async () => {
    isSilent = true;
    const reply = set();
    stall();
    await assert.rejects(reply, SharedServerAway);
    assert.deepEqual([lost, redis.isUp()], [['no reply within 50 ms'], false]);
  });
});
