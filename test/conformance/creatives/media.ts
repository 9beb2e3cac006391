import assert from 'node:assert/strict';
import { crc32, deflateSync } from 'node:zlib';
import type { Reply } from '../../rig/client.ts';
import {
  type Account,
  accountRule,
  dataOf,
  echoOf,
  expectErrors,
  idsOf,
  type Json,
  missing,
  type Values,
} from '../account.ts';
import { expectStatus } from '../expect.ts';
import { type Rule, Skipped } from '../rule.ts';

const UPLOAD = '/1.1/media/upload.json';
const FIELDS = [
  ...['media_key', 'media_category', 'media_type', 'media_status', 'media_url', 'name', 'file_name', 'title'],
  ...['description', 'duration', 'aspect_ratio', 'poster_media_key', 'poster_media_url', 'posted'],
  ...['created_at', 'updated_at', 'deleted'],
];

/** A black PNG in shades of grey. */
function png(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const pixels = deflateSync(Buffer.alloc((width + 1) * height));
  const chunks = [chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks]);
}

/** Sends parts of a multipart body. */
function sendParts(account: Account, parts: Readonly<Record<string, string>>): Promise<Reply> {
  const boundary = 'conformance-part';
  const lines = Object.entries(parts).flatMap(([name, value]) => [
    `--${boundary}`,
    `Content-Disposition: form-data; name="${name}"`,
    '',
    value,
  ]);
  const body = [...lines, `--${boundary}--`, ''].join('\r\n');
  return account.call('POST', UPLOAD, {}, { body, type: `multipart/form-data; boundary=${boundary}` });
}

/** Uploads an image at once. */
function uploadImage(account: Account, width: number, height: number): Promise<Reply> {
  return sendParts(account, { media_data: png(width, height).toString('base64'), media_category: 'post_image' });
}

/** Adds an image to the library, which is removed after the check. */
async function addImage(account: Account, width: number, height: number): Promise<Json> {
  const upload = await uploadImage(account, width, height);
  expectStatus(upload, 200);
  const { media_key } = upload.body;
  const media = dataOf(await account.call('POST', 'media_library', { media_key, name: 'Conformance' }));
  account.api.finally(() => account.call('DELETE', `media_library/${media_key}`));
  return media;
}

/** The key of an image for cards, in the library while the checks run. */
export function cardImage(account: Account): Promise<string> {
  return account.api.shared('image', async (api) => (await addImage({ ...account, api }, 1200, 628)).media_key);
}

/** The key of a video. @throws Skipped where keys must have been uploaded */
export async function cardVideo(account: Account): Promise<string> {
  return account.api.shared('video', async (api) => {
    const media_key = `13_${Date.now()}000000`;
    const reply = await account.call('POST', 'media_library', { media_key });
    if (reply.status !== 200) throw new Skipped('keys of media must have been uploaded');
    api.finally(() => account.call('DELETE', `media_library/${media_key}`));
    return media_key;
  });
}

/** Checks of uploads: section 2. */
const uploadRules: readonly Rule[] = [
  accountRule('creatives 2.1.1', async (account) => {
    const { status, body } = await uploadImage(account, 40, 20);
    assert.equal(status, 200);
    assert.deepEqual(body.image, { image_type: 'image/png', w: 40, h: 20 });
  }),
  accountRule('creatives 2.1.4', async (account) => {
    const bytes = png(40, 20);
    const init = { command: 'INIT', total_bytes: bytes.length, media_type: 'image/png', media_category: 'post_image' };
    const begun = await account.call('POST', UPLOAD, init);
    expectStatus(begun, 202);
    assert.match(begun.body.media_key, /^3_\d+$/);
    assert.equal(begun.body.expires_after_secs, 86_400);
    const media_id: string = begun.body.media_id_string;
    const half = bytes.length >> 1;
    const append = (segment_index: string, part: Buffer) =>
      sendParts(account, { command: 'APPEND', media_id, segment_index, media_data: part.toString('base64') });
    expectStatus(await append('1', bytes.subarray(half)), 204);
    expectStatus(await append('0', Buffer.alloc(half)), 204);
    expectStatus(await append('0', bytes.subarray(0, half)), 204);
    const ended = await account.call('POST', UPLOAD, { command: 'FINALIZE', media_id });
    expectStatus(ended, 200);
    assert.deepEqual([ended.body.image.w, ended.body.image.h], [40, 20]);
  }),
  accountRule('creatives 2.1.7', async (account) => {
    const { body } = await sendParts(account, { media_data: png(8, 8).toString('base64') });
    assert.match(body.media_key, /^3_\d+$/);
  }),
  accountRule('creatives 2.1.9', async (account) => {
    for (const [media_category, media_type, prefix] of [
      ['post_image', 'image/png', '3'],
      ['POST_VIDEO', 'video/mp4', '7'],
      ['amplify_video', 'video/mp4', '13'],
      ['post_gif', 'image/gif', '16'],
    ] as const) {
      const init = { command: 'INIT', total_bytes: 100, media_type, media_category };
      const { body } = await account.call('POST', UPLOAD, init);
      assert.equal(body.media_key, `${prefix}_${body.media_id_string}`);
    }
  }),
  accountRule('creatives 2.1.17', async (account) => {
    const { text, body } = await uploadImage(account, 8, 8);
    assert.ok(text.replaceAll(' ', '').includes(`"media_id":${body.media_id_string},`), text);
  }),
  accountRule('creatives 2.1.20', async (account) => {
    const wrong: Values[] = [
      { command: 'PAINT' },
      { command: 'INIT', total_bytes: 10 },
      { command: 'INIT', total_bytes: 10, media_type: 'text/plain' },
      { command: 'FINALIZE', media_id: '1' },
    ];
    for (const values of wrong) {
      const { status, body } = await account.call('POST', UPLOAD, values);
      assert.deepEqual([status, body.request, typeof body.error], [400, UPLOAD, 'string'], JSON.stringify(values));
    }
  }),
];

