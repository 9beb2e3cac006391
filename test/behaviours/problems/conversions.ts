import { formatInstant } from '../../../src/base/instants.ts';
import { type Case, home, own, world } from './setting.ts';

let made = '';

/** A web event tag of the account, always the same. */
async function tag(): Promise<string> {
  const given = { name: 'Given', type: 'PURCHASE', click_window: '7', view_through_window: '1' };
  if (made === '') {
    const reply = await own('POST', '/web_event_tags', { ...given, retargeting_enabled: 'false' });
    made = reply.body.data.id;
  }
  return made;
}

/** Reports so many conversions that are right but for some members. */
async function report(wrong: object, count = 1) {
  const conversion_time = formatInstant(world.clock.now());
  const conversion = { conversion_time, event_id: await tag(), identifiers: [{ click_id: 'x' }], ...wrong };
  const json = { conversions: Array.from({ length: count }, () => conversion) };
  return world.sandbox.call('POST', `/12/measurement/conversions/${home.account}`, { json });
}

const CODE = 'INVALID_PARAMETER';

/** Problems of conversions. */
export const conversionProblems: readonly Case[] = [
  {
    name: 'TOO_MANY_CONVERSIONS',
    input: '501 conversions',
    send: () => report({}, 501),
    status: 400,
    errors: [{ code: CODE, message: 'Conversion count limit is 500', parameter: 'conversions' }],
  },
  {
    name: 'CONVERSION_UNIDENTIFIED',
    input: 'a conversion of nobody',
    send: () => report({ identifiers: [] }),
    status: 400,
    errors: [
      {
        code: CODE,
        message: 'At least one user identifier must be provided',
        parameter: 'conversions[0].identifiers',
      },
    ],
  },
  {
    name: 'CONVERSION_EVENT_UNKNOWN',
    input: 'a conversion of an event that there is not',
    send: () => report({ event_id: '8zz1q' }),
    status: 400,
    errors: () => [
      {
        code: CODE,
        message: `Event_id (8zz1q) is not a web event tag of account ${home.account}`,
        parameter: 'conversions[0].event_id',
      },
    ],
  },
  {
    name: 'CONVERSION_TIME_BEYOND',
    input: 'a conversion of the year before',
    send: () => report({ conversion_time: '2025-03-02T17:00:00Z' }),
    status: 400,
    errors: [
      {
        code: CODE,
        message:
          'Expected a time within the last 90 days, got "2025-03-02T17:00:00Z" for conversions[0].conversion_time',
        parameter: 'conversions[0].conversion_time',
      },
    ],
  },
  {
    name: 'CONVERSION_VALUE',
    input: 'an amount below zero',
    send: () => report({ value: -1 }),
    status: 400,
    errors: [
      {
        code: CODE,
        message: 'Expected an amount from 0 to 9000000000 for conversions[0].value',
        parameter: 'conversions[0].value',
      },
    ],
  },
  {
    name: 'CONVERSION_CURRENCY',
    input: 'a sign for a currency',
    send: () => report({ price_currency: '€' }),
    status: 400,
    errors: [
      {
        code: CODE,
        message: 'Expected a currency of three letters for conversions[0].price_currency',
        parameter: 'conversions[0].price_currency',
      },
    ],
  },
];
