import { type Clock, systemClock } from '../../src/base/clock.ts';
import { withTimeout } from '../../src/base/timers.ts';
import { type MediaCategory, mediaKeyOf } from '../../src/contract/services/media.ts';
import { sign } from '../../src/features/auth/oauth1/signature.ts';
import { placeholderImage } from '../../src/features/media/placeholder-image.ts';
import { persons, update } from '../resources/people-calls.ts';
import { type Client, clientOf, protocol, type Reply } from '../rig/client.ts';
import { JPEG, MP4 } from '../rig/tiny-media.ts';
import { partsOf, UPLOAD } from '../rig/uploading.ts';
import { openAccount } from '../rig/world.ts';
import type { Ledger } from './ledger.ts';
import type { Site } from './sites.ts';

/** Campaigns in a batch. */
export const BATCH = 3;
/** People in an upload. */
export const PEOPLE = 20;

/** Where a load writes. */
export interface Home {
  readonly path: string;
  readonly instrument: string;
  readonly audience: string;
}

/** An account with everything that a load needs. */
export async function openHome(site: Site): Promise<Home> {
  const client = clientOf(site.sandbox, site.keys, systemClock, () => {});
  const { path, instrument } = await openAccount(client);
  const made = await client.call('POST', `${path}/custom_audiences`, { params: { name: 'Readers' } });
  if (made.status !== 200) throw new Error(made.text);
  return { path, instrument, audience: made.body.data.id };
}

/** Clients at work. */
export interface Load {
  /** No client begins anything more; resolves when all have ended. */
  stop(): Promise<void>;
}

/** How a load is made. */
export interface Loading {
  /** Makes names unique. */
  readonly round: string;
  /** Clients go on after a 503 or a lost connection, a moment later; otherwise they end with the first. */
  readonly persists: boolean;
  /** Clients of each kind. */
  readonly of?: number;
  /** What requests are signed by; the clock of the machine unless said otherwise. */
  readonly clock?: Clock;
  /** How long each client waits between two things, in milliseconds. */
  readonly pause_ms?: number;
  /** How long the client that causes events waits for an answer, in milliseconds; without end unless said otherwise. */
  readonly eventPatience_ms?: number;
}

/** A client that was told nothing, or to come again: it does not know whether its write was stored. */
class Unanswered extends Error {}

function unanswered(error: Error): never {
  throw error instanceof Unanswered ? error : new Unanswered(error.message);
}

/**
 * Signed clients of every kind, each doing one thing after the other and writing down what it was told: campaigns created,
 * changed and deleted, batches, line items, posts, media in segments, the media library, people, events, bearer tokens that
 * are revoked, and reads.
 */
