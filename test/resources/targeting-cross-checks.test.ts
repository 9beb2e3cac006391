import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { interests, locations } from '../../src/ads/reference/entries.ts';
import { targetingCriteria } from '../../src/ads/targeting-criteria.ts';
import { openWorld, type World } from '../rig/world.ts';
import { creating, deleting, good, itemFaults, openPlace, type Place } from './targeting-calls.ts';

const UNITED_STATES = '96683cc9126741d1';
const SAN_FRANCISCO = '5122804691e5fecc';
const IPHONE = '1q';
const SHOW_IN_UNITED_STATES = '10001';

let world: World;
let place: Place;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  place = await openPlace(world);
});
after(() => world.close());

const germany = () => locations().find((each) => each.name === 'Germany')!.targeting_value;

describe('a platform and a device that has it', () => {
  const message = 'Platform iOS is broader than device iPhone 3GS and cannot be combined with it';
  const said = { code: 'INVALID', message, attribute: 'targeting_value' };

  test('cannot be combined, whichever comes first', async () => {
    const two = [
      ['PLATFORM', '0'],
      ['DEVICE', IPHONE],
    ] as const;
    for (const [first, second] of [two, [two[1], two[0]]] as const) {
      const line = await place.line();
      good(await place.add(line, first[0], first[1]));
      const refused = await place.add(line, second[0], second[1]);
      assert.equal(refused.status, 400);
      assert.deepEqual(refused.body.errors, [said]);
    }
  });

  test('cannot be combined in one batch, but one can take the place of the other', async () => {
    const line = await place.line();
    const both = await place.batch([creating(line, 'PLATFORM', '0'), creating(line, 'DEVICE', IPHONE)]);
    assert.deepEqual(both.body.operation_errors, [[said], [said]]);
    const { id } = good(await place.add(line, 'PLATFORM', '0'));
    good(await place.batch([creating(line, 'DEVICE', IPHONE), deleting(id)]));
    assert.deepEqual(await place.targeted(line), [`DEVICE ${IPHONE} EQ`]);
  });

  test('go together when one is of another system, excluded, or on another line item', async () => {
    const line = await place.line();
    good(await place.add(line, 'PLATFORM', '1'));
    good(await place.add(line, 'DEVICE', IPHONE));
    const other = await place.line();
    good(await place.add(other, 'PLATFORM', '0'));
    good(await place.add(other, 'DEVICE', IPHONE, 'NE'));
  });
});

describe('a show', () => {
  const add = (line: string) => place.add(line, 'TV_SHOW', SHOW_IN_UNITED_STATES);

  test('needs a location first', async () => {
    const line = await place.line();
    const refused = await add(line);
    assert.equal(refused.status, 400);
    assert.deepEqual(refused.body.errors, [
      {
        code: 'INVALID_TV_SHOW_LOCATIONS',
        message: 'A TV_SHOW criterion needs a LOCATION criterion first',
        parameter: 'targeting_type',
      },
    ]);
    good(await place.add(line, 'LOCATION', UNITED_STATES, 'NE'));
    assert.equal((await add(line)).body.errors[0].code, 'INVALID_TV_SHOW_LOCATIONS');
    good(await place.add(line, 'LOCATION', SAN_FRANCISCO));
    good(await add(line));
  });

  test('is on where every location is, whichever comes first', async () => {
    const said = {
      code: 'TV_SHOW_OUTSIDE_MARKET',
      message: 'The locations of the line item are outside the market of the show',
      parameter: 'targeting_value',
    };
    const line = await place.line();
    good(await place.add(line, 'LOCATION', germany()));
    assert.deepEqual((await add(line)).body.errors, [said]);
    good(await place.add(line, 'LOCATION', UNITED_STATES));
    assert.deepEqual((await add(line)).body.errors, [said]);
    const american = await place.line();
    good(
      await place.batch([
        creating(american, 'TV_SHOW', SHOW_IN_UNITED_STATES),
        creating(american, 'LOCATION', UNITED_STATES),
      ]),
    );
    assert.deepEqual((await place.add(american, 'LOCATION', germany())).body.errors, [said]);
    good(await place.add(american, 'LOCATION', germany(), 'NE'));
  });
});

describe('kinds of engagement', () => {
  const lacksSource = 'ENGAGEMENT_TYPE needs a criterion of type CAMPAIGN_ENGAGEMENT or USER_ENGAGEMENT';
  const said = (message: string) => [{ code: 'INVALID', message, attribute: 'targeting_type' }];

  test('may come one by one', async () => {
    const line = await place.line();
    good(await place.add(line, 'ENGAGEMENT_TYPE', 'IMPRESSION'));
    good(await place.batch([creating(await place.line(), 'CAMPAIGN_ENGAGEMENT', place.campaign)]));
  });

  test('belong to something that was engaged with, when a batch has both', async () => {
    const [one, other] = [await place.line(), await place.line()];
    const apart = await place.batch([
      creating(one, 'ENGAGEMENT_TYPE', 'IMPRESSION'),
      creating(other, 'CAMPAIGN_ENGAGEMENT', place.campaign),
      creating(other, 'LANGUAGE', 'en'),
    ]);
    assert.equal(apart.status, 400);
    assert.deepEqual(apart.body.operation_errors, [
      said(lacksSource),
      said('CAMPAIGN_ENGAGEMENT needs a criterion of type ENGAGEMENT_TYPE'),
      [],
    ]);
    good(await place.add(other, 'ENGAGEMENT_TYPE', 'VIDEO_VIEW'));
    const half = await place.batch([
      creating(one, 'ENGAGEMENT_TYPE', 'IMPRESSION'),
      creating(other, 'USER_ENGAGEMENT', world.keys.user_id!),
    ]);
    assert.deepEqual(half.body.operation_errors, [said(lacksSource), []]);
    good(
      await place.batch([
        creating(one, 'ENGAGEMENT_TYPE', 'IMPRESSION'),
        creating(one, 'USER_ENGAGEMENT', world.keys.user_id!),
      ]),
    );
  });
});

describe('targets of another account', () => {
  test('are not there', async () => {
    const foreign = await openPlace(world);
    const line = await place.line();
    const campaign = await place.add(line, 'CAMPAIGN_ENGAGEMENT', foreign.campaign);
    assert.deepEqual([campaign.status, campaign.body.errors[0].code], [404, 'CAMPAIGN_NOT_FOUND']);
    const user = await place.add(line, 'FOLLOWERS_OF_USER', world.keys.other_user_id!);
    assert.deepEqual([user.status, user.body.errors[0].code], [404, 'PROMOTABLE_USER_NOT_FOUND']);
    const strange = await place.add(await foreign.line(), 'LANGUAGE', 'en');
    assert.deepEqual([strange.status, strange.body.errors[0].code], [404, 'LINE_ITEM_NOT_FOUND']);
  });
});
