import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Reply } from '../rig/client.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';

let world: World;
let place: { readonly account: string; readonly path: string };
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  place = await openAccount(world.sandbox);
});
after(() => world.close());

function send(json: unknown): Promise<Reply> {
  return world.sandbox.call('POST', `${place.path}/audience_estimate`, { json });
}

describe('an estimate is rejected', () => {
  const at = (index: number, member: string) => `targeting_criteria[${index}].${member}`;
  const interest = { targeting_type: 'INTEREST', targeting_value: '1001' };
  const invalid = (parameter: string, message: string) => ({ code: 'INVALID_PARAMETER', message, parameter });
  const valued = (type: string, value: string, operator?: string) => ({
    targeting_type: type,
    targeting_value: value,
    operator_type: operator,
  });
  const here = at(0, 'targeting_value');
  const cases: [what: string, body: unknown, status: number, ...errors: Record<string, unknown>[]][] = [
    [
      'of nothing',
      [],
      400,
      invalid('targeting_criteria', 'A minimum of 1 items must be provided for targeting_criteria'),
    ],
    [
      'of an object without criteria',
      {},
      400,
      invalid('targeting_criteria', 'Expected an array of targeting criteria'),
    ],
    ['of null', null, 400, invalid('targeting_criteria', 'Expected an array of targeting criteria')],
    [
      'of a number',
      [interest, 5],
      400,
      invalid('targeting_criteria[1]', 'Expected an object for targeting_criteria[1]'),
    ],
    [
      'of an empty criterion',
      [{}],
      400,
      ...['targeting_type', 'targeting_value'].map((name) => ({
        code: 'MISSING_PARAMETER',
        message: `"${at(0, name)}" is a required parameter`,
        parameter: at(0, name),
      })),
    ],
    [
      'of an empty value',
      [{ ...interest, targeting_value: '' }],
      400,
      invalid(here, `Expected a minimum length of 1, got 0 for ${here}`),
    ],
    [
      'of a list as a value',
      [{ ...interest, targeting_value: ['1001'] }],
      400,
      invalid(here, `Expected text for ${here}`),
    ],
    [
      'of a long value',
      [valued('BROAD_KEYWORD', 'x'.repeat(256))],
      400,
      invalid(here, `Expected a maximum length of 255, got 256 for ${here}`),
    ],
    [
      'of a control character',
      [valued('BROAD_KEYWORD', 'a\u0000')],
      400,
      { code: 'ILLEGAL_CHARACTERS', message: `Illegal characters in ${here}`, parameter: here },
    ],
    [
      'of a former type, whatever else is wrong',
      [{ ...interest, operator_type: 'LIKE' }, valued('BEHAVIOR', '1')],
      400,
      invalid(at(0, 'operator_type'), `Expected a value in EQ, GTE, LT, NE, got "LIKE" for ${at(0, 'operator_type')}`),
      {
        code: 'UNKNOWN_CRITERIA_TYPE',
        message: `Expected a known targeting type, got "BEHAVIOR" for ${at(1, 'targeting_type')}`,
        parameter: at(1, 'targeting_type'),
      },
    ],
    [
      'of a type that only excludes',
      [valued('APP_LIST', 'a1')],
      400,
      {
        code: 'INVALID_TARGETING_TYPE',
        message: 'Targeting type APP_LIST can only be used with operator NE',
        parameter: at(0, 'targeting_type'),
      },
    ],
    [
      'of an interest that there is not',
      [valued('INTEREST', '1')],
      400,
      invalid(here, `Expected a value of the INTEREST look-up, got "1" for ${here}`),
    ],
    [
      'of a user who is no number',
      [valued('SIMILAR_TO_FOLLOWERS_OF_USER', 'ada')],
      400,
      invalid(here, `Expected Long, got "ada" for ${here}`),
    ],
    [
      'of months beyond two years',
      [valued('NETWORK_ACTIVATION_DURATION', '25', 'LT')],
      400,
      {
        ...invalid(here, `Expected int between 1 and 24, got "25" for ${here}`),
        ...{ details: 'value out of range', value: '25' },
      },
    ],
    ['of no id', [valued('CAMPAIGN_ENGAGEMENT', '-')], 400, invalid(here, `Expected an id, got "-" for ${here}`)],
    [
      'of a content category that there is not',
      [interest, valued('IAB_CATEGORY', 'IAB99')],
      404,
      {
        code: 'INVALID_IAB_CATEGORY',
        message: 'IAB category IAB99 was not found',
        parameter: at(1, 'targeting_value'),
        value: 'IAB99',
      },
    ],
    [
      'of an audience that there is not',
      [valued('CUSTOM_AUDIENCE', '8zz1q')],
      404,
      {
        code: 'TAILORED_AUDIENCE_NOT_FOUND',
        message: 'Custom audience 8zz1q was not found',
        parameter: here,
        value: '8zz1q',
      },
    ],
    [
      'of a campaign that there is not',
      [interest, valued('CAMPAIGN_ENGAGEMENT', '8zz1q')],
      404,
      {
        code: 'CAMPAIGN_NOT_FOUND',
        message: 'Campaign 8zz1q was not found',
        parameter: at(1, 'targeting_value'),
        value: '8zz1q',
      },
    ],
    [
      "of somebody else's followers",
      [valued('FOLLOWERS_OF_USER', '7')],
      404,
      { code: 'PROMOTABLE_USER_NOT_FOUND', message: 'Promotable user 7 was not found', parameter: here, value: '7' },
    ],
    [
      'without a primary criterion',
      [valued('GENDER', '1')],
      400,
      invalid('targeting_criteria', 'At least one primary targeting criterion is required'),
    ],
    [
      'with a primary criterion that only excludes',
      [valued('INTEREST', '1001', 'NE')],
      400,
      invalid('targeting_criteria', 'At least one primary targeting criterion is required'),
    ],
  ];
  for (const [what, body, status, ...errors] of cases) {
    test(what, async () => {
      const reply = await send(body);
      assert.equal(reply.status, status, reply.text);
      assert.deepEqual(reply.body.errors, errors);
      assert.deepEqual(reply.body.request, { params: { account_id: place.account, targeting_criteria: null } });
    });
  }

  test('with 501 criteria, but not with 500', async () => {
    const keywords = (count: number) =>
      Array.from({ length: count }, (_, index) => valued('BROAD_KEYWORD', `word ${index}`));
    assert.equal((await send(keywords(500))).status, 200);
    const refused = await send({ targeting_criteria: keywords(501) });
    assert.equal(refused.status, 400);
    assert.equal(refused.body.errors[0].code, 'REQUEST_TOO_COMPLEX');
  });

  test('with another content type', async () => {
    const reply = await world.sandbox.call('POST', `${place.path}/audience_estimate`, { params: { a: '1' } });
    assert.equal(reply.status, 400);
    assert.equal(reply.body.errors[0].message, 'Content-Type must be application/json');
  });
});
