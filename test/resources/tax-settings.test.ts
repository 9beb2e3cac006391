// On either database: both are asked the same, and what they store is held against each other elsewhere.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openAccount, openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
});
after(() => world.close());

const ADDRESS = ['city', 'company', 'country', 'email', 'first_name', 'last_name', 'postal_code', 'region', 'street1'];
const NAMES = [
  ...['address', 'client_address'].flatMap((prefix) => [...ADDRESS, 'street2'].map((name) => `${prefix}_${name}`)),
  ...['bill_to', 'business_relationship', 'invoice_jurisdiction', 'tax_category', 'tax_exemption_id', 'tax_id'],
];

type Values = Readonly<Record<string, string | null>>;
const UNSET: Values = {
  ...Object.fromEntries(NAMES.map((name) => [name, null])),
  bill_to: 'NOT_SET',
  invoice_jurisdiction: 'NOT_SET',
};

async function onAccount(): Promise<(method: string, params?: Record<string, string>) => Promise<Values>> {
  const { path } = await openAccount(world.sandbox);
  return async (method, params = {}) => {
    const reply = await world.sandbox.call(method, `${path}/tax_settings`, { params });
    assert.equal(reply.status, 200, reply.text);
    return reply.body.data;
  };
}

describe('tax settings', () => {
  test('have defaults before the first update', async () => {
    const call = await onAccount();
    assert.deepEqual(await call('GET'), UNSET);
    assert.deepEqual(await call('PUT'), UNSET);
  });

  const cases: [input: string, writes: readonly Record<string, string>[], reads: Values][] = [
    ['a company under the name that it is written under', [{ address_name: 'Å & Co' }], { address_company: 'Å & Co' }],
    ['a company under the name that it is read under', [{ address_company: 'A' }], { address_company: 'A' }],
    ['both names', [{ address_company: 'A', address_name: 'B' }], { address_company: 'B' }],
    ['the company of a client', [{ client_address_name: 'C' }], { client_address_company: 'C' }],
    ['an emptied company', [{ address_name: 'A' }, { address_name: '' }], {}],
    [
      'what is not named stays',
      [{ tax_id: '1', address_city: 'Bern' }, { tax_id: '2' }],
      { tax_id: '2', address_city: 'Bern' },
    ],
    [
      'words',
      [{ bill_to: 'AGENCY', invoice_jurisdiction: 'LOI_SAPIN' }],
      { bill_to: 'AGENCY', invoice_jurisdiction: 'LOI_SAPIN' },
    ],
    [
      'emptied words',
      [
        { bill_to: 'AGENCY', invoice_jurisdiction: 'NONE' },
        { bill_to: '', invoice_jurisdiction: '' },
      ],
      {},
    ],
    ['NOT_SET written back', [{ bill_to: 'AGENCY' }, { bill_to: 'NOT_SET' }], {}],
    [
      'emptied words without NOT_SET',
      [{ tax_category: 'INDIVIDUAL', business_relationship: 'SELF' }, { tax_category: '' }],
      { business_relationship: 'SELF' },
    ],
  ];
  for (const [input, writes, reads] of cases) {
    test(input, async () => {
      const call = await onAccount();
      let last: Values = {};
      for (const params of writes) last = await call('PUT', params);
      assert.deepEqual(last, { ...UNSET, ...reads });
      assert.deepEqual(await call('GET'), last);
    });
  }

  test('can be sent back as returned without changes', async () => {
    const call = await onAccount();
    const whole = Object.fromEntries(NAMES.map((name, index) => [name, `value ${index}`]));
    const words = {
      bill_to: 'ADVERTISER',
      business_relationship: 'AGENCY',
      invoice_jurisdiction: 'NONE',
      tax_category: 'BUSINESS_WITH_VAT',
    };
    const written = await call('PUT', { ...whole, ...words });
    assert.deepEqual(written, { ...whole, ...words });
    assert.deepEqual(await call('PUT', written as Record<string, string>), written);
    const emptied = Object.fromEntries(NAMES.map((name) => [name, '']));
    assert.deepEqual(await call('PUT', emptied), UNSET);
  });

  test('keep both of two concurrent first updates', async () => {
    const call = await onAccount();
    await Promise.all(NAMES.filter((name) => name.includes('address')).map((name) => call('PUT', { [name]: name })));
    const reads = await call('GET');
    for (const name of NAMES) if (name.includes('address')) assert.equal(reads[name], name);
  });

  test('belong to an account', async () => {
    const [one, other] = [await onAccount(), await onAccount()];
    await one('PUT', { tax_id: '1' });
    assert.deepEqual(await other('GET'), UNSET);
  });

  test('all invalid values are reported', async () => {
    const { path } = await openAccount(world.sandbox);
    const params = { bill_to: 'ME', tax_category: 'x', tax_id: 'x'.repeat(256), invoice_jurisdiction: 'none' };
    const reply = await world.sandbox.call('PUT', `${path}/tax_settings`, { params });
    assert.equal(reply.status, 400);
    assert.deepEqual(
      reply.body.errors.map((error: { message: string }) => error.message),
      [
        'Expected a value in ADVERTISER, AGENCY, NOT_SET, got "ME" for bill_to',
        'Expected a value in LOI_SAPIN, NONE, NOT_SET, got "none" for invoice_jurisdiction',
        'Expected a value in BUSINESS_NO_VAT, BUSINESS_WITH_VAT, INDIVIDUAL, got "x" for tax_category',
        'Expected a maximum length of 255, got 256 for tax_id',
      ],
    );
  });
});
