// On either database: files lie beside it.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import {
  hlsPath,
  mediaKeyOf,
  mediaPath,
  parseMediaKey,
  posterPath,
  vmapPath,
} from '../../src/contract/services/media.ts';
import type { Upload } from '../../src/contract/store/uploads.ts';
import { placeholderImage } from '../../src/features/media/placeholder-image.ts';
import { PLANTED, SECRET } from '../rig/planted-media.ts';
import { GIF, JPEG, MP4 } from '../rig/tiny-media.ts';
import { command, partsOf, UPLOAD, upload } from '../rig/uploading.ts';
import { openWorld, type World } from '../rig/world.ts';

const PNG = placeholderImage(30, 20);
const DAY_S = 86_400;

let world: World;
before(async () => {
  world = await openWorld({ flags: { media_processing_s: 0 } });
});
after(() => world.close());

async function uploaded(bytes: Buffer, media_type: string, media_category: string): Promise<Upload> {
  const { id } = await upload(world.sandbox, bytes, { media_type, media_category });
  await world.service.jobs.runDue();
  return (await world.service.store.read((tx) => tx.uploads.find(id)))!;
}

const urlOf = (path: string, environment: 'production' | 'sandbox' = 'sandbox'): string =>
  world.service.services.media.addresses.url(environment, path);
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(urlOf(path), { headers, method });
const bytesOf = async (reply: Response): Promise<Buffer> => Buffer.from(await reply.arrayBuffer());

