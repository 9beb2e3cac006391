import assert from 'node:assert/strict';
import type { Reply } from '../rig/client.ts';
import { openAccount, type World } from '../rig/world.ts';

/** Parameters of a call; an empty text un-sets. */
export type Params = Readonly<Record<string, string | number | boolean>>;

/** An account with a funding instrument. */
export type LineItemFixture = Awaited<ReturnType<typeof openAccount>>;

/** What makes a good line item of each objective, beside its campaign. */
export const VALID = {
  APP_ENGAGEMENTS: { product_type: 'PROMOTED_POSTS', android_store_identifier: 'com.harbour.brew' },
  APP_INSTALLS: { product_type: 'PROMOTED_POSTS', android_store_identifier: 'com.harbour.brew' },
  ENGAGEMENTS: { product_type: 'PROMOTED_POSTS' },
  FOLLOWERS: { product_type: 'PROMOTED_ACCOUNT' },
  PREROLL_VIEWS: { product_type: 'MEDIA', categories: 'IAB7' },
  REACH: { product_type: 'PROMOTED_POSTS' },
  VIDEO_VIEWS: { product_type: 'PROMOTED_POSTS' },
  WEBSITE_CLICKS: { product_type: 'PROMOTED_POSTS' },
} as const satisfies Record<string, Params>;

/** The name of an objective. */
export type ObjectiveName = keyof typeof VALID;

/** Calls that tests of line items make again and again. */
export function lineItemCalls(world: () => World) {
  const call = (method: string, path: string, params: Params = {}): Promise<Reply> =>
    world().sandbox.call(method, path, { params });
  const calls = {
    call,
    open: (): Promise<LineItemFixture> => openAccount(world().sandbox),

    /** Makes a campaign; the answer is its id. */
    async campaign(place: LineItemFixture, more: Params = {}): Promise<string> {
      const params = { name: 'Spring', funding_instrument_id: place.instrument, ...more };
      return idOf(await call('POST', `${place.path}/campaigns`, params));
    },
    /** Creates a line item of an objective that is good but for what is given; in a campaign of its own unless told. */
    async create(place: LineItemFixture, objective: ObjectiveName, more: Params = {}): Promise<Reply> {
      const campaign_id = more.campaign_id ?? (await calls.campaign(place));
      const params = { objective, placements: 'ALL_ON_SERVICE', ...VALID[objective], ...more, campaign_id };
      return call('POST', `${place.path}/line_items`, params);
    },
    change: (place: LineItemFixture, id: string, params: Params): Promise<Reply> =>
      call('PUT', `${place.path}/line_items/${id}`, params),
    batch: (place: LineItemFixture, json: unknown): Promise<Reply> =>
      world().sandbox.call('POST', `/12/batch/accounts/${place.account}/line_items`, { json }),
  };
  return calls;
}

/** The id of what a call made. */
export function idOf(reply: Reply): string {
  assert.equal(reply.status, 200, reply.text);
  return reply.body.data.id;
}

/** What is said to be wrong: code and what it is about. */
export function errorsOf(reply: Reply): string[] {
  return (reply.body.errors ?? []).map((error: { code: string; parameter?: string; attribute?: string }) =>
    [error.code, error.parameter ?? error.attribute].filter(Boolean).join(' '),
  );
}

/** The members of an object that an expectation names. */
export function subset(data: Readonly<Record<string, unknown>>, expected: object): Record<string, unknown> {
  return Object.fromEntries(Object.keys(expected).map((name) => [name, data[name]]));
}

/** What comes of a write: members of the row, or what is wrong. */
export type Expected = Readonly<Record<string, unknown>> | readonly string[];

/** Holds a reply against what was to come of the write. */
export function check(reply: Reply, then: Expected): void {
  if (Array.isArray(then)) {
    assert.deepEqual(errorsOf(reply), then, reply.text);
    return;
  }
  assert.equal(reply.status, 200, reply.text);
  assert.deepEqual(subset(reply.body.data, then), then);
}