export function startLoad(
  site: Site,
  home: Home,
  ledger: Ledger,
  { round, persists, of = 2, pause_ms = 0, clock = systemClock, eventPatience_ms }: Loading,
): Load {
  let isStopped = false;
  const client = clientOf(site.sandbox, site.keys, clock, () => {});
  const sender = senderOf(client, ledger);
  const run = async (work: (count: number) => Promise<void>): Promise<void> => {
    for (let count = 0; !isStopped; count++) {
      try {
        await work(count);
        if (pause_ms > 0) await pause(pause_ms);
      } catch (error) {
        if (!(error instanceof Unanswered)) throw error;
        ledger.unanswered.push(error.message);
        if (!persists) return;
        await pause(20);
      }
    }
  };
  const kinds = [campaigns, batches, lineItems, posts, media, library, people, events, bearers, reads];
  const works = kinds.flatMap((kind) =>
    Array.from({ length: of }, (_, number) =>
      kind({ site, home, ledger, clock, send: sender, own: `${round}-${number}`, eventPatience_ms }),
    ),
  );
  const done = Promise.all(works.map(run));
  return {
    async stop() {
      isStopped = true;
      await done;
    },
  };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

type Send = (method: string, path: string, sent?: Parameters<Client['call']>[2]) => Promise<Reply>;

/** Sends and judges: what is neither good nor a sound refusal is written down as wrong. */
function senderOf(client: Client, { statuses, wrong }: Ledger): Send {
  return async (method, path, sent) => {
    const reply = await client.call(method, path, sent).catch(unanswered);
    statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
    if (reply.status < 300) return reply;
    const isSound = reply.status === 503 && Number(reply.headers.get('retry-after')) >= 1;
    if (!isSound) wrong.push(`${method} ${path}: ${reply.status} ${reply.text.slice(0, 300)}`);
    throw new Unanswered(String(reply.status));
  };
}

/** What a client of a load works with. */
interface Job {
  readonly site: Site;
  readonly home: Home;
  readonly ledger: Ledger;
  readonly send: Send;
  readonly clock: Clock;
  readonly own: string;
  readonly eventPatience_ms: number | undefined;
}
/** What a client does again and again. */
type Work = (count: number) => Promise<void>;

const fresh = () => ({ isDeleted: false, isDeletionOpen: false, acknowledged: 0, sent: 0 });

function campaigns({ home: { path, instrument }, ledger, send, own }: Job): Work {
  return async (count) => {
    const name = `c ${own} ${count}`;
    const campaign: ReturnType<typeof fresh> & { id?: string } = fresh();
    ledger.campaigns.set(name, campaign);
    const params = { name, funding_instrument_id: instrument, entity_status: 'PAUSED' };
    const { id } = (await send('POST', `${path}/campaigns`, { params })).body.data;
    campaign.id = id;
    for (let number = 1; number <= 2; number++) {
      campaign.sent = number;
      await send('PUT', `${path}/campaigns/${id}`, { params: { purchase_order_number: String(number) } });
      campaign.acknowledged = number;
    }
    if (count % 3 !== 0) return;
    campaign.isDeletionOpen = true;
    await send('DELETE', `${path}/campaigns/${id}`);
    campaign.isDeleted = true;
  };
}

function batches({ home: { path, instrument }, ledger, send, own }: Job): Work {
  return async (count) => {
    const names = Array.from({ length: BATCH }, (_, part) => `b ${own} ${count} part ${part}`);
    for (const name of names) ledger.campaigns.set(name, fresh());
    const json = names.map((name) => ({
      operation_type: 'Create',
      params: { name, funding_instrument_id: instrument, entity_status: 'PAUSED' },
    }));
    const made = await send('POST', `/12/batch${path.slice('/12'.length)}/campaigns`, { json });
    for (const [part, { id }] of made.body.data.entries()) ledger.campaigns.get(names[part]!)!.id = id;
  };
}

function lineItems({ home: { path, instrument }, ledger, send, own }: Job): Work {
  let campaign: string | undefined;
  return async (count) => {
    if (campaign === undefined) {
      const name = `l ${own} ${count}`;
      const sent: ReturnType<typeof fresh> & { id?: string } = fresh();
      ledger.campaigns.set(name, sent);
      const params = { name, funding_instrument_id: instrument, entity_status: 'PAUSED' };
      sent.id = (await send('POST', `${path}/campaigns`, { params })).body.data.id as string;
      campaign = sent.id;
    }
    const name = `i ${own} ${count}`;
    ledger.lineItems.set(name, 'unknown');
    const day = `2027-0${1 + (count % 9)}-01`;
    const kind = { objective: 'REACH', product_type: 'PROMOTED_POSTS', placements: 'ALL_ON_SERVICE' };
    // An account may have only so many that are active.
    const objective = { ...kind, entity_status: 'PAUSED' };
    const params = { ...objective, name, campaign_id: campaign, start_time: day, end_time: `${day.slice(0, 8)}15` };
    await send('POST', `${path}/line_items`, { params });
    ledger.lineItems.set(name, 'acknowledged');
    // Accounts may have so many line items in a campaign.
    if (count % 20 === 19) campaign = undefined;
  };
}

function posts({ home: { path }, ledger, send, own }: Job): Work {
  return async (count) => {
    const text = `p ${own} ${count}`;
    ledger.posts.set(text, 'unknown');
    await send('POST', `${path}/post`, { params: { text } });
    ledger.posts.set(text, 'acknowledged');
  };
}

function media({ ledger, send }: Job): Work {
  return async () => {
    const begun = await send('POST', UPLOAD, {
      params: { command: 'INIT', total_bytes: JPEG.length, media_type: 'image/jpeg' },
    });
    const media_id = begun.body.media_id_string as string;
    for (const [segment_index, from, to] of [
      [0, 0, 100],
      [1, 100, JPEG.length],
    ] as const) {
      const parts = partsOf({ command: 'APPEND', media_id, segment_index, media: JPEG.subarray(from, to) });
      await send('POST', UPLOAD, { parts });
    }
    await send('POST', UPLOAD, { params: { command: 'FINALIZE', media_id } });
    ledger.media.add(media_id);
  };
}

let uploads = 0;

function people({ home: { path, audience }, ledger, send }: Job): Work {
  return async () => {
    const upload = uploads++;
    ledger.people.set(upload, 'unknown');
    const json = [update(persons(upload * PEOPLE, (upload + 1) * PEOPLE))];
    await send('POST', `${path}/custom_audiences/${audience}/users`, { json });
    ledger.people.set(upload, 'acknowledged');
  };
}

/** Files as people upload them, with what they are uploaded for. */
const FILES: readonly (readonly [MediaCategory, string, Uint8Array])[] = [
  ['POST_IMAGE', 'image/jpeg', JPEG],
  ['AMPLIFY_VIDEO', 'video/mp4', MP4],
];

/** Puts pictures, each of another size, and videos into the media library. */
function library({ home: { path }, ledger, send, own }: Job): Work {
  return async (count) => {
    const [category, media_type, fixed] = FILES[count % 2]!;
    const bytes = count % 4 === 0 ? placeholderImage(20 + (count % 200), 30 + own.length) : fixed;
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
      await pause(100);
      state = (await send('GET', UPLOAD, { params: { command: 'STATUS', media_id } })).body.processing_info.state;
    }
    const media_key = mediaKeyOf(category, media_id);
    const { media_url } = (await send('POST', `${path}/media_library`, { params: { media_key } })).body.data;
    ledger.library.set(media_url, bytes);
  };
}