/** Checks of the media library: section 3. */
const libraryRules: readonly Rule[] = [
  accountRule('creatives 3.1', async (account) => {
    const media = await addImage(account, 40, 20);
    assert.deepEqual(Object.keys(media).sort(), FIELDS.toSorted());
    assert.equal(dataOf(await account.get(`media_library/${media.media_key}`)).media_key, media.media_key);
  }),
  accountRule('creatives 3.13', async (account) => {
    const media = await addImage(account, 40, 20);
    for (const name of ['title', 'description', 'duration', 'aspect_ratio', 'poster_media_key', 'poster_media_url']) {
      assert.equal(media[name], null, name);
    }
  }),
  accountRule('creatives 3.14', async (account) => {
    const keys = async () =>
      dataOf(await account.get('media_library', { count: 50 })).map((row: Json) => row.media_key);
    const older = await addImage(account, 40, 20);
    const newer = await addImage(account, 40, 20);
    const listed: string[] = (await keys()).filter((key: string) => [older.media_key, newer.media_key].includes(key));
    assert.deepEqual(listed, [newer.media_key, older.media_key]);
    await account.call('DELETE', `media_library/${newer.media_key}`);
    assert.ok(!(await keys()).includes(newer.media_key));
  }),
  accountRule('creatives 3.15', async (account) => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expectErrors(await account.call(method, 'media_library/3_9'), 404, { code: 'MEDIA_NOT_FOUND' });
    }
  }),
  accountRule('creatives 3.16', async (account) => {
    expectErrors(await account.call('POST', 'media_library'), 400, missing('media_key'));
    const { body } = await uploadImage(account, 40, 20);
    const values = { media_key: body.media_id_string, media_category: 'POST_IMAGE' };
    assert.equal(dataOf(await account.call('POST', 'media_library', values)).media_key, body.media_key);
    account.api.finally(() => account.call('DELETE', `media_library/${body.media_key}`));
  }),
  accountRule('creatives 3.17', async (account) => {
    const { media_key } = await addImage(account, 40, 20);
    const again = dataOf(await account.call('POST', 'media_library', { media_key, name: 'Renamed' }));
    assert.deepEqual([again.media_key, again.name], [media_key, 'Renamed']);
  }),
  accountRule('creatives 3.21', async (account) => {
    const { media_key } = await addImage(account, 40, 20);
    const changed = dataOf(await account.call('PUT', `media_library/${media_key}`, { name: '', file_name: 'a.png' }));
    assert.deepEqual([changed.name, changed.file_name], [null, 'a.png']);
    assert.equal(dataOf(await account.call('PUT', `media_library/${media_key}`)).file_name, 'a.png');
  }),
  accountRule('creatives 3.22', async (account) => {
    const { media_key } = await addImage(account, 40, 20);
    for (const parameter of ['title', 'description']) {
      const reply = await account.call('PUT', `media_library/${media_key}`, { [parameter]: 'x' });
      const message = `Only videos and GIFs have ${parameter}`;
      expectErrors(reply, 400, { code: 'INVALID_PARAMETER', message, parameter });
    }
  }),
  accountRule('creatives 3.23', async (account) => {
    const video = await cardVideo(account);
    const reply = await account.call('PUT', `media_library/${video}`, { poster_media_key: video });
    expectErrors(reply, 400, { code: 'INVALID_MEDIA', parameter: 'poster_media_key' });
  }),
  accountRule('creatives 3.24', async (account) => {
    const { media_key } = await addImage(account, 40, 20);
    assert.equal(dataOf(await account.call('DELETE', `media_library/${media_key}`)).deleted, true);
    expectErrors(await account.call('DELETE', `media_library/${media_key}`), 404, { code: 'MEDIA_NOT_FOUND' });
  }),
  accountRule('creatives 1.2.21', async (account) => {
    const { media_key } = await addImage(account, 40, 20);
    await account.call('PUT', `media_library/${media_key}`, { name: 'Quiet morning', file_name: 'harbour.png' });
    const found = async (q: string) => {
      const rows = dataOf(await account.get('media_library', { q, count: 50 }));
      return rows.some((row: Json) => row.media_key === media_key);
    };
    assert.ok(await found('MORNING harbour'));
    assert.ok(!(await found('morn')));
  }),
];

