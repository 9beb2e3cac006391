import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { systemClock } from '../../src/base/clock.ts';
import { type MediaCategory, mediaKeyOf } from '../../src/contract/media.ts';
import { localCertificates } from '../../src/dev/certificates.ts';
import { greyPicture } from '../../src/media/grey-picture.ts';
import { basic } from '../rig/application.ts';
import { openReceiver, type Receiver, responseToken, said } from '../rig/receiver.ts';
import { JPEG, MP4 } from '../rig/tiny-media.ts';
import { partsOf, UPLOAD } from '../rig/uploading.ts';
import type { Job, Work } from './load.ts';
import type { Site } from './sites.ts';

/** Files as people upload them, with what they are uploaded for. */
const FILES: readonly (readonly [MediaCategory, string, Uint8Array])[] = [
  ['POST_IMAGE', 'image/jpeg', JPEG],
  ['AMPLIFY_VIDEO', 'video/mp4', MP4],
];

/** Puts pictures, each of another size, and videos into the media library. */
export function library({ home: { path }, ledger, send, own }: Job): Work {
  return async (count) => {
    const [category, media_type, fixed] = FILES[count % 2]!;
    const bytes = count % 4 === 0 ? greyPicture(20 + (count % 200), 30 + own.length) : fixed;
    const type = count % 4 === 0 ? 'image/png' : media_type;
    const params = {
      command: 'INIT',
      total_bytes: bytes.length,
      media_type: type,
      media_category: category.toLowerCase(),
    };
    const media_id = (await send('POST', UPLOAD, { params })).body.media_id_string as string;
    const half = Math.ceil(bytes.length / 2);
    for (const [segment_index, media] of [bytes.subarray(0, half), bytes.subarray(half)].entries()) {
      await send('POST', UPLOAD, { parts: partsOf({ command: 'APPEND', media_id, segment_index, media }) });
    }
    const { processing_info } = (await send('POST', UPLOAD, { params: { command: 'FINALIZE', media_id } })).body;
    let state: string = processing_info?.state ?? 'succeeded';
    while (state === 'pending' || state === 'in_progress') {
      await new Promise((resolve) => setTimeout(resolve, 100));
      state = (await send('GET', UPLOAD, { params: { command: 'STATUS', media_id } })).body.processing_info.state;
    }
    const media_key = mediaKeyOf(category, media_id);
    const { media_url } = (await send('POST', `${path}/media_library`, { params: { media_key } })).body.data;
    ledger.library.set(media_url, bytes);
  };
}

/** Changes the description of the profile, each of which is an event that a webhook is told of. */
export function events({ ledger, send, own }: Job): Work {
  return async (count) => {
    // One after the other: what does not change a description is no event.
    if (!own.endsWith('-0')) return void (await new Promise((resolve) => setTimeout(resolve, 50)));
    const description = `e ${own} ${count}`;
    ledger.events.set(description, 'unknown');
    await send('POST', '/1.1/account/update_profile.json', { params: { description } });
    ledger.events.set(description, 'acknowledged');
  };
}

/** A receiver that services in production reach under the name of this machine, with https, by way of a proxy. */
export interface Reached {
  readonly receiver: Receiver;
  /** What `barker serve` needs for it. */
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Starts a receiver for an application. Its certificates lie in a folder. */
export async function openReached(folder: string, consumer_secret: () => string): Promise<Reached> {
  const { ca, cert, key } = await localCertificates(folder, [], systemClock);
  const receiver = await openReceiver('', { cert: readFileSync(cert), key: readFileSync(key) });
  receiver.answerChallenge = (arrived, response) =>
    said(JSON.stringify({ response_token: responseToken(consumer_secret(), arrived) }))(arrived, response);
  const proxy = createServer().on('connect', (_, socket) => {
    const there = connect(receiver.port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      there.pipe(socket).pipe(there);
    });
    for (const [one, other] of [
      [there, socket],
      [socket, there],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  return {
    receiver,
    flags: ['--webhook-private-ranges', '127.0.0.0/8,::1/128'],
    env: { NODE_EXTRA_CA_CERTS: ca, BARKER_WEBHOOK_EGRESS_PROXY: `http://127.0.0.1:${port}` },
    async close() {
      proxy.close();
      proxy.closeAllConnections();
      await receiver.close();
    },
  };
}

/** Registers the receiver for what the user of a site says of themselves. */
export async function subscribe({ sandbox, keys, user_id }: Site): Promise<void> {
  const post = async (path: string, authorization: string, body: string, type: string) => {
    const headers = { authorization, 'content-type': type };
    const reply = await fetch(sandbox + path, { method: 'POST', headers, body });
    const text = await reply.text();
    if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${text}`);
    return JSON.parse(text);
  };
  const form = 'application/x-www-form-urlencoded';
  const { access_token } = await post('/oauth2/token', basic(keys), 'grant_type=client_credentials', form);
  const json = (path: string, body: object) =>
    post(path, `Bearer ${access_token}`, JSON.stringify(body), 'application/json');
  const webhook_id = (await json('/2/webhooks', { url: 'https://localhost/in' })).data.id;
  await json('/2/activity/subscriptions', { event_type: 'profile.update.bio', filter: { user_id }, webhook_id });
}

/** The descriptions that a receiver was told of. */
export function toldTo({ receiver }: Reached): Set<string> {
  return new Set(receiver.messages.map(({ body }) => JSON.parse(body).data.payload.after));
}
