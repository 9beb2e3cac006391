// On either database: both are asked the same, and what they store is held against each other elsewhere.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fundingInstruments } from '../../src/features/ads/funding-instruments.ts';
import { promotedAccounts } from '../../src/features/ads/promoted-accounts.ts';
import { openWorld, type World } from '../rig/world.ts';
import { campaignCalls } from './campaign-calls.ts';
import { idOf, type LineItemFixture, lineItemCalls, type Params } from './line-item-calls.ts';

let world: World;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
});
after(() => world.close());

const { call, open, campaign, create } = lineItemCalls(() => world);
const { setAccount } = campaignCalls(() => world);

/** What there is before a campaign is read. */
interface Input {
  readonly campaign?: Params;
  /** Its line items; each has something to show unless it says otherwise. */
  readonly lines?: readonly { readonly params?: Params; readonly shows?: false; readonly deleted?: true }[];
  readonly account?: Record<string, string>;
  readonly deleted?: true;
  /** Every creative is rejected. */
  readonly rejected?: true;
  readonly instrumentPaused?: true;
}

type Then = readonly [reasons: readonly string[], servable: boolean | null, effective: string];

const BUDGET = { daily_budget_amount_local_micro: 1_000_000 };
const ENDED = { start_time: '2026-01-01', end_time: '2026-03-02T17:04:56Z' };
const LATER = { start_time: '2026-05-01' };

async function shown(place: LineItemFixture, input: Input): Promise<Then> {
  const id = await campaign(place, { ...BUDGET, ...input.campaign });
  for (const { params, shows = true, deleted } of input.lines ?? [{}]) {
    const line = idOf(await create(place, 'FOLLOWERS', { campaign_id: id, ...params }));
    if (shows) {
      const creative = { line_item_id: line, user_id: world.keys.user_id! };
      const promoted = idOf(await call('POST', `${place.path}/promoted_accounts`, creative));
      if (input.rejected) await stored(place, promoted, 'REJECTED');
    }
    if (deleted) await call('DELETE', `${place.path}/line_items/${line}`);
  }
  world.clock.advance(2);
  if (input.account) await setAccount(place.account, input.account);
  if (input.instrumentPaused) await pause(place);
  if (input.deleted) await call('DELETE', `${place.path}/campaigns/${id}`);
  const { body } = await call('GET', `${place.path}/campaigns/${id}`, { with_deleted: true });
  const { reasons_not_servable, servable, effective_status } = body.data;
  return [reasons_not_servable, servable, effective_status];
}

async function stored(place: LineItemFixture, id: string, approval_status: string): Promise<void> {
  await world.service.store.write((tx) =>
    tx.records.update(promotedAccounts, { account: place.account, id }, { approval_status }),
  );
}

async function pause(place: LineItemFixture): Promise<void> {
  const key = { account: place.account, id: place.instrument };
  await world.service.store.write((tx) => tx.records.update(fundingInstruments, key, { entity_status: 'PAUSED' }));
}

