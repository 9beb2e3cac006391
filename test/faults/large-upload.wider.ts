// On either database: files lie beside it.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { systemClock } from '../../src/base/clock.ts';
import { storeOn } from '../../src/storage/core/store.ts';
import { clientOf } from '../rig/client.ts';
import { onPlace, openPlace, type Place } from '../rig/databases.ts';
import { type Running, startBarker } from '../rig/process.ts';
import { MP4 } from '../rig/tiny-media.ts';
import { command } from '../rig/uploading.ts';

const SEGMENT_BYTES = 5 * 1_048_576;
const SEGMENTS = 100;
const TOTAL = SEGMENTS * SEGMENT_BYTES;
const AT_ONCE = 4;
const KILLED_AFTER = 40;
const MEMORY_MAX = 250e6;

let place: Place;
let running: Running;
const flags = ['--rate-limits', 'off', '--media-processing-s', '0'];
const start = () => startBarker(place, { flags });
const client = () => clientOf(running.file.sandbox_url!, running.file, systemClock);
before(async () => {
  place = await openPlace();
  running = await start();
});
after(async () => {
  await running.kill();
  await place.remove();
});

/** A segment of a video of 500 MB: a tiny one, and behind it a box that players pass over, no segment like another. */
function segment(index: number): Buffer {
  const bytes = Buffer.alloc(SEGMENT_BYTES, index);
  if (index > 0) return bytes;
  const rest = Buffer.alloc(8);
  rest.writeUInt32BE(TOTAL - MP4.length, 0);
  rest.write('mdat', 4);
  Buffer.concat([MP4, rest]).copy(bytes);
  return bytes;
}

/** The most memory that the process ever had. */
function peakBytes(): number {
  const status = readFileSync(`/proc/${running.pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+)/.exec(status)![1]) * 1024;
}

/** Sends segments, some at once, until there are none or `enough` says so; the answer is what was acknowledged. */
async function send(id: string, indexes: readonly number[], enough: (count: number) => boolean): Promise<Set<number>> {
  const acknowledged = new Set<number>();
  const waiting = [...indexes];
  const worker = async (): Promise<void> => {
    for (let index = waiting.shift(); index !== undefined; index = waiting.shift()) {
      const input = { media_id: id, segment_index: index, media: segment(index) };
      const reply = await command(client(), 'APPEND', input).catch(() => undefined);
      // Whoever was killed answers nothing.
      if (!reply) return;
      assert.equal(reply.status, 204, reply.text);
      acknowledged.add(index);
      if (enough(acknowledged.size)) waiting.length = 0;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return acknowledged;
}

/** Asks until the video is processed; the answer is its name in addresses. */
async function processed(id: string): Promise<string> {
  for (;;) {
    const { status, body, text } = await command(client(), 'STATUS', { media_id: id });
    assert.equal(status, 200, text);
    assert.notEqual(body.processing_info.state, 'failed', text);
    if (body.processing_info.state === 'succeeded') break;
    await setTimeout(200);
  }
  const upload = await onPlace(place, (driver) => storeOn(driver).read((tx) => tx.uploads.find(id)));
  return upload!.file_name;
}

describe('a video of 500 MB in segments of 5 MB', () => {
  test('survives a killed process, continues, and needs little memory', async (t) => {
    const peak0 = peakBytes();
    const input = { media_type: 'video/mp4', media_category: 'amplify_video', total_bytes: TOTAL };
    const begun = await command(client(), 'INIT', input);
    const id = begun.body.media_id_string as string;
    // Backwards, because any order is good.
    const all = Array.from({ length: SEGMENTS }, (_, index) => SEGMENTS - 1 - index);
    let killing: Promise<void> | undefined;
    const first = await send(id, all, (count) => {
      if (count === KILLED_AFTER) killing = running.kill();
      return false;
    });
    const peaks = [peak0];
    await killing;
    running = await start();
    assert.deepEqual(readdirSync(join(place.folder, 'media', 'incoming')), [], 'what was cut off is swept away');
    const left = all.filter((index) => !first.has(index));
    assert.ok(left.length >= SEGMENTS - KILLED_AFTER - AT_ONCE);
    const early = await command(client(), 'FINALIZE', { media_id: id });
    assert.match(early.body.error, /^Segments do not add up to provided total file size: expected 524288000 bytes/);
    const second = await send(id, left, () => false);
    assert.equal(second.size, left.length);
    peaks.push(peakBytes());
    const ended = await command(client(), 'FINALIZE', { media_id: id });
    assert.equal(ended.body.processing_info.state, 'pending', ended.text);
    const file_name = await processed(id);
    peaks.push(peakBytes());
    const { sandbox_url } = running.file;
    const served = await fetch(`${sandbox_url}/media/amplify_video/${id}/vid/64x36/${file_name}.mp4`);
    assert.equal(served.headers.get('content-length'), String(TOTAL));
    const [sent, got] = [createHash('sha256'), createHash('sha256')];
    for (let index = 0; index < SEGMENTS; index++) sent.update(segment(index));
    for await (const chunk of served.body!) got.update(chunk);
    assert.equal(got.digest('hex'), sent.digest('hex'));
    peaks.push(peakBytes());
    t.diagnostic(`peak memory in MB: ${peaks.map((bytes) => Math.round(bytes / 1e6)).join(', ')}`);
    assert.ok(Math.max(...peaks) < MEMORY_MAX, `peak ${Math.max(...peaks)}`);
  });
});