/** The newest account media. */
async function displayMedia(account: Account): Promise<Json> {
  await addImage(account, 300, 250);
  const [row] = dataOf(await account.get('account_media', { creative_types: 'MEDIUM_RECTANGLE', count: 1 }));
  account.api.finally(() => account.call('DELETE', `account_media/${row.id}`));
  return row;
}

/** Checks of account media, media creatives and calls to action: sections 4, 15 and 16. */
const creativeRules: readonly Rule[] = [
  accountRule('creatives 4.1', async (account) => {
    const row = await displayMedia(account);
    const fields = ['id', 'video_id', 'media_url', 'creative_type', 'created_at', 'updated_at', 'deleted'];
    assert.deepEqual(Object.keys(row).sort(), fields.sort());
    expectErrors(await account.call('POST', 'account_media'), 405, { code: 'METHOD_NOT_ALLOWED' });
  }),
  accountRule('creatives 4.4', async (account) => {
    const { creative_type, video_id, media_url } = await displayMedia(account);
    assert.deepEqual([creative_type, video_id, typeof media_url], ['MEDIUM_RECTANGLE', null, 'string']);
  }),
  accountRule('creatives 4.2', async (account) => {
    const video = await cardVideo(account);
    const rows = dataOf(await account.get('account_media', { creative_types: 'PREROLL' }));
    assert.ok(rows.some((row: Json) => row.video_id === video));
  }),
  accountRule('creatives 15.1', async (account) => {
    const { id: account_media_id } = await displayMedia(account);
    const { id: line_item_id } = await account.lineItem();
    const made = await account.create('media_creatives', { account_media_id, line_item_id });
    assert.deepEqual([made.creative_type, made.approval_status], ['MEDIUM_RECTANGLE', 'ACCEPTED']);
    assert.deepEqual(idsOf(await account.get('media_creatives', { line_item_ids: line_item_id })), [made.id]);
    expectErrors(await account.call('PUT', `media_creatives/${made.id}`), 405, { code: 'METHOD_NOT_ALLOWED' });
  }),
  accountRule('creatives 15.2', async (account) => {
    const { id: account_media_id } = await displayMedia(account);
    const { id: line_item_id } = await account.lineItem({ objective: 'WEBSITE_CLICKS' });
    const reply = await account.call('POST', 'media_creatives', { account_media_id, line_item_id });
    expectErrors(reply, 400, missing('landing_url'));
  }),
  accountRule('creatives 4.11', async (account) => {
    const { id: account_media_id } = await displayMedia(account);
    const { id: line_item_id } = await account.lineItem();
    assert.equal(dataOf(await account.call('DELETE', `account_media/${account_media_id}`)).deleted, true);
    const reply = await account.call('POST', 'media_creatives', { account_media_id, line_item_id });
    expectErrors(reply, 404, { code: 'ACCOUNT_MEDIA_NOT_FOUND' });
  }),
  accountRule('creatives 16.1', async (account) => {
    const preroll = { objective: 'PREROLL_VIEWS', product_type: 'MEDIA', categories: 'IAB7' };
    const { id: line_item_id } = await account.lineItem(preroll);
    const values = { line_item_id, call_to_action: 'SHOP', call_to_action_url: 'https://shop.example/a' };
    const made = await account.create('preroll_call_to_actions', values);
    const put = await account.call('PUT', `preroll_call_to_actions/${made.id}`, { call_to_action: 'GO_TO' });
    assert.deepEqual([dataOf(put).call_to_action, dataOf(put).line_item_id], ['GO_TO', line_item_id]);
    const second = await account.call('POST', 'preroll_call_to_actions', values);
    expectErrors(second, 400, { code: 'INVALID_PARAMETER', parameter: 'line_item_id' });
  }),
  accountRule('creatives 16.3', async (account) => {
    const { id: line_item_id } = await account.lineItem();
    const values = { line_item_id, call_to_action: 'SHOP', call_to_action_url: 'https://shop.example/a' };
    const error = { code: 'INVALID_PARAMETER', parameter: 'line_item_id' };
    expectErrors(await account.call('POST', 'preroll_call_to_actions', values), 400, error);
    const lost = { ...values, line_item_id: 'zz9' };
    expectErrors(await account.call('POST', 'preroll_call_to_actions', lost), 404, { code: 'LINE_ITEM_NOT_FOUND' });
  }),
  accountRule('creatives 17.1', async (account) => {
    const reply = await account.get('promotable_users');
    const fields = ['id', 'user_id', 'promotable_user_type', 'created_at', 'updated_at', 'deleted'].sort();
    for (const row of dataOf(reply)) assert.deepEqual(Object.keys(row).sort(), fields);
    const [{ id }] = dataOf(reply);
    assert.deepEqual(echoOf(await account.get(`promotable_users/${id}`)).promotable_user_id, id);
  }),
];

/** Checks of sections 2 to 4 and 15 to 17. */
export const mediaRules: readonly Rule[] = [...uploadRules, ...libraryRules, ...creativeRules];