/** Changes the description of the profile, each of which is an event that a webhook is told of. */
function events({ ledger, send, own, eventPatience_ms }: Job): Work {
  return async (count) => {
    // One after the other: what does not change a description is no event.
    if (!own.endsWith('-0')) return pause(50);
    const description = `e ${own} ${count}`;
    ledger.events.set(description, 'unknown');
    const sent = send('POST', '/1.1/account/update_profile.json', { params: { description } });
    // A node that is frozen may still do it when it goes on.
    await (eventPatience_ms === undefined ? sent : withTimeout(eventPatience_ms, sent).catch(unanswered));
    ledger.events.set(description, 'acknowledged');
  };
}

/** One client at a time: an application has one bearer token. */
function bearers({ site: { keys }, ledger, send, own }: Job): Work {
  const pair = `${keys.consumer_key}:${keys.consumer_secret}`;
  const headers = {
    authorization: `Basic ${Buffer.from(pair).toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
  };
  return async () => {
    if (!own.endsWith('-0')) return pause(50);
    const made = await send('POST', '/oauth2/token', { params: { grant_type: 'client_credentials' }, headers });
    const bearer = made.body.access_token as string;
    await send('POST', '/oauth2/invalidate_token', { params: { access_token: bearer } });
    ledger.revoked.push(decodeURIComponent(bearer));
  };
}

function reads({ site, home: { path }, ledger, send, clock }: Job): Work {
  return async (count) => {
    if (count % 4 !== 0) return void (await send('GET', `${path}/campaigns`, { params: { count: 20 } }));
    const from_ms = Date.now();
    const { authorization, status } = await signedGet(site, clock);
    ledger.statuses.set(status, (ledger.statuses.get(status) ?? 0) + 1);
    if (status === 200) ledger.used.push({ authorization, from_ms, until_ms: Date.now() });
    else if (status !== 503) ledger.wrong.push(`GET ${SELF}: ${status}`);
    if (status !== 200) throw new Unanswered(String(status));
  };
}

const SELF = '/1.1/account/verify_credentials.json';

/** Reads who the user is with a signature by a clock. @throws Unanswered */
export async function signedGet(site: Site, clock: Clock): Promise<{ authorization: string; status: number }> {
  const { header: authorization } = sign({
    method: 'GET',
    url: site.sandbox + SELF,
    oauth: protocol(site.keys, clock),
    consumerSecret: site.keys.consumer_secret,
    tokenSecret: site.keys.access_token_secret,
  });
  const { status } = await sendAgain(site, authorization);
  return { authorization, status };
}

/** Sends a read with an Authorization header, as it is; the answer is the status, and the code of a refusal. @throws Unanswered */
export async function sendAgain(
  { sandbox }: Site,
  authorization: string,
): Promise<{ readonly status: number; readonly code: number | undefined }> {
  try {
    const reply = await fetch(sandbox + SELF, { headers: { authorization } });
    const { errors } = (await reply.json()) as { errors?: { code: number }[] };
    return { status: reply.status, code: errors?.[0]?.code };
  } catch (error) {
    throw new Unanswered(String(error));
  }
}
