import assert from 'node:assert/strict';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { type ConnectionDrain, watchConnections } from '../../src/http/connection-drain.ts';

const CLIENTS = 16;

/** A server that says `connection: close` once it is stopping, as the service does. */
async function opened() {
  const state = { isDraining: false };
  const server = createServer((_, response) => {
    if (state.isDraining) response.shouldKeepAlive = false;
    setImmediate(() => response.end('ok'));
  });
  const drain = watchConnections(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const finish = (times: Parameters<ConnectionDrain['finish']>[0]): Promise<number> => {
    state.isDraining = true;
    return drain.finish(times);
  };
  return { port, server, finish };
}

/** Asks once; undefined when nobody listens any more. */
function ask(port: number, agent: Agent): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, agent }, (reply) => {
      reply.resume();
      reply.on('end', () => resolve(reply.headers.connection));
      reply.on('error', reject);
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNREFUSED' ? resolve(undefined) : reject(error),
    );
    outgoing.end();
  });
}

describe('a stopping server', () => {
  test('ends what lasts after the grace period, while it still listens', async () => {
    const { server, finish } = await opened();
    const heard: boolean[] = [];
    const endLasting = async (): Promise<void> => void heard.push(server.listening);
    const finished = finish({ grace_ms: 50, timeout_ms: 60_000, endLasting });
    assert.deepEqual(heard, []);
    await finished;
    assert.deepEqual(heard, [true]);
    assert.ok(!server.listening);
  });

  test('answers every request on kept-alive connections that is sent before it stops listening', async () => {
    let told = 0;
    let late = 0;
    for (let stop = 0; stop < 6; stop++) {
      const { port, server, finish } = await opened();
      let answered = 0;
      const client = async (pause_ms: number): Promise<void> => {
        const agent = new Agent({ keepAlive: true, maxSockets: 1 });
        for (;;) {
          const wasListening = server.listening;
          const connection = await ask(port, agent).catch((error) => {
            if (wasListening) throw error;
          });
          // Whoever was told goes elsewhere.
          if (connection === 'close') told += 1;
          if (connection === undefined) late += 1;
          if (connection !== 'keep-alive') return agent.destroy();
          answered += 1;
          if (pause_ms > 0) await new Promise((resolve) => setTimeout(resolve, pause_ms));
        }
      };
      const clients = Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number * 7)));
      while (answered < 200) await new Promise((resolve) => setImmediate(resolve));
      // Some clients pause longer than that.
      assert.equal(await finish({ grace_ms: 60, timeout_ms: 10_000 }), 0);
      await clients;
    }
    assert.ok(told > late, `${told} were told, ${late} came too late`);
  });

  test('closes connections after their reply, and silent ones after the grace period', async () => {
    const { port, server, finish } = await opened();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const idle = new Agent({ keepAlive: true, maxSockets: 1 });
    assert.equal(await ask(port, agent), 'keep-alive');
    assert.equal(await ask(port, idle), 'keep-alive');
    const finished = finish({ grace_ms: 200, timeout_ms: 10_000 });
    assert.ok(server.listening);
    assert.equal(await ask(port, agent), 'close');
    assert.equal(await ask(port, agent), 'close', 'whoever comes anew is answered too');
    assert.equal(await finished, 0);
    assert.ok(!server.listening);
  });

  test('takes new connections until the grace period ends, also when none is left', async () => {
    const { port, finish } = await opened();
    const agent = new Agent({ keepAlive: false });
    const finished = finish({ grace_ms: 2000, timeout_ms: 60_000 });
    for (let times = 0; times < 3; times++) assert.equal(await ask(port, agent), 'close');
    assert.equal(await finished, 0);
    assert.equal(await ask(port, agent), undefined);
  });
});
