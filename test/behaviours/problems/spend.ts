import { addToLedger } from '../../../src/features/delivery/ledger-writer.ts';
import { type Case, create, home, own, world } from './setting.ts';

/** Makes a campaign that has spent three units of its budget of ten. */
async function spending(): Promise<string> {
  const { id } = (await create({ total_budget_amount_local_micro: 10_000_000 })).body.data as { id: string };
  const charged = [3_000_000, ...Array<number>(23).fill(0)];
  const delivered = {
    line_item: { id: 'line', campaign_id: id, funding_instrument_id: home.instrument },
    ...{ creative_id: 'creative', placement: 'ALL_ON_SERVICE', day: '2026-03-02', hours: 24 },
    ...{ from: '2026-03-02T00:00:00Z', until: '2026-03-02T01:00:00Z' },
    added: new Map([['billed_charge_local_micro', charged]] as const),
  };
  const account = { id: home.account, timezone: 'UTC' };
  await world.service.store.write((tx) => addToLedger(tx, account, [delivered], '2026-03-02T01:00:00Z'));
  return id;
}

/** Problems of budgets that are spent already. */
export const spendProblems: readonly Case[] = [
  {
    name: 'SPEND_EXCEEDS_BUDGET',
    input: 'a total budget below what was spent',
    send: async () => own('PUT', `/campaigns/${await spending()}`, { total_budget_amount_local_micro: 2_000_000 }),
    status: 400,
    errors: [
      {
        code: 'SPEND_EXCEEDS_BUDGET',
        message: 'The total budget of 2000000 is less than the 3000000 that have been spent',
        parameter: 'total_budget_amount_local_micro',
      },
    ],
  },
];
