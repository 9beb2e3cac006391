import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Entry } from '../../src/dev/requests/entry.ts';
import { RequestRing } from '../../src/dev/requests/ring.ts';
import { Slabs } from '../../src/dev/requests/slot.ts';

/** An entry of a ring that has not ended. */
function added(ring: RequestRing, target = '/12/accounts'): Entry {
  const entry = new Entry({
    ...{ id: ring.nextId(), direction: 'in', kind: 'call', at_ms: 1_772_471_095_123.5, environment: 'sandbox' },
    ...{ method: 'PUT', httpVersion: '1.1', target, headers: ['Host', 'a:1', 'X-Empty', '', 'X-Name', 'Ada'] },
  });
  ring.add(entry);
  return entry;
}

/** Ends an entry and has it packed. */
function kept(ring: RequestRing, entry: Entry): Entry {
  ring.end(entry);
  ring.keep(entry);
  return entry;
}

const members = (entry: Entry) => ({
  ...entry,
  body: Buffer.from(entry.body).toString(),
  replyBody: Buffer.concat(entry.replyBody.map((part) => Buffer.from(part as string))).toString(),
});

describe('the ring of requests', () => {
  test('gives back what was put in, whatever it has', () => {
    const ring = new RequestRing();
    const bare = added(ring);
    const full = added(ring, '/12/accounts?q=%00%F0%9F%90%95');
    Object.assign(full, {
      ...{ operation: 'accounts.update', account: 'abc', role: 'ACCOUNT_ADMIN', transactionId: 'f00', status: 200 },
      ...{ caller: { kind: 'user', user: '7', application: '1', level: 'read' }, parameters: '{"name":"\\u0000 🐕"}' },
      ...{ ignored: 'colour, größe', faults: ['1', 'slow'], failure: 'lost', bodyBytes: 99 },
      ...{ replyHeaders: ['a', '', 'b', '2'], body: Buffer.from('a\0b\nc') },
      windows: { user: { limit: 9, remaining: 8, reset: 7 }, account: undefined, address: undefined, isRefused: true },
    });
    full.addReply('{"a":"ä\n\0');
    full.addReply(Buffer.from('🐕"}'));
    full.statements.addStatement('get\n"accounts"', 0.25);
    for (const entry of [bare, full]) {
      const before = structuredClone(members(kept(ring, entry)));
      assert.deepEqual(structuredClone(members(ring.find(entry.id)!)), before);
    }
    assert.deepEqual(ring.list().map(members), [bare, full].map(members));
  });

  test('shows those that are under way, and keeps what others hold', () => {
    const ring = new RequestRing();
    const entry = added(ring);
    assert.equal(ring.find(entry.id), entry);
    const ended: Entry[] = [];
    const stop = ring.onEnd((each) => ended.push(each));
    kept(ring, entry);
    ring.end(entry);
    stop();
    assert.deepEqual(ended, [entry]);
    assert.notEqual(ring.find(entry.id), entry);
  });

  test('keeps a thousand', () => {
    const ring = new RequestRing();
    const first = added(ring);
    for (let count = 0; count < 999; count++) kept(ring, added(ring, `/${count}`));
    assert.equal(ring.list().length, 1000);
    kept(ring, added(ring, '/last'));
    assert.equal(ring.find(first.id), undefined);
    // Its place belongs to another by now.
    kept(ring, first);
    const targets = ring.list().map(({ target }) => target);
    assert.deepEqual([targets.length, targets[0], targets.at(-1)], [1000, '/0', '/last']);
  });

  test('keeps fewer when they are large, and the latest of them whole', () => {
    const ring = new RequestRing();
    for (let count = 0; count < 700; count++) {
      const entry = added(ring, `/${count}`);
      entry.body = Buffer.alloc(65_536, `${count} `);
      kept(ring, entry);
    }
    const listed = ring.list();
    assert.ok(listed.length > 490 && listed.length < 512, `${listed.length}`);
    for (const { target, body } of listed)
      assert.ok(
        Buffer.from(body)
          .toString()
          .startsWith(`${target.slice(1)} `),
      );
  });

  test('is empty when it was cleared, also of what ends later', () => {
    const ring = new RequestRing();
    const entry = added(ring);
    kept(ring, added(ring));
    ring.clear();
    kept(ring, entry);
    assert.deepEqual(ring.list(), []);
    const next = kept(ring, added(ring));
    assert.deepEqual(
      ring.list().map(({ id }) => id),
      [next.id],
    );
  });
});

describe('slabs', () => {
  test('are used again when all that was in them is gone', () => {
    const slabs = new Slabs();
    const used = new Set<Buffer>();
    const queue: ReturnType<typeof slabs.take>[] = [];
    for (let count = 0; count < 1000; count++) {
      const slab = slabs.take(100_000);
      assert.ok(slab.bytes.length - slab.used >= 100_000);
      slab.used += 100_000;
      slab.entries += 1;
      used.add(slab.bytes);
      if (queue.push(slab) > 10) slabs.release(queue.shift()!);
    }
    assert.ok(used.size <= 4, `${used.size} slabs`);
    assert.equal(slabs.take(2_000_000).bytes.length, 2_000_000);
  });
});
