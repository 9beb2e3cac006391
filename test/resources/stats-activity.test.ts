import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Reply } from '../rig/client.ts';
import { openWorld, type World } from '../rig/world.ts';
import { type StatsPlace, statsCalls } from './stats-calls.ts';

let world: World;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
});
after(() => world.close());
const { openPlace, deliver, count, asking, get, call } = statsCalls(() => world);

describe('active entities', () => {
  let place: StatsPlace;
  const active = (params: Record<string, string>): Promise<Reply> =>
    call('GET', `/accounts/${place.account}/active_entities`, params);
  const hours = { start_time: '2026-03-01T10:00:00Z', end_time: '2026-03-01T12:00:00Z' };
  before(async () => {
    place = await openPlace();
    const numbers = { impressions: { 1: 5 } };
    await deliver(
      place,
      { line: 0, day: '2026-02-28', numbers, now: '2026-03-01T10:20:00Z' },
      { line: 0, creative: 1, day: '2026-03-01', numbers, now: '2026-03-01T11:59:59Z', placement: 'SPOTLIGHT' },
      { line: 3, day: '2026-03-01', numbers, now: '2026-03-01T12:00:00Z' },
    );
  });

  test('are those that changed in the hours, with the time that the changes are about', async () => {
    const reply = await active({ entity: 'line_item', ...hours });
    assert.equal(reply.status, 200, reply.text);
    const [first] = place.lines;
    assert.equal(
      reply.text,
      JSON.stringify({
        request: { params: { account_id: place.account, entity: 'LINE_ITEM', ...hours } },
        data: [
          {
            ...{ entity_id: first!.id, activity_start_time: '2026-02-28T08:00:00Z' },
            ...{ activity_end_time: '2026-03-02T08:00:00Z', placements: ['ALL_ON_SERVICE', 'SPOTLIGHT'] },
          },
        ],
      }),
    );
    const earlier = await active({
      entity: 'LINE_ITEM',
      start_time: '2026-03-01T09:00:00Z',
      end_time: hours.start_time,
    });
    assert.deepEqual(earlier.body.data, []);
  });

  test('are of any kind, and filtered by what they belong to', async () => {
    const [one, , , other] = place.lines;
    const idsOf = async (params: Record<string, string>) => {
      const day = { start_time: '2026-03-01', end_time: '2026-03-02' };
      const reply = await active({ ...day, ...params });
      return reply.body.data.map(({ entity_id }: { entity_id: string }) => entity_id);
    };
    const posts = [...one!.creatives, other!.creatives[0]!];
    assert.deepEqual(await idsOf({ entity: 'PROMOTED_POST' }), posts.toSorted());
    assert.deepEqual(await idsOf({ entity: 'CAMPAIGN' }), place.campaigns.toSorted());
    assert.deepEqual(await idsOf({ entity: 'FUNDING_INSTRUMENT' }), [place.instrument]);
    assert.deepEqual(await idsOf({ entity: 'PROMOTED_ACCOUNT' }), []);
    assert.deepEqual(await idsOf({ entity: 'MEDIA_CREATIVE' }), []);
    const [, second] = place.campaigns;
    assert.deepEqual(await idsOf({ entity: 'LINE_ITEM', campaign_ids: second! }), [other!.id]);
    assert.deepEqual(await idsOf({ entity: 'PROMOTED_POST', line_item_ids: `${other!.id},zz9` }), [posts[2]]);
    assert.deepEqual(await idsOf({ entity: 'LINE_ITEM', funding_instrument_ids: 'zz9' }), []);
    assert.equal((await idsOf({ entity: 'LINE_ITEM', funding_instrument_ids: place.instrument })).length, 2);
  });

  test('are refused with two filters, and for accounts and posts that nobody pays for', async () => {
    const both = await active({ entity: 'LINE_ITEM', ...hours, campaign_ids: 'a', line_item_ids: 'b' });
    assert.equal(both.status, 400);
    assert.deepEqual(both.body.errors, [
      {
        ...{ code: 'EXCLUSIVE_PARAMETERS', message: 'campaign_ids and line_item_ids are exclusive parameters' },
        parameter: 'campaign_ids, line_item_ids',
      },
    ]);
    for (const entity of ['ACCOUNT', 'ORGANIC_POST']) {
      const [error] = (await active({ entity, ...hours })).body.errors;
      assert.deepEqual([error.code, error.parameter], ['INVALID_PARAMETER', 'entity']);
    }
    const long = await active({ entity: 'LINE_ITEM', start_time: '2026-01-01', end_time: '2026-04-02' });
    assert.equal(long.body.errors[0].message, 'The end_time can be a maximum of 90.days+1.hours after the start_time');
    const empty = await active({ entity: 'LINE_ITEM', start_time: '2026-01-01', end_time: '2026-01-01' });
    assert.equal(empty.body.errors[0].message, 'The end_time must be after the start_time');
    const part = await active({ entity: 'LINE_ITEM', ...hours, end_time: '2026-03-01T12:00:01Z' });
    assert.equal(part.body.errors[0].message, 'Time cannot be fractional hours');
  });

  test('tell whoever asks hour after hour all that there is to ask for', async () => {
    const floor = (text: string) => `${text.slice(0, 13)}:00:00Z`;
    let impressions = 0;
    const seen = new Set<string>();
    for (let hour = 8; hour < 16; hour++) {
      const at = (each: number) => `2026-03-01T${String(each).padStart(2, '0')}:00:00Z`;
      const { body } = await active({ entity: 'PROMOTED_POST', start_time: at(hour), end_time: at(hour + 1) });
      for (const { entity_id, activity_start_time, activity_end_time, placements } of body.data) {
        for (const placement of placements) {
          const of = { ...asking([entity_id], { entity: 'PROMOTED_POST', placement }), granularity: 'TOTAL' };
          const reply = await get(place, {
            ...of,
            start_time: floor(activity_start_time),
            end_time: floor(activity_end_time),
          });
          if (!seen.has(`${entity_id} ${placement}`))
            impressions += reply.body.data[0].id_data[0].metrics.impressions[0];
          seen.add(`${entity_id} ${placement}`);
        }
      }
    }
    assert.equal(impressions, 15);
  });
});

