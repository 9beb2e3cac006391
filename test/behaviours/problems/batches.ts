import { batch, type Case, home, invalid, type Said, world } from './setting.ts';

const whole = (message: string): Said[] => [{ code: 'INVALID_PARAMETER', message }];

/** What can be wrong with a batch as a whole. */
export const batches: Case[] = [
  {
    name: 'CONTENT_TYPE',
    input: 'a batch sent as a form',
    send: () => world.sandbox.call('POST', `/12/batch/accounts/${home.account}/campaigns`, { params: { name: 'a' } }),
    status: 400,
    errors: [invalid('Content-Type', 'Content-Type must be application/json')],
  },
  {
    name: 'BATCH_NOT_ARRAY',
    input: 'an object',
    send: () => batch({}),
    status: 400,
    errors: whole('Expected an array of operations'),
  },
  {
    name: 'BATCH_EMPTY',
    input: 'a batch of nothing',
    send: () => batch([]),
    status: 400,
    errors: whole('A minimum of 1 items must be provided for operations'),
  },
  {
    name: 'BATCH_TOO_LARGE',
    input: 'a batch of 41',
    send: () => batch(Array.from({ length: 41 }, () => ({}))),
    status: 400,
    errors: [{ code: 'REQUEST_TOO_COMPLEX', message: 'The maximum batch size of 40 has been exceeded' }],
  },
];

/** Items of a batch, and what is wrong with each. */
export const items: readonly [input: unknown, errors: readonly Said[]][] = [
  [{ operation_type: 'Create', params: { name: 'good', funding_instrument_id: 'zz9' } }, []],
  [
    {},
    ['operation_type', 'params'].map((parameter) => ({
      code: 'MISSING_PARAMETER',
      message: `"${parameter}" is a required parameter`,
      parameter,
    })),
  ],
  [
    { operation_type: 'Replace', params: {} },
    [invalid('operation_type', 'Expected a value in Create, Delete, Update, got "Replace" for operation_type')],
  ],
  [
    { operation_type: 'Update', params: { campaign_id: 'a_b', name: { a: 1 } } },
    [invalid('campaign_id', 'Expected an id, got "a_b" for campaign_id'), invalid('name', 'Expected text for name')],
  ],
  [
    { operation_type: 'Update', params: { campaign_id: '', name: 'x'.repeat(256), standard_delivery: 'maybe' } },
    [
      { code: 'MISSING_PARAMETER', message: '"campaign_id" is a required parameter', parameter: 'campaign_id' },
      invalid('name', 'Expected a maximum length of 255, got 256 for name'),
      invalid('standard_delivery', 'Expected boolean, got "maybe" for standard_delivery'),
    ],
  ],
  [
    {
      operation_type: 'update',
      params: {
        campaign_id: 'zz9',
        name: 'a\u0000b',
        daily_budget_amount_local_micro: 0,
        total_budget_amount_local_micro: 1.5,
      },
    },
    [
      { code: 'ILLEGAL_CHARACTERS', message: 'Illegal characters in name', parameter: 'name' },
      invalid(
        'daily_budget_amount_local_micro',
        'Expected a value greater than 0, got 0 for daily_budget_amount_local_micro',
      ),
      invalid('total_budget_amount_local_micro', 'Expected Long, got "1.5" for total_budget_amount_local_micro'),
    ],
  ],
];
