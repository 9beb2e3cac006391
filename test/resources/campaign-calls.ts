import assert from 'node:assert/strict';
import { accounts } from '../../src/features/ads/accounts.ts';
import type { Reply } from '../rig/client.ts';
import type { openAccount, World } from '../rig/world.ts';

/** Parameters of a call. */
export type Params = Record<string, string | number | boolean>;

/** A sandbox account with a funding instrument. */
export type CampaignFixture = Awaited<ReturnType<typeof openAccount>>;

/** What a campaign needs on an instrument, and more. */
export function requiredFields(instrument: string, more: Params = {}): Params {
  return { name: 'Spring launch', funding_instrument_id: instrument, ...more };
}

/** Calls that tests of campaigns make again and again. */
export function campaignCalls(world: () => World) {
  return {
    create: (place: CampaignFixture, more: Params = {}): Promise<Reply> =>
      world().sandbox.call('POST', `${place.path}/campaigns`, { params: requiredFields(place.instrument, more) }),

    /** Makes a funding instrument; the answer is its id. */
    async instrumentOf(place: CampaignFixture, params: Params): Promise<string> {
      const made = await world().sandbox.call('POST', `${place.path}/funding_instruments`, {
        params: { currency: 'USD', start_time: '2026-01-01', type: 'CREDIT_CARD', ...params },
      });
      assert.equal(made.status, 200, made.text);
      return made.body.data.id;
    },

    /** Changes a stored account past the interface, as the platform itself would. */
    async setAccount(account: string, changes: Record<string, string>): Promise<void> {
      await world().service.store.write(async (tx) => {
        await tx.records.update(accounts, { account: undefined, id: account }, changes);
        tx.invalidate(`account:${account}`);
      });
    },
  };
}
