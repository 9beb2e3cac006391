// On either database: calls are checked before it is asked.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { openWorld, type World } from '../rig/world.ts';
import { conversionCalls, type Place } from './conversion-calls.ts';

let world: World;
before(async () => {
  world = await openWorld({ flags: { delivery_sandbox: 'served', rate_limits: 'off' } });
});
after(() => world.close());

const { openPlace, conversionOf, send, sendAll, sums } = conversionCalls(() => world);

describe('conversions', () => {
  const good = { conversion_time: '2026-03-02T17:00:00Z', event_id: 'TAG', identifiers: [{ click_id: 'x' }] };
  const hashed = (name: string, value: unknown) => ({ ...good, identifiers: [{ [name]: value }] });
  const wrong: readonly (readonly [string, unknown, code: string, message: string, parameter: string])[] = [
    ['no conversions', undefined, 'MISSING_PARAMETER', '"conversions" is a required parameter', 'conversions'],
    ['an empty list', [], 'MISSING_PARAMETER', '"conversions" is a required parameter', 'conversions'],
    ['no list', 'x', 'INVALID_PARAMETER', 'Expected a list for conversions', 'conversions'],
    [
      '501 conversions',
      Array.from({ length: 501 }, () => good),
      'INVALID_PARAMETER',
      'Conversion count limit is 500',
      'conversions',
    ],
    ['a conversion that is none', [1], 'INVALID_PARAMETER', 'Expected an object for conversions[0]', 'conversions[0]'],
    ...(['conversion_time', 'event_id'] as const).map(
      (name) =>
        [
          `no ${name}`,
          [{ ...good, [name]: undefined }],
          'MISSING_PARAMETER',
          `"conversions[0].${name}" is a required parameter`,
          `conversions[0].${name}`,
        ] as const,
    ),
    [
      'a wrong time',
      [good, { ...good, conversion_time: 'yesterday' }],
      'INVALID_PARAMETER',
      'Expected time, got "yesterday" for conversions[1].conversion_time',
      'conversions[1].conversion_time',
    ],
    ...['2026-03-02T17:10:00Z', '2025-11-30T00:00:00Z'].map(
      (conversion_time) =>
        [
          `a time like ${conversion_time}`,
          [{ ...good, conversion_time }],
          'INVALID_PARAMETER',
          `Expected a time within the last 90 days, got "${conversion_time}" for conversions[0].conversion_time`,
          'conversions[0].conversion_time',
        ] as const,
    ),
    ...([undefined, [], [{}], [{ ip_address: '192.0.2.1' }], [{ user_agent: 'Browser' }]] as const).map(
      (identifiers) =>
        [
          `identifiers ${JSON.stringify(identifiers)}`,
          [{ ...good, identifiers }],
          'INVALID_PARAMETER',
          'At least one user identifier must be provided',
          'conversions[0].identifiers',
        ] as const,
    ),
    [
      'identifiers that are no list',
      [{ ...good, identifiers: { click_id: 'x' } }],
      'INVALID_PARAMETER',
      'Expected a list for conversions[0].identifiers',
      'conversions[0].identifiers',
    ],
    [
      'an identifier that is no object',
      [{ ...good, identifiers: ['x'] }],
      'INVALID_PARAMETER',
      'Expected an object for conversions[0].identifiers[0]',
      'conversions[0].identifiers[0]',
    ],
    [
      'a click id that is too long',
      [hashed('click_id', 'x'.repeat(1025))],
      'INVALID_PARAMETER',
      'Expected a maximum length of 1024, got 1025 for conversions[0].identifiers[0].click_id',
      'conversions[0].identifiers[0].click_id',
    ],
    ...['hashed_email', 'hashed_phone_number'].flatMap((name) => {
      const parameter = `conversions[0].identifiers[0].${name}`;
      const nothing = `Expected SHA256 hash of a value for ${parameter}, got that of an empty text`;
      return [
        [
          `a plain ${name}`,
          [hashed(name, 'a@b.c')],
          'INVALID_PARAMETER',
          `Expected SHA256 hash for ${parameter}`,
          parameter,
        ],
        [`an empty ${name}`, [hashed(name, hash('sha256', ''))], 'INVALID_PARAMETER', nothing, parameter],
      ] as const;
    }),
    ...([-1, 'x', '1,5', 9_000_000_001, true] as const).map(
      (value) =>
        [
          `a value of ${value}`,
          [{ ...good, value }],
          'INVALID_PARAMETER',
          'Expected an amount from 0 to 9000000000 for conversions[0].value',
          'conversions[0].value',
        ] as const,
    ),
    [
      'a wrong currency',
      [{ ...good, price_currency: 'EURO' }],
      'INVALID_PARAMETER',
      'Expected a currency of three letters for conversions[0].price_currency',
      'conversions[0].price_currency',
    ],
    [
      'a quantity of 0',
      [{ ...good, number_items: 0 }],
      'INVALID_PARAMETER',
      'Expected int between 1 and 1000000000, got "0" for conversions[0].number_items',
      'conversions[0].number_items',
    ],
    [
      'a quantity of 1.5',
      [{ ...good, number_items: 1.5 }],
      'INVALID_PARAMETER',
      'Expected Long, got "1.5" for conversions[0].number_items',
      'conversions[0].number_items',
    ],
    ...(['conversion_id', 'description', 'event_source_url'] as const).map(
      (name) =>
        [
          `${name} that is no text`,
          [{ ...good, [name]: [] }],
          'INVALID_PARAMETER',
          `Expected text for conversions[0].${name}`,
          `conversions[0].${name}`,
        ] as const,
    ),
    [
      'contents that are no list',
      [{ ...good, contents: {} }],
      'INVALID_PARAMETER',
      'Expected a list for conversions[0].contents',
      'conversions[0].contents',
    ],
    [
      '101 contents',
      [{ ...good, contents: Array.from({ length: 101 }, () => ({})) }],
      'INVALID_PARAMETER',
      'A maximum of 100 items may be provided for conversions[0].contents',
      'conversions[0].contents',
    ],
    [
      'contents with a wrong price',
      [{ ...good, contents: [{ content_id: '1' }, { content_price: 'x' }] }],
      'INVALID_PARAMETER',
      'Expected an amount from 0 to 9000000000 for conversions[0].contents[1].content_price',
      'conversions[0].contents[1].content_price',
    ],
  ];
  for (const [what, conversions, code, message, parameter] of wrong) {
    test(`with ${what} are refused as a whole`, async () => {
      const reply = await send(await commonPlace(), conversions);
      assert.equal(reply.status, 400);
      const [{ details: _, value: __, ...error }, ...others] = reply.body.errors;
      assert.deepEqual([error, others], [{ code, message, parameter }, []]);
    });
  }

  test('report all errors, up to a hundred', async () => {
    const reply = await send(
      await commonPlace(),
      Array.from({ length: 70 }, () => ({ identifiers: [{ click_id: 'x' }] })),
    );
    assert.equal(reply.body.errors.length, 101);
    assert.equal(reply.body.errors.at(-1).message, '40 further errors in this operation');
  });

  test('with address and browser together are accepted, and count nothing', async () => {
    const place = await openPlace();
    await sendAll(place, conversionOf(place, [{ ip_address: '192.0.2.1', user_agent: 'Browser' }]));
    assert.deepEqual(await sums(place), {});
  });
});

let common: Place | undefined;
async function commonPlace(): Promise<Place> {
  common ??= await openPlace();
  return common;
}
