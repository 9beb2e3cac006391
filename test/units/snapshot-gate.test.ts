import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, test } from 'node:test';
import { Gate } from '../../src/dev/snapshots/gate.ts';

/** A reply that keeps what it is given. */
class Reply extends EventEmitter {
  status = 0;
  headers: Record<string, string> = {};
  text = '';
  writeHead(status: number, headers: Record<string, string>): void {
    Object.assign(this, { status, headers });
  }
  end(text: string): void {
    this.text = text;
  }
}

function arriveAt(gate: Gate, url: string) {
  const reply = new Reply();
  const request = { method: 'GET', url, resume() {} } as unknown as IncomingMessage;
  return { reply, isAnswered: gate.arrive(request, reply as unknown as ServerResponse) };
}

const nothing = async (): Promise<void> => {};

describe('the gate of restores', () => {
  test('lets requests through, and answers them with 503 while it is closed', async () => {
    const gate = new Gate();
    assert.equal(arriveAt(gate, '/12/accounts').isAnswered, false);
    const other = new Gate();
    await other.closed(nothing, async () => {
      for (const url of ['/12/accounts', '/_dev/snapshots']) {
        const { reply, isAnswered } = arriveAt(other, url);
        assert.deepEqual([isAnswered, reply.status, reply.headers['retry-after']], [true, 503, '1']);
        assert.equal(JSON.parse(reply.text).errors[0].code, 'RESTORING');
      }
    });
    assert.equal(arriveAt(other, '/12/accounts').isAnswered, false);
  });

  test('waits for the requests under way, but not for calls of the surface', async () => {
    const gate = new Gate();
    const { reply } = arriveAt(gate, '/12/accounts');
    arriveAt(gate, '/_dev/requests/stream');
    const done: string[] = [];
    const closed = gate.closed(
      async () => void done.push('streams end'),
      async () => void done.push('restored'),
    );
    await new Promise(setImmediate);
    assert.deepEqual(done, ['streams end']);
    reply.emit('close');
    await closed;
    assert.deepEqual(done, ['streams end', 'restored']);
  });

  test('gives up on a request that does not end, and opens again', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const gate = new Gate();
    arriveAt(gate, '/12/accounts?secret=1');
    const closed = gate.closed(nothing, async () => assert.fail('restored'));
    await Promise.resolve();
    await Promise.resolve();
    t.mock.timers.tick(10_000);
    await assert.rejects(closed, {
      code: 'REQUESTS_UNDER_WAY',
      message: '1 requests did not end within 10 s, the first is GET /12/accounts; nothing was changed',
    });
    assert.equal(arriveAt(gate, '/12/accounts').isAnswered, false);
  });

  test('is closed once at a time', async () => {
    const gate = new Gate();
    await gate.closed(nothing, () => assert.rejects(gate.closed(nothing, nothing), { code: 'RESTORING' }));
  });
});
