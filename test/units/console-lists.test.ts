import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cellText, type ListRow, stateOfRow, switchOf } from '../../src/console/lists/cell-text.ts';
import { entityLists, STATES } from '../../src/console/lists/entity-lists.ts';
import type { Fields } from '../../src/contract/declare/resource.ts';
import { NO_ACTIVE_LINE_ITEM } from '../../src/contract/delivery/delivery-status.ts';
import { campaigns as declaredCampaigns } from '../../src/features/ads/campaigns.ts';
import { OBJECTIVES } from '../../src/features/ads/line-items/objectives.ts';
import { PLACEMENTS } from '../../src/features/ads/line-items/placements.ts';
import { lineItems as declaredLineItems } from '../../src/features/ads/line-items.ts';
import { TARGETING_TYPES } from '../../src/features/ads/targeting-criteria/targeting-types.ts';
import { REASONS_NOT_SERVING } from '../../src/features/delivery/serving-times.ts';
import { texts } from '../../src/texts/texts.ts';

const [campaigns, lineItems] = entityLists();
const DECLARED = { campaigns: declaredCampaigns, line_items: declaredLineItems };
const ROW: ListRow = {
  ...{ id: 'zz9', name: null, currency: 'JPY', entity_status: 'PAUSED', objective: 'ENGAGEMENTS' },
  ...{ bid_amount_local_micro: 2_000_000, daily_budget_amount_local_micro: null },
  ...{ start_time: '2026-03-02T15:00:00Z', end_time: '2026-03-02T15:00:00Z' },
};
/** The text of a cell of a line item whose account is in Tokyo, where a new day begins at 15:00 UTC. */
const cellOf = (name: string, row: Partial<ListRow> = {}): string =>
  cellText(lineItems!.columns.find((each) => each.name === name)!, { ...ROW, ...row } as ListRow, 'Asia/Tokyo');

describe('a cell of a list', () => {
  test('has the name of its row, or else the id', () => {
    assert.equal(cellOf('name'), 'zz9');
    assert.equal(cellOf('name', { name: 'Bread' }), 'Bread');
  });

  test('has the units of the currency, and nothing for nothing', () => {
    assert.match(cellOf('bid_amount_local_micro'), /^\D*2$/);
    assert.equal(cellOf('daily_budget_amount_local_micro'), '');
    assert.equal(cellOf('daily_budget_amount_local_micro', { daily_budget_amount_local_micro: undefined }), '');
  });

  test('has the first day at the start of a time range, and the last at its end', () => {
    assert.equal(cellOf('start_time'), '2026-03-03');
    assert.equal(cellOf('end_time'), '2026-03-02');
  });

  test('has a word for an objective, and a new one as it is', () => {
    assert.equal(cellOf('objective'), texts.campaign.objectives.ENGAGEMENTS);
    assert.equal(cellOf('objective', { objective: 'NEW_ONE' }), 'NEW_ONE');
    assert.deepEqual(Object.keys(texts.campaign.objectives).sort(), Object.keys(OBJECTIVES).sort());
  });
});

describe('the state of a row', () => {
  const words = { states: { PAUSED: 'Paused', RUNNING: 'Running' }, reasons: { NO_FUNDS: 'No money left' } };
  const cases: [row: Parameters<typeof stateOfRow>[0], expected: ReturnType<typeof stateOfRow>][] = [
    [{ entity_status: 'PAUSED' }, { state: 'paused', text: 'Paused', why: '' }],
    [
      { entity_status: 'ACTIVE', effective_status: 'RUNNING' },
      { state: 'running', text: 'Running', why: '' },
    ],
    [
      { entity_status: 'PAUSED', effective_status: 'NEW_ONE' },
      { state: 'paused', text: 'Paused', why: '' },
    ],
    [{ entity_status: 'NEW_ONE' }, { state: 'new_one', text: 'NEW_ONE', why: '' }],
    [
      { entity_status: 'PAUSED', reasons_not_servable: ['NO_FUNDS', 'PAUSED_BY_ADVERTISER'] },
      { state: 'paused', text: 'Paused', why: 'No money left' },
    ],
    [
      { entity_status: 'DRAFT', reasons_not_servable: ['NO_FUNDS', 'PAUSED_BY_ADVERTISER'] },
      { state: 'draft', text: 'DRAFT', why: 'No money left' },
    ],
  ];
  for (const [row, expected] of cases) {
    test(JSON.stringify(row), () => assert.deepEqual(stateOfRow(row, words), expected));
  }

  test('has a button that stops what is active, and starts the rest', () => {
    const words = { pause: 'Pause', activate: 'Activate' };
    assert.deepEqual(switchOf({ entity_status: 'ACTIVE' }, words), { status: 'PAUSED', label: 'Pause' });
    assert.deepEqual(switchOf({ entity_status: 'PAUSED' }, words), { status: 'ACTIVE', label: 'Activate' });
    assert.equal(switchOf({ entity_status: 'DRAFT' }, words), undefined, 'drafts are reviewed');
  });
});

describe('the lists', () => {
  test('are narrowed by the states of their rows, each of which has a word', () => {
    for (const state of STATES) assert.ok(state in texts.states, state);
  });

  test('are sorted by all that the API sorts by, and by nothing else', () => {
    for (const { resource, columns } of entityLists()) {
      const { fields } = DECLARED[resource];
      for (const { name, isSortable = false } of columns)
        assert.equal(isSortable, (fields as Fields)[name]!.isSortable, `${resource}.${name}`);
    }
  });

  test('have words for all that keeps something from showing ads', () => {
    for (const reason of [...REASONS_NOT_SERVING, 'NO_PEOPLE', NO_ACTIVE_LINE_ITEM])
      assert.ok(reason in texts.reasons, reason);
    for (const type of Object.keys(TARGETING_TYPES)) assert.ok(type in texts.campaign.kinds, type);
    for (const placement of PLACEMENTS) assert.ok(placement in texts.campaign.placements, placement);
  });

  test('have these columns', () => {
    const budgets = ['daily_budget_amount_local_micro money', 'total_budget_amount_local_micro money'];
    const columnsOf = ({ columns }: ReturnType<typeof entityLists>[number]) =>
      columns.map(({ name, kind }) => `${name} ${kind}`);
    assert.deepEqual(columnsOf(campaigns!), ['name text', 'entity_status state', ...budgets]);
    assert.deepEqual(columnsOf(lineItems!), [
      ...['name text', 'entity_status state', 'objective word', 'bid_amount_local_micro money', ...budgets],
      ...['start_time day', 'end_time day'],
    ]);
  });
});
