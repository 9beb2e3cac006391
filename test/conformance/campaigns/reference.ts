import assert from 'node:assert/strict';
import { accountRule, dataOf, expectErrors, idsOf, type Json, missing } from '../account.ts';
import { type Rule, Skipped } from '../rule.ts';
import { cellsOf, readProtocol } from '../sentences.ts';

/** The rows of a section. */
function rowIds(section: string): string[] {
  const found = readProtocol('campaigns').find(({ id }) => id === section)!;
  return found.sentences.map(({ id }) => id).filter((id) => cellsOf(id).length > 1);
}

/** IAB ids of a cell: `IAB8-1 to IAB8-4, IAB9`. */
function iabIds(cell: string): string[] {
  const [listed = '', excepted = ''] = cell.split(' without ');
  const without = excepted.split(' and ');
  const all = listed.split(', ').flatMap((part) => {
    const [from, to] = part.split(' to ');
    if (to === undefined) return [from!];
    const [tier, first] = from!.split('-');
    const last = Number(to.split('-')[1]);
    return Array.from({ length: last - Number(first) + 1 }, (_, index) => `${tier}-${Number(first) + index}`);
  });
  return all.filter((id) => !without.includes(id)).sort();
}

const categoryRules = [
  ...rowIds('campaigns 6.2').map((id) => ['content_categories', id] as const),
  ...rowIds('campaigns 6.3').map((id) => ['advertiser_business_categories', id] as const),
].map(([list, sentence]) =>
  accountRule(sentence, async (account) => {
    const [id, name, categories] = cellsOf(sentence) as [string, string, string];
    const row = dataOf(await account.get(`/12/${list}`)).find((each: Json) => each.id === id);
    assert.ok(row, `no ${id}`);
    assert.deepEqual([row.name, row.iab_categories.toSorted()], [name, iabIds(categories)]);
  }),
);

const bidRules = ['campaigns 6.1.3', 'campaigns 6.1.4', 'campaigns 6.1.5'].map((id, index) =>
  accountRule(id, async (account) => {
    const [, denomination, minimum, maximum] = cellsOf(id).map(Number);
    for (const currency of [['USD', 'EUR'], ['JPY'], ['KWD']][index]!) {
      assert.deepEqual(dataOf(await account.get('/12/bidding_rules', { currency })), [
        {
          currency,
          minimum_cpe_bid_local_micro: minimum,
          maximum_cpe_bid_local_micro: maximum,
          minimum_denomination: denomination,
        },
      ]);
    }
  }),
);

/** Checks of reference data: section 6. */
const listRules: readonly Rule[] = [
  accountRule('campaigns 6.1.1', async (account) => {
    const { body } = await account.get('/12/bidding_rules');
    assert.equal(body.next_cursor, null);
    assert.ok(body.data.length > 30);
  }),
  accountRule('campaigns 6.1.2', async (account) => {
    assert.deepEqual(dataOf(await account.get('/12/bidding_rules', { currency: 'ZZZ' })), []);
    const error = { code: 'INVALID_PARAMETER', parameter: 'currency' };
    expectErrors(await account.get('/12/bidding_rules', { currency: 'dollar' }), 400, error);
  }),
  ...bidRules,
  accountRule('campaigns 6.2.1', async (account) => {
    const { body } = await account.get('/12/content_categories');
    assert.equal(body.next_cursor, null);
    const counters = ['publishers_in_last_thirty_days', 'videos_monetized_in_last_thirty_days'];
    for (const row of body.data) {
      assert.deepEqual(Object.keys(row).sort(), ['iab_categories', 'id', 'name', ...counters]);
    }
  }),
  ...categoryRules,
  accountRule('campaigns 6.4.1', async (account) => {
    const first = await account.get('/12/iab_categories', { count: 2 });
    const cursor: string = first.body.next_cursor;
    const second = await account.get('/12/iab_categories', { count: 2, cursor });
    assert.deepEqual([...idsOf(first), ...idsOf(second)], ['IAB1', 'IAB1-1', 'IAB1-2', 'IAB1-3']);
    const { body } = await account.get('/12/iab_categories', { count: 1, with_total_count: true });
    assert.equal(body.total_count, 392);
  }),
  accountRule('campaigns 6.4.2', async (account) => {
    const rows = dataOf(await account.get('/12/iab_categories', { count: 1000 }));
    const order = (id: string) => id.slice(3).split('-').map(Number);
    const sorted = idsOf(await account.get('/12/iab_categories', { count: 1000 })).toSorted((a, b) => {
      const [[tier = 0, child = 0], [other = 0, otherChild = 0]] = [order(a), order(b)];
      return tier - other || child - otherChild;
    });
    assert.deepEqual(
      rows.map(({ id }: Json) => id),
      sorted,
    );
    for (const { id, parent_id } of rows) assert.equal(parent_id, id.includes('-') ? id.split('-')[0] : null);
  }),
  accountRule('campaigns 6.5.2', async (account) => {
    expectErrors(await account.get('curated_categories'), 400, missing('country_codes'));
    const error = { code: 'INVALID_PARAMETER', parameter: 'country_codes' };
    expectErrors(await account.get('curated_categories', { country_codes: 'USA' }), 400, error);
  }),
  accountRule('campaigns 6.5.4', async (account) => {
    const [row] = dataOf(await account.get('curated_categories', { country_codes: 'US' }));
    if (!row) throw new Skipped('there is no curated category');
    assert.deepEqual(row.country_codes, ['US']);
    const whole = dataOf(await account.get(`curated_categories/${row.id}`));
    assert.ok(whole.country_codes.includes('US'));
    assert.ok(!('deleted' in whole));
  }),
  accountRule('campaigns 6.5.6', async (account) => {
    expectErrors(await account.get('curated_categories/zz9'), 404, { code: 'NOT_FOUND' });
  }),
  accountRule('campaigns 6.6.1', async (account) => {
    const { body } = await account.get('/12/publishers');
    assert.equal(body.next_cursor, null);
    assert.ok(Array.isArray(body.data));
  }),
];