describe('media is served', () => {
  test('on both listeners, with its media type, sandboxed and cacheable', async () => {
    const image = await uploaded(PNG, 'image/png', 'post_image');
    const path = mediaPath(image);
    assert.match(path, /^\/media\/[0-9a-f]{16}\.jpg$/);
    for (const environment of ['production', 'sandbox'] as const) {
      const reply = await fetch(urlOf(path, environment));
      assert.equal(reply.status, 200);
      assert.deepEqual(await bytesOf(reply), PNG);
      const expected = {
        'content-type': 'image/png',
        'content-length': String(PNG.length),
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
        'accept-ranges': 'bytes',
      };
      const said = Object.fromEntries(Object.keys(expected).map((name) => [name, reply.headers.get(name)]));
      assert.deepEqual(said, expected);
    }
  });

  test('completely, in ranges, for HEAD and with conditional requests', async () => {
    const video = await uploaded(MP4, 'video/mp4', 'amplify_video');
    const path = mediaPath(video);
    assert.equal(path, `/amplify_video/${video.id}/vid/64x36/${video.file_name}.mp4`);
    const whole = await get(path);
    const etag = whole.headers.get('etag')!;
    assert.equal(whole.headers.get('content-type'), 'video/mp4');
    assert.deepEqual(await bytesOf(whole), MP4);
    const size = MP4.length;
    const table: [
      headers: Record<string, string>,
      method: string,
      status: number,
      range: string | null,
      bytes: Buffer,
    ][] = [
      [{ range: 'bytes=0-9' }, 'GET', 206, `bytes 0-9/${size}`, MP4.subarray(0, 10)],
      [{ range: 'bytes=100-' }, 'GET', 206, `bytes 100-${size - 1}/${size}`, MP4.subarray(100)],
      [{ range: 'bytes=-5' }, 'GET', 206, `bytes ${size - 5}-${size - 1}/${size}`, MP4.subarray(-5)],
      [{ range: 'bytes=0-9,20-29' }, 'GET', 200, null, MP4],
      [{ 'if-none-match': etag, 'cache-control': 'max-age=0' }, 'GET', 304, null, Buffer.alloc(0)],
      [{}, 'HEAD', 200, null, Buffer.alloc(0)],
    ];
    for (const [headers, method, status, range, bytes] of table) {
      const reply = await get(path, headers, method);
      const said = [reply.status, reply.headers.get('content-range'), (await bytesOf(reply)).toString('hex')];
      assert.deepEqual(said, [status, range, bytes.toString('hex')], JSON.stringify(headers));
      if (method === 'HEAD') assert.equal(reply.headers.get('content-length'), String(size));
    }
    const beyond = await get(path, { range: 'bytes=999999-' });
    assert.deepEqual([beyond.status, beyond.headers.get('content-range')], [416, `bytes */${size}`]);
  });

  test('with a poster: the first frame of a GIF, a grey image for a video', async () => {
    const gif = await uploaded(GIF, 'image/gif', 'post_gif');
    assert.equal((await get(mediaPath(gif))).headers.get('content-type'), 'image/gif');
    const frame = await get(posterPath(gif));
    assert.deepEqual([frame.status, frame.headers.get('content-type')], [200, 'image/gif']);
    assert.ok((await bytesOf(frame)).length < GIF.length);
    const video = await uploaded(MP4, 'video/mp4', 'post_video');
    const grey = await get(posterPath(video));
    assert.deepEqual([grey.status, grey.headers.get('content-type')], [200, 'image/png']);
    assert.deepEqual(await bytesOf(grey), placeholderImage(64, 36));
    for (const [of, ending, mime] of [
      [gif, 'gif', 'image/gif'],
      [video, 'png', 'image/png'],
    ] as const) {
      assert.match(posterPath(of), new RegExp(`^/post_\\w+_thumb/${of.id}/img/${of.file_name}\\.${ending}$`));
      // As it was given out by earlier releases.
      const former = await get(posterPath(of).replace(/\w+$/, 'jpg'));
      assert.deepEqual([former.status, former.headers.get('content-type')], [200, mime]);
      assert.equal((await get(posterPath(of).replace(/\w+$/, 'webp'))).status, 404);
    }
  });

  test('with VMAP and HLS manifests', async () => {
    const video = await uploaded(MP4, 'video/mp4', 'amplify_video');
    const list = await get(vmapPath(video));
    assert.equal(list.headers.get('content-type'), 'application/xml; charset=utf-8');
    const text = await list.text();
    assert.match(text, /<Duration>00:00:01\.200<\/Duration>/);
    assert.ok(text.includes(`width="64" height="36">${urlOf(mediaPath(video))}</MediaFile>`), text);
    const pieces = await get(hlsPath(video));
    assert.equal(pieces.headers.get('content-type'), 'application/vnd.apple.mpegurl');
    assert.ok((await pieces.text()).includes(`#EXTINF:1.200,\n${urlOf(mediaPath(video))}\n#EXT-X-ENDLIST`));
  });

  test('at no other path, and not before processing', async () => {
    const image = await uploaded(JPEG, 'image/jpeg', 'post_image');
    const { id } = await upload(world.sandbox, MP4, { media_type: 'video/mp4', media_category: 'post_video' });
    const waiting = (await world.service.store.read((tx) => tx.uploads.find(id)))!;
    for (const path of [
      mediaPath({ ...image, file_name: '0123456789abcdef' }),
      posterPath(image),
      mediaPath(waiting),
      vmapPath(waiting),
      `/post_image/${image.id}/vid/32x24/${image.file_name}.mp4`,
      '/../../barker.db',
      '/%2e%2e/barker.db',
      '/',
    ]) {
      const reply = await get(path);
      assert.deepEqual([path, reply.status], [path, 404]);
    }
    for (const method of ['POST', 'DELETE']) assert.equal((await get(mediaPath(image), {}, method)).status, 405);
  });
});

