import { placeholderImage } from '../../src/features/media/placeholder-image.ts';
import { GIF, JPEG, MOV, MP4, WEBM, WEBP } from '../rig/tiny-media.ts';
import { bytesOf, type Call, type Pairs, targetOf } from './call.ts';
import { headerOf } from './exchange.ts';
import { bent, hostileText } from './hostile-texts.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { Kind, Sending, Setting } from './setting.ts';

const FILES: readonly (readonly [type: string, category: string, bytes: Buffer])[] = [
  ['image/png', 'POST_IMAGE', placeholderImage(8, 6)],
  ['image/jpeg', 'POST_IMAGE', JPEG],
  ['image/gif', 'POST_GIF', GIF],
  ['image/webp', 'POST_IMAGE', WEBP],
  ['video/mp4', 'POST_VIDEO', MP4],
  ['video/quicktime', 'POST_VIDEO', MOV],
  ['video/webm', 'POST_VIDEO', WEBM],
];

/** A file that says of itself what it is not: cut, doubled, with claims of sizes that it does not have. */
function spoiled(dice: SeededRandom, file: Buffer): Buffer {
  const bytes = Buffer.from(file);
  const at = dice.below(bytes.length);
  switch (dice.below(9)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      for (let count = dice.below(20); count >= 0; count--) bytes[dice.below(bytes.length)] = dice.below(256);
      return bytes;
    case 2:
      bytes.writeUInt32BE(dice.pick([0, 1, 7, 0x7fffffff, 0xffffffff]), Math.min(at, bytes.length - 4));
      return bytes;
    case 3:
      // Where pictures tell their width, and boxes their length.
      bytes.writeUInt32BE(
        dice.pick([0xffffffff, 0x7fffffff, 65_535, 0]),
        dice.pick([0, 4, 16, 20, 24, 28]) % (bytes.length - 4),
      );
      return bytes;
    case 4:
      return Buffer.concat([bytes, bytes]);
    case 5:
      return Buffer.concat([bytes.subarray(0, at), dice.bytes(dice.below(3000)), bytes.subarray(at)]);
    case 6:
      return dice.bytes(1 + dice.below(5000));
    case 7:
      return Buffer.concat([bytes.subarray(0, Math.min(40, bytes.length)), Buffer.alloc(dice.below(200_000))]);
    default:
      return bytes;
  }
}

/** An upload from its beginning to its end, some of it wrong; in the first generation or the second, or in one call. */
export const mediaUpload: Kind = async (dice, setting, sending) => {
  const [type, category, good] = dice.pick(FILES);
  const file = spoiled(dice, good);
  if (dice.oneIn(4)) return void (await whole(dice, setting, sending, file));
  const total = dice.oneIn(6)
    ? dice.pick(['0', '-1', '1', '536870912', '5368709120', 'x', '1e3'])
    : String(file.length);
  const claimed = dice.oneIn(6) ? dice.pick(FILES)[0] : dice.oneIn(12) ? hostileText(dice) : type;
  const begin: Pairs = [
    ['command', 'INIT'],
    ['media_type', claimed],
    ['total_bytes', total],
    ...(dice.oneIn(2) ? [['media_category', dice.oneIn(5) ? hostileText(dice) : category] as const] : []),
    ...(dice.oneIn(9) ? [['additional_owners', hostileText(dice)] as const] : []),
  ];
  const text = await post(setting, sending, UPLOAD, begin);
  const id = /"media_id_string":"(\d+)"/.exec(text ?? '')?.[1];
  if (id === undefined) return;
  const parts = 1 + dice.below(3);
  for (let part = 0; part < parts; part++) {
    const segment = file.subarray(
      Math.floor((file.length * part) / parts),
      Math.floor((file.length * (part + 1)) / parts),
    );
    const index = dice.oneIn(5) ? dice.pick(['-1', '0', '999', '1000', '99999999', '1.5', 'x', '']) : String(part);
    await append(dice, setting, sending, { id: dice.oneIn(20) ? bent(dice, id) : id, index, segment });
  }
  await post(setting, sending, UPLOAD, [
    ['command', dice.oneIn(20) ? bent(dice, 'FINALIZE') : 'FINALIZE'],
    ['media_id', id],
  ]);
  if (dice.oneIn(2)) await status(setting, sending, id);
};

