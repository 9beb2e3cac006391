import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Dependencies, openDependencies } from '../../src/app/dependencies.ts';
import { formatInstant } from '../../src/base/instants.ts';
import type { Call } from '../../src/contract/declare/operation.ts';
import { Problem } from '../../src/contract/problems/problems.ts';
import { mediaPath } from '../../src/contract/services/media.ts';
import type { Upload } from '../../src/contract/store/uploads.ts';
import { appendSegment } from '../../src/features/media/append-segment.ts';
import { finalizeUpload } from '../../src/features/media/finalize-upload.ts';
import { placeholderImage } from '../../src/features/media/placeholder-image.ts';
import { loadSettings } from '../../src/settings/load.ts';
import { type OwnS3, startS3 } from '../rig/s3.ts';
import { MP4 } from '../rig/tiny-media.ts';
import { command } from '../rig/uploading.ts';
import { openWorld, type World } from '../rig/world.ts';

const PNG = placeholderImage(30, 20);
const ROUNDS = 15;

let s3: OwnS3;
let world: World;
let other: Dependencies;
let folder: string;
before(async () => {
  s3 = await startS3();
  const flags = { ...s3.flags, object_store_timeout_s: 30, rate_limits: 'off', media_processing_s: 0 };
  world = await openWorld({ flags });
  // Another node of the same database, with a data folder of its own; what it answers is looked at without HTTP.
  folder = mkdtempSync(join(tmpdir(), 'barker-node-'));
  const { databaseUrl } = world.place;
  const master_key = readFileSync(join(world.place.folder, 'master.key'), 'utf8').trim();
  const settings = loadSettings({
    ...{ mode: 'dev', environment: {}, readFile: () => '' },
    flags: { ...flags, data_folder: folder, database_url: databaseUrl, master_key },
  });
  other = await openDependencies('dev', settings, { clock: world.clock, log: world.service.log });
});
after(async () => {
  const { audiences, keywords } = other.services;
  await Promise.all([audiences.uploads.close(), audiences.members.close(), audiences.directory.close()]);
  await keywords.close();
  other.objects.close();
  await other.store.close();
  await world.close();
  await s3.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A call at the other node. */
function callAt(input: Record<string, unknown> = {}): Call {
  const principal = { user: world.keys.user_id! };
  const call = { services: other.services, principal, input, now: formatInstant(world.clock.now()), files: new Map() };
  return call as unknown as Call;
}
async function appendAtOther(id: string, segment_index: number, bytes: Buffer): Promise<void> {
  const call = callAt({ segment_index: String(segment_index) });
  const { received } = other.services.media;
  const file = await received.receive(once(bytes), bytes.length);
  (call.files as Map<string, typeof file>).set('media', file);
  try {
    await appendSegment(call, id);
  } finally {
    await received.discard(file);
  }
}
async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
const begin = async (media_type: string, bytes: Buffer, more = {}): Promise<string> =>
  (await command(world.sandbox, 'INIT', { media_type, total_bytes: bytes.length, ...more })).body.media_id_string;
const appendHere = async (media_id: string, segment_index: number, media: Buffer): Promise<number> =>
  (await command(world.sandbox, 'APPEND', { media_id, segment_index, media })).status;
const finalizeHere = async (media_id: string): Promise<number> =>
  (await command(world.sandbox, 'FINALIZE', { media_id })).status;
/** The status at the other node. */
const finalizeAtOther = (id: string): Promise<number> =>
  finalizeUpload(callAt(), id).then(
    () => 200,
    (error) => {
      if (error instanceof Problem) return 400;
      throw error;
    },
  );
const uploadOf = async (id: string): Promise<Upload> => (await other.store.read((tx) => tx.uploads.find(id)))!;

async function checkServed(id: string, bytes: Buffer): Promise<void> {
  const upload = await uploadOf(id);
  assert.equal(upload.state, 'succeeded');
  const reply = await fetch(world.service.services.media.addresses.url('sandbox', mediaPath(upload)));
  assert.deepEqual(Buffer.from(await reply.arrayBuffer()), bytes);
  world.clock.advance(3600);
  await world.service.jobs.runDue();
  const left: string[] = [];
  for (const area of ['parts', 'ready']) {
    for await (const { key } of other.services.objects.list(`media/${area}/${id}/`)) left.push(key);
  }
  assert.deepEqual(left.sort(), [upload.object_key, upload.poster_key].filter((key) => key !== null).sort());
}

describe('an upload at two nodes', () => {
  test('has the segments of both, and is finalized at both at once with one result', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = await begin('image/png', PNG);
      const [status] = await Promise.all([
        appendHere(id, 0, PNG.subarray(0, 60)),
        appendAtOther(id, 1, PNG.subarray(60)),
      ]);
      assert.equal(status, 204);
      assert.deepEqual(await Promise.all([finalizeHere(id), finalizeAtOther(id)]), [200, 200]);
      await checkServed(id, PNG);
    }
  });

  test('that is processed by a job is processed once', async () => {
    const id = await begin('video/mp4', MP4, { media_category: 'post_video' });
    await appendAtOther(id, 0, MP4.subarray(0, 200));
    assert.equal(await appendHere(id, 1, MP4.subarray(200)), 204);
    assert.deepEqual(await Promise.all([finalizeHere(id), finalizeAtOther(id)]), [200, 200]);
    await Promise.all([world.service.jobs.runDue(), other.jobs.runDue()]);
    await world.service.jobs.runDue();
    await checkServed(id, MP4);
  });

  test('never has more bytes than announced, whoever receives them', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = await begin('image/png', PNG);
      const size = Math.ceil(PNG.length / 2) + 1;
      const segment = Buffer.alloc(size);
      const both = await Promise.all([
        appendHere(id, 0, segment),
        appendAtOther(id, 1, segment).then(
          () => 204,
          (error) => (error instanceof Problem ? 400 : Promise.reject(error)),
        ),
      ]);
      assert.deepEqual(both.sort(), [204, 400]);
      assert.equal(await other.store.write((tx) => tx.uploads.sumSegments(id)), size);
    }
  });

  test('that is closed at one while a segment arrives at the other has the segment or refuses it', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = await begin('image/png', PNG);
      assert.equal(await appendHere(id, 0, PNG), 204);
      // The same bytes again, under the same index.
      const again = appendAtOther(id, 0, PNG).catch((error) => assert.ok(error instanceof Problem, error));
      assert.deepEqual(await Promise.all([finalizeHere(id), again.then(() => 200)]), [200, 200]);
      await checkServed(id, PNG);
    }
  });
});