describe('reach', () => {
  const day = { start_time: '2026-03-01T08:00:00Z', end_time: '2026-03-02T08:00:00Z' };
  const reachOf = async (place: StatsPlace, params: Record<string, string>, of = 'campaigns') =>
    call('GET', `/accounts/${place.account}/reach/${of}`, params);
  const numbersOf = ({ body }: Reply) =>
    body.data.map(({ total_audience_reach, average_frequency }: Record<string, number>) => [
      total_audience_reach,
      average_frequency,
    ]);

  test('is the expected number of people of the audiences, at least that of a line item and at most all', async () => {
    const place = await openPlace();
    const [one, two] = place.lines;
    await deliver(
      place,
      { line: 0, day: '2026-03-01', numbers: { impressions: { 1: 1000 } } },
      { line: 1, day: '2026-03-01', numbers: { impressions: { 1: 500, 2: 500 } } },
      { line: 1, day: '2026-03-02', numbers: { impressions: { 1: 100_000 } } },
    );
    await count(place, { [one!.id]: { people: 1000 }, [two!.id]: { people: 1000 } });
    const ids = { campaign_ids: `${place.campaigns[0]},zz9,${place.campaigns[1]}` };
    const subject = `campaign/${place.campaigns[0]}`;
    // Of 1000 people, 632 have at least one of 1000 impressions, and 865 one of 2000.
    await count(place, { [subject]: { people: 1000 } });
    const reply = await reachOf(place, { ...ids, ...day });
    assert.equal(
      reply.text,
      JSON.stringify({
        request: {
          params: { campaign_ids: ids.campaign_ids.split(','), ...day, account_id: place.account },
        },
        data_type: 'reach',
        data: [
          { id: place.campaigns[0], total_audience_reach: 865, average_frequency: 2.31 },
          { id: place.campaigns[1], total_audience_reach: 0, average_frequency: 0 },
        ],
      }),
    );
    await count(place, { [subject]: { people: 2000 } });
    assert.deepEqual(numbersOf(await reachOf(place, { campaign_ids: place.campaigns[0]!, ...day })), [[1264, 1.58]]);
    const instrument = { funding_instrument_ids: place.instrument, ...day };
    const byInstrument = await reachOf(place, instrument, 'funding_instruments');
    assert.deepEqual(numbersOf(byInstrument), [[1264, 1.58]]);
    const longer = await reachOf(place, {
      campaign_ids: place.campaigns[0]!,
      ...day,
      end_time: '2026-03-03T08:00:00Z',
    });
    assert.deepEqual(numbersOf(longer), [[1632, 62.5]]);
  });

  test('of people whom publishers named is counted, and added to what is estimated', async () => {
    const place = await openPlace();
    const [one] = place.lines;
    await deliver(place, { line: 0, day: '2026-03-01', numbers: { impressions: { 1: 12 } } });
    const view = (person: string, impressions: number) => ({
      ...{ account_id: place.account, line_item_id: one!.id, person, day: '2026-03-01', impressions },
    });
    await world.service.store.write((tx) => tx.deliveryLedger.addImpressions([view('a', 4), view('b', 1)]));
    const of = { campaign_ids: place.campaigns[0]!, ...day };
    assert.deepEqual(numbersOf(await reachOf(place, of)), [[2, 2.5]]);
    await count(place, { [one!.id]: { people: 1 } });
    assert.deepEqual(numbersOf(await reachOf(place, of)), [[3, 4]]);
    const elsewhere = { ...of, start_time: '2026-03-01T20:00:00Z' };
    assert.deepEqual(numbersOf(await reachOf(place, elsewhere)), [[0, 0]]);
  });

  test('is refused without ids, with too many, and in ranges that cannot be', async () => {
    const place = await openPlace();
    for (const [of, name] of [
      ['campaigns', 'campaign_ids'],
      ['funding_instruments', 'funding_instrument_ids'],
    ] as const) {
      const errorOf = async (params: Record<string, string>) =>
        (await reachOf(place, params, of)).body.errors[0].message;
      assert.equal(await errorOf(day), `"${name}" is a required parameter`);
      const ids = Array.from({ length: 21 }, (_, at) => `zz${at}`).join(',');
      assert.equal(await errorOf({ ...day, [name]: ids }), `A maximum of 20 items may be provided for ${name}`);
      const one = { [name]: 'zz9' };
      const at = (start_time: string, end_time: string) => errorOf({ ...one, start_time, end_time });
      assert.equal(await at('2026-03-01', '2026-03-01'), 'The end_time must be after the start_time');
      assert.equal(await at('2026-03-01', '2026-03-02T00:30:00Z'), 'Time cannot be fractional hours');
      const long = 'The end_time can be a maximum of 90.days+1.hours after the start_time';
      assert.equal(await at('2026-01-01', '2026-04-01T02:00:00Z'), long);
      assert.equal(
        await errorOf({ ...one, start_time: 'soon', end_time: '2026-03-01' }),
        'Expected time, got "soon" for start_time',
      );
    }
  });
});
