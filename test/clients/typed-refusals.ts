/** Bodies of refusals in the form of each API, and what an error of the typed client has of them. */
export const REFUSALS: readonly [family: string, body: unknown, expected: object][] = [
  [
    'the advertising API',
    {
      errors: [{ code: 'MISSING_PARAMETER', message: '"name" is missing', parameter: 'name' }],
      request: { params: {} },
    },
    {
      message: 'campaigns.create: 400 MISSING_PARAMETER: "name" is missing (look there)',
      codes: ['MISSING_PARAMETER'],
      parameter: 'name',
      errors: [{ code: 'MISSING_PARAMETER', message: '"name" is missing', parameter: 'name' }],
      itemErrors: [],
    },
  ],
  [
    'items of a batch',
    { operation_errors: [[], [{ code: 'INVALID', message: 'Wrong', parameter: 'id' }]], errors: [], request: {} },
    {
      message: 'campaigns.create: 400 INVALID: Wrong (look there)',
      codes: ['INVALID'],
      parameter: 'id',
      errors: [],
      itemErrors: [[], [{ code: 'INVALID', message: 'Wrong', parameter: 'id' }]],
    },
  ],
  [
    'numbers',
    { errors: [{ code: 89, message: 'Expired' }] },
    {
      message: 'campaigns.create: 400 89: Expired (look there)',
      codes: [89],
      parameter: undefined,
      errors: [{ code: 89, message: 'Expired' }],
      itemErrors: [],
    },
  ],
  [
    'problem details',
    { title: 'Invalid Request', detail: 'One or more', errors: [{ parameters: { id: ['x'] }, message: 'Bad id' }] },
    {
      message: 'campaigns.create: 400 Bad id (look there)',
      codes: [],
      parameter: 'id',
      errors: [{ message: 'Bad id', parameter: 'id' }],
      itemErrors: [],
    },
  ],
  [
    'a plain text',
    { request: '/1.1/media', error: 'media is missing' },
    {
      message: 'campaigns.create: 400 media is missing (look there)',
      codes: [],
      parameter: undefined,
      errors: [{ message: 'media is missing' }],
      itemErrors: [],
    },
  ],
];
