import assert from 'node:assert/strict';
import { request } from 'undici';
import { secureRandom } from '../../src/base/random.ts';
import type { DeliveryDay } from '../../src/contract/store/delivery-ledger.ts';
import type { NewPublisher } from '../../src/contract/store/publishers.ts';
import { createPublisher } from '../../src/features/delivery/serving/publisher-credentials.ts';
import type { Client, Reply } from './client.ts';
import { read } from './client.ts';
import { recordSecret } from './secrets.ts';
import { checkReply } from './validation.ts';
import { openAccount, type World } from './world.ts';

type Params = Readonly<Record<string, string | number | boolean>>;

/** How a line item is booked; amounts in micro units of US dollars. */
export interface Booked {
  /** Null lets the service bid. */
  readonly bid?: number | null;
  readonly campaign?: Params;
  readonly line?: Params;
  readonly text?: string;
  /** An account of `openAccount`; a new one by default. */
  readonly in?: Awaited<ReturnType<typeof openAccount>>;
  readonly criteria?: readonly Params[];
}

/** A line item that pays exactly its bid for a thousand impressions. */
export const TARGET = {
  ...{ objective: 'REACH', goal: 'MAX_REACH', pay_by: 'IMPRESSION', bid_strategy: 'TARGET' },
};

/** A booked ad, and what the ledger has of it. */
export interface BookedAd {
  readonly account: string;
  readonly path: string;
  readonly campaign: string;
  readonly line: string;
  readonly creative: string;
  /** Stores what the servers have counted. */
  settle(): Promise<void>;
  /** The ledger's only day of the line item. */
  day(): Promise<DeliveryDay | undefined>;
}

/** Books a promoted post in the sandbox, by default paid by impression, without pacing. */
export async function bookAd(world: World, booked: Booked = {}): Promise<BookedAd> {
  const client = world.sandbox;
  const { account, instrument, path } = booked.in ?? (await openAccount(client));
  const create = async (what: string, params: Params): Promise<string> => made(client, `${path}/${what}`, params);
  const campaign = await create('campaigns', {
    ...{ name: 'Autumn', funding_instrument_id: instrument, daily_budget_amount_local_micro: 1_000_000_000 },
    ...{ standard_delivery: false, ...booked.campaign },
  });
  const { bid = 1_000_000 } = booked;
  const line = await create('line_items', {
    ...{ campaign_id: campaign, name: 'Readers', product_type: 'PROMOTED_POSTS', placements: 'ALL_ON_SERVICE' },
    ...{ objective: 'WEBSITE_CLICKS', goal: 'LINK_CLICKS', pay_by: 'IMPRESSION', start_time: '2026-03-01' },
    end_time: '2026-04-01',
    ...(bid === null ? { bid_strategy: 'AUTO' } : { bid_strategy: 'MAX', bid_amount_local_micro: bid }),
    ...booked.line,
  });
  for (const criterion of booked.criteria ?? [])
    await create('targeting_criteria', { line_item_id: line, ...criterion });
  const post = await client.call('POST', `${path}/post`, {
    params: { text: booked.text ?? 'Fresh coffee https://landing.example/coffee' },
  });
  assert.equal(post.status, 200, post.text);
  const promoted = await client.call('POST', `${path}/promoted_posts`, {
    params: { line_item_id: line, post_ids: post.body.data.id },
  });
  assert.equal(promoted.status, 200, promoted.text);
  const settled = { id: account, environment: 'sandbox', timezone: 'America/Los_Angeles' } as const;
  return {
    ...{ account, path, campaign, line, creative: promoted.body.data[0].id },
    async settle() {
      for (const { services } of world.nodes) await services.serving.flush(settled);
    },
    async day() {
      const range = { account, from: '2026-01-01', until: '2027-01-01', line_items: [line] };
      const days = await world.service.store.read((tx) => tx.deliveryLedger.listDays(range));
      assert.ok(days.length <= 1);
      return days[0];
    },
  };
}

async function made(client: Client, path: string, params: Params): Promise<string> {
  const reply = await client.call('POST', path, { params });
  assert.equal(reply.status, 200, reply.text);
  return reply.body.data.id as string;
}

/** Registers a publisher of the sandbox; returns its credential. */
export async function makePublisher(
  { service }: Pick<World, 'service'>,
  options: Partial<Pick<NewPublisher, 'environment' | 'may_explain' | 'owner_user_id'>> = {},
): Promise<string> {
  const { credential } = await service.store.write((tx) =>
    createPublisher(
      { tx, random: secureRandom, now: '2026-03-02T17:04:55Z' },
      { environment: 'sandbox', name: 'Harbour News', owner_user_id: null, may_explain: true, ...options },
    ),
  );
  recordSecret('publisher', credential);
  return credential;
}

/** Asks for ads as a publisher. */
export async function decide(
  { service }: Pick<World, 'service'>,
  credential: string,
  json: unknown,
  origin = service.sandboxUrl,
): Promise<Reply> {
  const url = `${origin}/delivery/decisions`;
  const reply = await read(
    await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
      body: JSON.stringify(json),
    }),
  );
  checkReply('POST', url, reply.status, reply.headers, reply.text);
  return reply;
}

/** Where a click leads, without the click id that a measured landing page gets. */
export function landingOf(location: unknown): string {
  const url = new URL(String(location));
  assert.match(url.searchParams.get('click_id') ?? 'none', /^[\w.-]{40,1024}$/);
  url.searchParams.delete('click_id');
  return url.href;
}

/** Requests a beacon, without following where it leads. */
export async function get(
  url: string,
  {
    method = 'GET',
    headers = {},
  }: { readonly method?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<{ readonly status: number; readonly headers: Readonly<Record<string, unknown>>; readonly text: string }> {
  const reply = await request(url, { method, headers });
  return { status: reply.statusCode, headers: reply.headers, text: await reply.body.text() };
}
