import { hash } from 'node:crypto';
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

/** Reports conversions. */
function send(conversions: readonly unknown[]) {
  return world.sandbox.call('POST', `/12/measurement/conversions/${home.account}`, { json: { conversions } });
}

/** Reports a conversion that is right but for some members. */
async function report(wrong: object) {
  const conversion_time = formatInstant(world.clock.now());
  return send([{ conversion_time, event_id: await tag(), identifiers: [{ click_id: 'x' }], ...wrong }]);
}

const CODE = 'INVALID_PARAMETER';
const EMAIL = 'conversions[0].identifiers[0].hashed_email';
const hashed = (hashed_email: string) => report({ identifiers: [{ hashed_email }] });

/** Problems of conversions. */
export const conversionProblems: readonly Case[] = [
  {
    name: 'TOO_MANY_CONVERSIONS',
    input: '501 conversions',
    send: () => send(Array.from({ length: 501 }, () => 0)),
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
  {
    name: 'NOT_A_LIST',
    input: 'identifiers that are no list',
    send: () => report({ identifiers: { click_id: 'x' } }),
    status: 400,
    errors: [
      {
        code: CODE,
        message: 'Expected a list for conversions[0].identifiers',
        parameter: 'conversions[0].identifiers',
      },
    ],
  },
  {
    name: 'NOT_A_HASH',
    input: 'an address that is not hashed',
    send: () => hashed('ada@example.com'),
    status: 400,
    errors: [{ code: CODE, message: `Expected SHA256 hash for ${EMAIL}`, parameter: EMAIL }],
  },
  {
    name: 'HASH_OF_NOTHING',
    input: 'the hash of an empty address',
    send: () => hashed(hash('sha256', '')),
    status: 400,
    errors: [
      {
        code: CODE,
        message: `Expected SHA256 hash of a value for ${EMAIL}, got that of an empty text`,
        parameter: EMAIL,
      },
    ],
  },
  {
    name: 'FURTHER_FAULTS',
    input: '101 conversions that are none',
    send: () => send(Array.from({ length: 101 }, () => 0)),
    status: 400,
    errors: [
      ...Array.from({ length: 100 }, (_, index) => ({
        code: CODE,
        message: `Expected an object for conversions[${index}]`,
        parameter: `conversions[${index}]`,
      })),
      { code: CODE, message: '1 further errors in this operation', parameter: 'conversions' },
    ],
  },
];
