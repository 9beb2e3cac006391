import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { ProblemName } from '../../../src/contract/problems/problems.ts';
import { type BreakableWorld, openBreakableWorld } from '../../rig/breakable.ts';
import type { Reply } from '../../rig/client.ts';
import { register, type Standing } from '../../rig/people.ts';
import { type RawCall, rawCall } from '../../rig/raw.ts';
import { openAccount } from '../../rig/world.ts';

export const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
export const JSON_TYPE = { 'content-type': 'application/json' };
/** How many campaigns may be active. */
export const ACTIVE_MAX = 2;
/** How many line items a campaign may have, and how many may be active. */
export const LINE_ITEMS = { campaign_line_items_max: 2, active_line_items_max: 1 };
/** How many bytes a body may have. */
const BODY_MAX = 2048;

/** One error as it is said, every member of it. */
export type Said = Readonly<Record<string, string | number>>;

/** What is given, and what is answered to it. */
export interface Case {
  readonly name: ProblemName;
  readonly input: string;
  send(): Promise<Reply>;
  readonly status: number;
  /** May name ids that exist only once the world does. */
  readonly errors: readonly Said[] | (() => readonly Said[]);
}

/** The world of these tests, where some windows hold one call, and an account in it. */
export let world: BreakableWorld;
export let home: { account: string; instrument: string; path: string };

/** Opens the world before the tests of a file and closes it after them. */
export function useWorld(): void {
  before(async () => {
    world = await openBreakableWorld({
      body_bytes_max: BODY_MAX,
      rate_writes_per_min: 1000,
      rate_account_reads_small_per_15min: 1,
      rate_revocations_per_15min: 1,
      rate_bearer_tokens_per_15min: 1,
      active_campaigns_max: ACTIVE_MAX,
      ...LINE_ITEMS,
    });
    home = await openAccount(world.sandbox);
  });
  after(() => world.close());
}

/** Sends to the sandbox what a well-behaved client would not. */
export function sandbox(call: RawCall): Promise<Reply> {
  return rawCall(world.service.sandboxUrl, world.clock, call);
}

/** Sends to the sandbox as somebody new. */
export async function as(standing: Standing, call: RawCall): Promise<Reply> {
  return sandbox({ ...call, keys: await register(world, standing) });
}

/** Parameters of a call. */
export type Params = Readonly<Record<string, string | number>>;

/** Calls something of the account. */
export function own(method: string, path: string, params: Params = {}): Promise<Reply> {
  return world.sandbox.call(method, home.path + path, { params });
}

/** Parameters of a good campaign, with some changed. */
export function campaign(params: Params): Params {
  return { name: 'Given', funding_instrument_id: home.instrument, entity_status: 'PAUSED', ...params };
}

/** Creates a campaign. */
export function create(params: Params): Promise<Reply> {
  return own('POST', '/campaigns', campaign(params));
}

/** Sends a batch of campaigns. */
export function batch(json: unknown): Promise<Reply> {
  return world.sandbox.call('POST', `/12/batch/accounts/${home.account}/campaigns`, { json });
}

/** Makes an instrument of the account; the answer is its id. */
export async function instrument(params: Params): Promise<string> {
  const made = await own('POST', '/funding_instruments', { currency: 'USD', start_time: '2026-01-01', ...params });
  assert.equal(made.status, 200, made.text);
  return made.body.data.id;
}

/** A parameter that cannot be read. */
export function invalid(parameter: string, message: string): Said {
  return { code: 'INVALID_PARAMETER', message, parameter };
}