/** Checks of look-ups: section 11. */
const lookupRules: readonly Rule[] = [
  accountRule('campaigns 11.1', async (account) => {
    for (const path of ['devices', 'interests', 'languages', 'locations', 'platforms', 'conversations']) {
      const [row] = dataOf(await account.get(`/12/targeting_criteria/${path}`));
      assert.deepEqual([typeof row.targeting_type, typeof row.targeting_value], ['string', 'string'], path);
    }
  }),
  accountRule('campaigns 11.2', async (account) => {
    const rows = dataOf(
      await account.get('/12/targeting_criteria/locations', { q: 'NITED STAT', location_type: 'COUNTRIES' }),
    );
    assert.ok(rows.some(({ name }: Json) => name === 'United States'));
  }),
  accountRule('campaigns 11.14', async (account) => {
    expectErrors(await account.get('/12/targeting_criteria/tv_shows'), 400, missing('locale'));
    const error = { code: 'INVALID_PARAMETER', parameter: 'count' };
    expectErrors(await account.get('/12/targeting_criteria/tv_shows', { locale: 'en-US', count: 51 }), 400, error);
  }),
  accountRule('campaigns 11.19', async (account) => {
    const rows = dataOf(await account.get('/12/targeting_criteria/platforms'));
    const named = Object.fromEntries(rows.map((row: Json) => [row.targeting_value, row.name]));
    assert.deepEqual(named, {
      0: 'iOS',
      1: 'Android',
      2: 'BlackBerry phones and tablets',
      3: 'Mobile web on other devices',
      4: 'Desktop and laptop computers',
    });
  }),
  accountRule('campaigns 11.20', async (account) => {
    const rows = dataOf(await account.get('/12/targeting_criteria/tv_markets'));
    const locales = rows.map(({ locale }: Json) => locale).sort();
    const expected =
      'de-DE en-CA en-GB en-IE en-US es-AR es-CL es-CO es-ES es-MX es-US es-VE fr-FR it-IT ja-JP nl-NL pt-BR';
    assert.deepEqual(locales, expected.split(' '));
  }),
  accountRule('campaigns 11.21', async (account) => {
    for (const [q, value] of [
      ['United States', '96683cc9126741d1'],
      ['Los Angeles', '3b77caf94bfc81fe'],
      ['San Francisco-Oakland-San Jose', '5122804691e5fecc'],
    ]) {
      const rows = dataOf(await account.get('/12/targeting_criteria/locations', { q: q! }));
      assert.ok(
        rows.some(({ targeting_value }: Json) => targeting_value === value),
        q,
      );
    }
  }),
];

/** Checks of sections 6 and 11. */
export const referenceRules: readonly Rule[] = [...listRules, ...lookupRules];