describe('metadata is not served: what is left', () => {
  const served = async (id: string): Promise<[row: Upload, bytes: Buffer]> => {
    const row = (await world.service.store.read((tx) => tx.uploads.find(id)))!;
    return [row, await bytesOf(await get(mediaPath(row)))];
  };
  for (const { what, mime, category, planted, clean } of PLANTED) {
    test(`of ${what}`, async () => {
      assert.ok(planted.includes(SECRET));
      const [row, bytes] = await served((await uploaded(planted, mime, category)).id);
      assert.equal(row.state, 'succeeded', row.fault!);
      assert.equal(bytes.toString('latin1'), clean.toString('latin1'));
      assert.equal(row.bytes, clean.length);
      if (row.media_type !== 'IMAGE') assert.ok(!(await bytesOf(await get(posterPath(row)))).includes(SECRET));
      if (row.media_type === 'VIDEO') return;
      for (const media of [planted, clean]) {
        const { status, body } = await world.sandbox.call('POST', UPLOAD, { parts: partsOf({ media }) });
        assert.deepEqual([status, body.size], [200, clean.length]);
        assert.ok((await served(body.media_id_string))[1].equals(clean), 'in one call');
      }
    });
  }

  test('of an upload in one segment, which is stored again', async () => {
    const { planted, clean } = PLANTED[0]!;
    const { media_id_string: media_id } = (
      await command(world.sandbox, 'INIT', { media_type: 'image/jpeg', total_bytes: planted.length })
    ).body;
    await command(world.sandbox, 'APPEND', { media_id, segment_index: 0, media: planted });
    assert.equal((await command(world.sandbox, 'FINALIZE', { media_id })).body.size, clean.length);
    assert.ok((await served(media_id))[1].equals(clean));
    world.clock.advance(3600);
    await world.service.jobs.runDue();
    assert.equal(existsSync(`${world.place.folder}/media/parts/${media_id}`), false);
    assert.ok((await served(media_id))[1].equals(clean));
  });
});

describe('unused media', () => {
  const folderOf = (id: string): string => `${world.place.folder}/media/ready/${id}`;
  const partsOf = (id: string): string => `${world.place.folder}/media/parts/${id}`;

  test('expires with its files; used media stays', async () => {
    const unused = await uploaded(PNG, 'image/png', 'post_image');
    const kept = await uploaded(MP4, 'video/mp4', 'post_video');
    const sending = await command(world.sandbox, 'INIT', { media_type: 'image/png', total_bytes: 9 });
    const { media_id_string } = sending.body;
    await world.service.store.write((tx) => tx.uploads.markUsed([kept.id, '1', '2']));
    world.clock.advance(DAY_S - 1);
    await world.service.jobs.runDue();
    assert.equal((await get(mediaPath(unused))).status, 200);
    world.clock.advance(1);
    // Already before anybody cleans up.
    assert.equal((await get(mediaPath(unused))).status, 404);
    const gone = await command(world.sandbox, 'STATUS', { media_id: unused.id });
    assert.equal(gone.body.error, 'Invalid or expired media_id.');
    await world.service.jobs.runDue();
    const found = await world.service.store.read((tx) => tx.uploads.list([unused.id, kept.id, media_id_string]));
    assert.deepEqual(
      found.map(({ id, expires_at }) => [id, expires_at]),
      [[kept.id, null]],
    );
    assert.deepEqual(
      [unused.id, kept.id].map((id) => existsSync(folderOf(id))),
      [false, true],
    );
    assert.equal(existsSync(partsOf(media_id_string)), false);
    assert.equal((await get(mediaPath(kept))).status, 200);
    const status = await command(world.sandbox, 'STATUS', { media_id: kept.id });
    assert.equal('expires_after_secs' in status.body, false);
  });

  test('of category amplify_video expires later while uploading', async () => {
    const input = { media_type: 'video/mp4', total_bytes: 9, media_category: 'amplify_video' };
    const { media_id_string } = (await command(world.sandbox, 'INIT', input)).body;
    world.clock.advance(1_295_998);
    await world.service.jobs.runDue();
    assert.equal((await command(world.sandbox, 'STATUS', { media_id: media_id_string })).status, 200);
    world.clock.advance(1);
    await world.service.jobs.runDue();
    assert.equal((await command(world.sandbox, 'STATUS', { media_id: media_id_string })).status, 400);
  });
});

describe('media keys', () => {
  for (const [key, category] of [
    ['3_1', 'POST_IMAGE'],
    ['7_1730012345678901248', 'POST_VIDEO'],
    ['13_9', 'AMPLIFY_VIDEO'],
    ['16_9', 'POST_GIF'],
  ] as const) {
    test(`${key} is of ${category}`, () => {
      const parsed = parseMediaKey(key)!;
      assert.equal(parsed.category, category);
      assert.equal(mediaKeyOf(parsed.category, parsed.number), key);
    });
  }
  for (const key of ['', '3', '3_', '4_1', '3_12345678901234567890', '3_1a', ' 3_1', '03_1']) {
    test(`'${key}' is none`, () => assert.equal(parseMediaKey(key), undefined));
  }
});