const UPLOAD = '/1.1/media/upload.json';
const FORM = 'application/x-www-form-urlencoded';

async function whole(dice: SeededRandom, setting: Setting, sending: Sending, file: Buffer): Promise<void> {
  const path = dice.pick([UPLOAD, '/2/media/upload']);
  if (dice.oneIn(2)) {
    await post(setting, sending, path, [['media_data', bent(dice, file.subarray(0, 20_000).toString('base64'))]]);
    return;
  }
  await postParts(setting, sending, path, partsOf(dice, [['media', file]]));
}

async function append(
  dice: SeededRandom,
  setting: Setting,
  sending: Sending,
  { id, index, segment }: { readonly id: string; readonly index: string; readonly segment: Buffer },
): Promise<void> {
  const pairs: Pairs = [
    ['command', 'APPEND'],
    ['media_id', id],
    ['segment_index', index],
  ];
  if (dice.oneIn(2)) {
    await post(setting, sending, UPLOAD, [...pairs, ['media_data', segment.toString('base64')]]);
    return;
  }
  const texts = pairs.map(([name, value]) => [name, Buffer.from(value)] as const);
  await postParts(setting, sending, UPLOAD, partsOf(dice, [...texts, ['media', segment]]));
}

async function status(setting: Setting, sending: Sending, id: string): Promise<void> {
  const call = callOf(setting, 'GET', UPLOAD);
  call.query = [
    ['command', 'STATUS'],
    ['media_id', id],
  ];
  await sending.send(call.origin, bytesOf(call), { method: 'GET', target: targetOf(call) });
}

async function post(setting: Setting, sending: Sending, path: string, form: Pairs): Promise<string | undefined> {
  const call = callOf(setting, 'POST', path);
  call.form = form;
  call.headers = [['content-type', FORM]];
  const got = await sending.send(call.origin, bytesOf(call), { method: 'POST', target: path });
  return typeof got === 'string' ? undefined : got.text;
}

async function postParts(
  setting: Setting,
  sending: Sending,
  path: string,
  { type, body }: { readonly type: string; readonly body: Buffer },
): Promise<void> {
  const call = callOf(setting, 'POST', path);
  call.body = body;
  call.headers = [['content-type', type]];
  const got = await sending.send(call.origin, bytesOf(call), { method: 'POST', target: path });
  if (typeof got !== 'string' && headerOf(got, 'content-type') === undefined && got.status !== 204)
    throw new Error('no type');
}

function callOf({ world, templates }: Setting, method: string, path: string): Call {
  const { keys } = templates;
  return {
    origin: world.service.sandboxUrl,
    method,
    path,
    query: [],
    form: undefined,
    body: undefined,
    headers: [],
    keys,
  };
}

/** A body of parts, which may be malformed. */
function partsOf(
  dice: SeededRandom,
  parts: readonly (readonly [name: string, value: Buffer])[],
): { readonly type: string; readonly body: Buffer } {
  const boundary = dice.oneIn(15) ? dice.pick(['', '-', ' ', '"', 'x'.repeat(200)]) : 'part';
  const pieces = parts.flatMap(([name, value]) => {
    const named = dice.oneIn(15) ? dice.pick(['', '"', 'a"; b="', '__proto__', '\u0000']) : name;
    const file = name === 'media' ? `; filename="${dice.oneIn(10) ? '../../x\u0000' : 'a'}"` : '';
    const head = `--${boundary}\r\ncontent-disposition: form-data; name="${named}"${file}\r\n`;
    const end = dice.oneIn(15) ? dice.pick(['', '\n', 'x: y\r\n', `${'a: b\r\n'.repeat(500)}\r\n`]) : '\r\n';
    return [Buffer.from(head + end, 'latin1'), value, Buffer.from('\r\n')];
  });
  const all = Buffer.concat([...pieces, Buffer.from(dice.oneIn(8) ? '' : `--${boundary}--\r\n`)]);
  const body = dice.oneIn(10) ? all.subarray(0, dice.below(all.length)) : all;
  return { type: `multipart/form-data; boundary=${boundary}`, body };
}
