import assert from 'node:assert/strict';
import { formatInstant } from '../../src/base/instants.ts';
import { unpackHours } from '../../src/contract/delivery/packed-hours.ts';
import { type AdClick, sealClickId } from '../../src/features/delivery/conversions/click-id.ts';
import type { DeliveryTouch } from '../../src/storage/tables/conversions.ts';
import type { Client, Reply } from '../rig/client.ts';
import { openAccount, type World } from '../rig/world.ts';

/** An account with a line item that leads to a website, and a tag. */
export interface Place {
  readonly client: Client;
  readonly account: string;
  readonly path: string;
  readonly line: string;
  readonly tag: string;
}

/** A conversion as it is sent. */
export type Conversion = Record<string, unknown>;

/** Parameters of a good tag. */
export const TAG = {
  name: 'Tickets',
  type: 'PURCHASE',
  click_window: 30,
  view_through_window: 1,
  retargeting_enabled: false,
};
/** All days. */
export const RANGE = { from: '2025-01-01', until: '2027-01-01' };

/** What tests of conversions do again and again. */
export function conversionCalls(world: () => World) {
  /** UTC text some seconds before the present. */
  const ago = (seconds: number): string => formatInstant(world().clock.now() - seconds * 1000);

  async function makeTag(client: Client, path: string, changes: Record<string, string | number> = {}): Promise<string> {
    const made = await client.call('POST', `${path}/web_event_tags`, { params: { ...TAG, ...changes } });
    assert.equal(made.status, 200, made.text);
    return made.body.data.id;
  }

  async function makeLine(
    client: Client,
    path: string,
    campaign_id: string,
    changes: Record<string, string> = {},
  ): Promise<string> {
    const made = await client.call('POST', `${path}/line_items`, {
      params: {
        ...{ campaign_id, name: 'Visits', objective: 'WEBSITE_CLICKS', product_type: 'PROMOTED_POSTS' },
        ...{ placements: 'ALL_ON_SERVICE', bid_strategy: 'AUTO', start_time: '2026-03-01', end_time: '2026-04-01' },
        ...changes,
      },
    });
    assert.equal(made.status, 200, made.text);
    return made.body.data.id;
  }

  async function makeCampaign(client: Client, path: string, funding_instrument_id: string): Promise<string> {
    const params = { name: 'Spring', funding_instrument_id, daily_budget_amount_local_micro: 5_000_000 };
    const made = await client.call('POST', `${path}/campaigns`, { params });
    assert.equal(made.status, 200, made.text);
    return made.body.data.id;
  }

  /** An account with a line item that leads to a website, and a tag for what is bought there. */
  async function openPlace(client = world().sandbox, changes: Record<string, string | number> = {}): Promise<Place> {
    const { account, instrument, path } = await openAccount(client);
    const campaign = await makeCampaign(client, path, instrument);
    const [line, tag] = [await makeLine(client, path, campaign), await makeTag(client, path, changes)];
    return { client, account, path, line, tag };
  }

  const touchOf = (
    { account, line }: Place,
    kind: DeliveryTouch['kind'],
    touched_at: string,
    changes: Partial<DeliveryTouch> = {},
  ): DeliveryTouch => ({
    ...{ account_id: account, person: 'p1', touched_at, kind, line_item_id: line, creative_id: 'c1' },
    ...{ placement: 'ALL_ON_SERVICE', platform: '1', ...changes },
  });

  const addTouches = (...touches: DeliveryTouch[]) =>
    world().service.store.write((tx) => tx.conversions.addTouches(touches));

  const clickId = (place: Place, touched_at: string, changes: Partial<AdClick> = {}, environment = 'sandbox') =>
    sealClickId(world().service.services.box, environment as 'sandbox', {
      ...{ ...touchOf(place, 'click', touched_at), click: 'abcdefgh12345678', ...changes },
      kind: 'click',
    });

  const conversionOf = (place: Place, identifiers: object[], changes: Conversion = {}): Conversion => ({
    ...{ conversion_time: ago(0), event_id: place.tag, identifiers, ...changes },
  });

  const send = ({ client, account }: Place, conversions: unknown): Promise<Reply> =>
    client.call('POST', `/12/measurement/conversions/${account}`, { json: { conversions } });

  async function sendAll(place: Place, ...conversions: Conversion[]): Promise<void> {
    const reply = await send(place, conversions);
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.body.data.conversions_processed, conversions.length);
    assert.match(reply.body.data.debug_id, /^[0-9a-f-]{36}$/);
    assert.deepEqual(reply.body.request, { params: { account_id: place.account } });
  }

  /** What the ledger has of an account: sums by line item, creative, day and metric. */
  async function counted(place: Place): Promise<Record<string, Record<string, number>>> {
    const rows = await world().service.store.read((tx) =>
      tx.deliveryLedger.listDays({ account: place.account, ...RANGE }),
    );
    return Object.fromEntries(
      rows.map((row) => [`${row.line_item_id} ${row.creative_id} ${row.day}`, sumsOf(row.hours)]),
    );
  }

  function sumsOf(hours: Uint8Array): Record<string, number> {
    const { metrics } = unpackHours(hours);
    return Object.fromEntries([...metrics].map(([metric, numbers]) => [metric, numbers.reduce((a, b) => a + b, 0)]));
  }

  /** All metrics of an account, added up. */
  async function sums(place: Place): Promise<Record<string, number>> {
    const all: Record<string, number> = {};
    for (const metrics of Object.values(await counted(place))) {
      for (const [metric, sum] of Object.entries(metrics)) all[metric] = (all[metric] ?? 0) + sum;
    }
    return all;
  }

  return {
    ago,
    makeTag,
    makeLine,
    makeCampaign,
    openPlace,
    touchOf,
    addTouches,
    clickId,
    conversionOf,
    send,
    sendAll,
    counted,
    sums,
    sumsOf,
  };
}
