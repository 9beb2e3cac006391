import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ReplyWriter } from '../../src/contract/services/streams.ts';
import { type BufferLimits, StreamBuffer } from '../../src/features/activity/stream/stream-buffer.ts';
import { tokenBucket } from '../../src/features/activity/stream/token-bucket.ts';

const BOUNDS: BufferLimits = { stream_waiting_events_max: 10, stream_waiting_bytes_max: 1000, stream_behind_max_s: 60 };

/** A reader who takes what he likes, and a machine whose time is moved. */
function scene({ per_s = 1_000_000, bounds = BOUNDS }: { per_s?: number; bounds?: BufferLimits } = {}) {
  let now_ms = 0;
  const elapsed_ms = (): number => now_ms;
  const sent: string[] = [];
  const reader = { takes: true, waiting_bytes: 0 };
  const outlet: ReplyWriter = {
    send(bytes) {
      sent.push(bytes.toString());
      if (!reader.takes) reader.waiting_bytes += bytes.length;
      return reader.takes;
    },
    get waiting_bytes() {
      return reader.waiting_bytes;
    },
    finish() {},
  };
  const feed = new StreamBuffer(outlet, tokenBucket(per_s, elapsed_ms), bounds, elapsed_ms);
  return {
    feed,
    reader,
    sent: () => sent.join(''),
    pieces: () => sent.length,
    advance: (seconds: number) => {
      now_ms += seconds * 1000;
    },
    happened: (...lines: string[]) => {
      const each = lines.map((line) => Buffer.from(line));
      return feed.sendLive({ each, joined: Buffer.concat(each) });
    },
    recall: (...lines: string[]) => feed.sendPast(lines.map((line) => Buffer.from(line))),
  };
}

const letters = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => String.fromCharCode(97 + index));

describe('a feed', () => {
  test('writes simultaneous events in one piece', () => {
    const { happened, sent, pieces } = scene();
    assert.ok(happened('a', 'b'));
    assert.ok(happened('c'));
    assert.equal(sent(), 'abc');
    assert.equal(pieces(), 2);
  });

  test('queues events for a client that does not read, and continues in order', () => {
    const { feed, reader, happened, sent } = scene();
    reader.takes = false;
    happened('a');
    happened('b', 'c');
    assert.equal(sent(), 'a');
    reader.takes = true;
    feed.drained();
    happened('d');
    assert.equal(sent(), 'abcd');
  });

  const overflows: readonly (readonly [what: string, lines: readonly string[], isTooMuch: boolean])[] = [
    ['ten events', letters(10), false],
    ['eleven events', letters(11), true],
    ['1000 bytes', ['x'.repeat(1000)], false],
    ['1001 bytes', ['x'.repeat(1001)], true],
  ];
  for (const [what, lines, isTooMuch] of overflows) {
    test(`disconnects a client with ${what} queued: ${isTooMuch}`, () => {
      const { reader, happened } = scene();
      reader.takes = false;
      happened('first');
      assert.equal(happened(...lines), !isTooMuch);
    });
  }

  test('disconnects a client that is more than a minute behind', () => {
    const { feed, reader, happened, advance } = scene();
    reader.takes = false;
    happened('first');
    happened('a');
    advance(60);
    assert.ok(feed.tick());
    advance(0.001);
    assert.ok(!feed.tick());
  });

  test('disconnects a client that reads nothing for a minute, but not a slow one', () => {
    const { feed, reader, happened, advance } = scene();
    reader.takes = false;
    happened('first');
    assert.ok(feed.tick());
    advance(59);
    reader.waiting_bytes = 3;
    assert.ok(feed.tick());
    advance(60);
    assert.ok(feed.tick());
    advance(0.001);
    assert.ok(!feed.tick());
  });

  test('continues after a long silence', () => {
    const { feed, happened, advance } = scene();
    happened('a');
    advance(3600);
    assert.ok(feed.tick());
    happened('b');
    assert.ok(feed.tick());
  });

  test('keeps its rate: faster events wait, and none is lost', () => {
    const { feed, happened, sent, advance } = scene({ per_s: 4 });
    happened(...letters(10));
    assert.equal(sent(), 'abcd');
    advance(0.5);
    feed.tick();
    assert.equal(sent(), 'abcdef');
    advance(0.75);
    feed.tick();
    assert.equal(sent(), 'abcdefghi');
    advance(10);
    feed.tick();
    assert.equal(sent(), 'abcdefghij');
    happened('k', 'l');
    assert.equal(sent(), 'abcdefghijkl');
  });

  test('saves up at most one second of its rate', () => {
    const { happened, sent, advance } = scene({ per_s: 4 });
    advance(3600);
    happened(...letters(10));
    assert.equal(sent(), 'abcd');
  });

  test('sends all past events, however slowly, and reports when it is done', async () => {
    const { feed, recall, advance, sent } = scene({ per_s: 2 });
    let isDone = false;
    const done = recall(...letters(20)).then(() => {
      isDone = true;
    });
    for (let second = 0; second < 9; second++) {
      assert.ok(!isDone);
      advance(second === 4 ? 300 : 1);
      assert.ok(feed.tick());
      await Promise.resolve();
    }
    await done;
    assert.equal(sent(), letters(20).join(''));
  });

  test('sends large past events in pieces', async () => {
    const { recall, pieces } = scene();
    await recall(...Array.from({ length: 10 }, () => 'x'.repeat(30_000)));
    assert.equal(pieces(), 4);
  });

  test('sends nothing when it is closed, and resolves what waits', async () => {
    const { feed, reader, recall, happened, sent } = scene();
    reader.takes = false;
    happened('a');
    const done = recall('b', 'c');
    feed.close();
    await done;
    reader.takes = true;
    feed.drained();
    assert.ok(happened('d'));
    await recall('e');
    assert.ok(feed.tick());
    assert.equal(sent(), 'a');
  });
});