/** @source campaigns 8.3 */
const cases: readonly (readonly [name: string, Input, Then])[] = [
  ['a line item with something to show', {}, [[], true, 'RUNNING']],
  ['all line items paused', { lines: [{ params: { entity_status: 'PAUSED' } }] }, [[], true, 'RUNNING']],
  ['no line item', { lines: [] }, [['INCOMPLETE'], false, 'UNKNOWN']],
  ['nothing to show', { lines: [{ shows: false }] }, [['INCOMPLETE'], false, 'UNKNOWN']],
  ['drafts only', { lines: [{ params: { entity_status: 'DRAFT' } }] }, [['INCOMPLETE'], false, 'UNKNOWN']],
  ['deleted line items only', { lines: [{ deleted: true }] }, [['INCOMPLETE'], false, 'UNKNOWN']],
  ['no budget anywhere', { campaign: { daily_budget_amount_local_micro: '' } }, [['INCOMPLETE'], false, 'UNKNOWN']],
  [
    'a budget on the line item alone',
    {
      campaign: { daily_budget_amount_local_micro: '', budget_optimization: 'LINE_ITEM' },
      lines: [{ params: BUDGET }],
    },
    [[], true, 'RUNNING'],
  ],
  ['paused', { campaign: { entity_status: 'PAUSED' } }, [['PAUSED_BY_ADVERTISER'], false, 'PAUSED']],
  [
    'paused and nothing below',
    { campaign: { entity_status: 'PAUSED' }, lines: [] },
    [['PAUSED_BY_ADVERTISER', 'INCOMPLETE'], false, 'UNKNOWN'],
  ],
  ['a draft', { campaign: { entity_status: 'DRAFT' } }, [['PAUSED_BY_ADVERTISER'], false, 'DRAFT']],
  ['all line items over', { lines: [{ params: ENDED }, { params: ENDED }] }, [['EXPIRED'], false, 'EXPIRED']],
  ['one over, one not', { lines: [{ params: ENDED }, {}] }, [[], true, 'RUNNING']],
  ['all yet to begin', { lines: [{ params: LATER }] }, [['STARTS_IN_FUTURE'], false, 'SCHEDULED']],
  [
    'those not over are yet to begin',
    { lines: [{ params: LATER }, { params: ENDED }] },
    [['STARTS_IN_FUTURE'], false, 'SCHEDULED'],
  ],
  ['one has begun', { lines: [{ params: LATER }, {}] }, [[], true, 'RUNNING']],
  ['everything rejected', { rejected: true }, [['CONTENT_REVIEW_PROBLEM'], false, 'UNKNOWN']],
  ['an instrument that cannot fund', { instrumentPaused: true }, [['FUNDING_PROBLEM'], false, 'UNKNOWN']],
  [
    'an account under review',
    { account: { approval_status: 'UNDER_REVIEW' } },
    [['ACCOUNT_UNDER_REVIEW'], false, 'UNKNOWN'],
  ],
  ['a rejected account', { account: { approval_status: 'REJECTED' } }, [['ACCOUNT_REJECTED'], false, 'UNKNOWN']],
  ['deleted', { deleted: true, campaign: { entity_status: 'PAUSED' } }, [[], null, 'UNKNOWN']],
  [
    'everything at once',
    {
      account: { approval_status: 'REJECTED' },
      campaign: { entity_status: 'PAUSED', daily_budget_amount_local_micro: '' },
      lines: [{ params: ENDED }],
      rejected: true,
      instrumentPaused: true,
    },
    [
      [
        'ACCOUNT_REJECTED',
        'EXPIRED',
        'PAUSED_BY_ADVERTISER',
        'FUNDING_PROBLEM',
        'CONTENT_REVIEW_PROBLEM',
        'INCOMPLETE',
      ],
      false,
      'UNKNOWN',
    ],
  ],
];

describe('servability of a campaign', () => {
  for (const [name, input, then] of cases) {
    test(`${name} -> ${JSON.stringify(then)}`, async () => {
      const start = world.clock.now();
      assert.deepEqual(await shown(await open(), input), then);
      world.clock.advance((start - world.clock.now()) / 1000);
    });
  }

  test('lists agree with single rows', async () => {
    const place = await open();
    const ids: string[] = [];
    for (const lines of [[], [{}], [{ params: LATER }]] as Input['lines'][]) {
      await shown(place, { lines: lines! });
      ids.push((await call('GET', `${place.path}/campaigns`, { count: 1 })).body.data[0].id);
    }
    const all = (await call('GET', `${place.path}/campaigns`)).body.data as { id: string; effective_status: string }[];
    assert.deepEqual(
      ids.map((id) => all.find((row) => row.id === id)!.effective_status),
      ['UNKNOWN', 'RUNNING', 'SCHEDULED'],
    );
    for (const row of all) assert.deepEqual((await call('GET', `${place.path}/campaigns/${row.id}`)).body.data, row);
  });
});
