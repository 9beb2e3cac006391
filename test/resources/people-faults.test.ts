import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { openAccount, openWorld, type World } from '../rig/world.ts';
import { audienceOn, hashOf, type Kept, persons, remove, update } from './people-calls.ts';

let world: World;
let account: string;
let kept: Kept;
before(async () => {
  world = await openWorld();
  account = (await openAccount(world.sandbox)).path;
  kept = await audienceOn(world.sandbox, account);
});
after(() => world.close());

const logged = (id: string) => world.service.store.read((tx) => tx.audienceLog.find(`audience:${id}`));

const good = [{ email: [hashOf(1)] }];
const INVALID = 'INVALID_PARAMETER';

/** What is wrong with an operation: message, parameter and details of each error. */
const cases: [what: string, operation: unknown, errors: [message: string, parameter: string, details?: string][]][] = [
  [
    'nothing that it should be',
    7,
    [
      ['"operation_type" is a required parameter', 'operation_type'],
      ['"params" is a required parameter', 'params'],
    ],
  ],
  [
    'a type in lower case',
    { operation_type: 'update', params: { users: good } },
    [['Expected a value in Delete, Update, got "update" for operation_type', 'operation_type']],
  ],
  [
    'a type that may be personal',
    { operation_type: 'ada@example.com', params: { users: good } },
    [['Expected a value in Delete, Update, got "..." for operation_type', 'operation_type']],
  ],
  ['no users', update(undefined), [['"users" is a required parameter', 'users']]],
  ['one user that is no list', update({ email: [hashOf(1)] }), [['Expected a list for users', 'users']]],
  ['a list of nobody', update([]), [['A minimum of 1 items must be provided for users', 'users']]],
  ['a user that is a hash', update([hashOf(1)]), [['Expected an object for users[0]', 'users[0]']]],
  ['a user without anything', update([...good, {}]), [['Expected at least one identifier for users[1]', 'users[1]']]],
  [
    'a user with lists of nothing',
    update([{ email: [], handle: null }]),
    [['Expected at least one identifier for users[0]', 'users[0]']],
  ],
  [
    'a hash that stands in no list',
    update([{ email: hashOf(1) }]),
    [['Expected a list for users[0].email', 'users[0].email']],
  ],
  [
    'an identifier of another kind',
    update([{ mail: [hashOf(1)] }]),
    [
      [
        'Expected identifiers in email, phone_number, handle, service_user_id, device_id, partner_user_id for users[0].mail',
        'users[0].mail',
      ],
    ],
  ],
  [
    'an identifier under a name that may be personal',
    update([{ 'ada@example.com': [] }]),
    [
      [
        'Expected identifiers in email, phone_number, handle, service_user_id, device_id, partner_user_id for users[0]....',
        'users[0]....',
      ],
    ],
  ],
  [
    'a time that is none',
    update(good, { effective_at: 'soon' }),
    [['Expected time, got "soon" for effective_at', 'effective_at', 'invalid date']],
  ],
  [
    'a time that may be personal',
    update(good, { expires_at: 'ada@example.com' }),
    [['Expected time, got "..." for expires_at', 'expires_at', 'invalid date']],
  ],
  [
    'an end that is over',
    update(good, { expires_at: '2026-03-02T17:04:55Z', effective_at: '2026-03-01' }),
    [['expires_at must be in the future', 'expires_at']],
  ],
  [
    'an end before its start',
    update(good, { effective_at: '2026-05-02', expires_at: '2026-05-01' }),
    [['expires_at must be later than effective_at', 'expires_at']],
  ],
  [
    'a start after the usual end',
    update(good, { effective_at: '2027-04-02T17:04:55Z' }),
    [['expires_at must be later than effective_at', 'expires_at']],
  ],
  [
    'the hash of nothing',
    remove([{ phone_number: [hashOf(1), hash('sha256', '')] }]),
    [
      [
        'Expected SHA256 hash of a value for users[0].phone_number[1], got that of an empty text',
        'users[0].phone_number[1]',
      ],
    ],
  ],
  [
    'the same one hash for all',
    update(Array.from({ length: 100 }, () => good[0])),
    [
      [
        'Expected a hash a person for users; all 100 have the same one, which looks like the hash of a whole file',
        'users',
      ],
    ],
  ],
  [
    'an own id that is a number',
    update([{ partner_user_id: [17] }]),
    [['Expected text for users[0].partner_user_id[0]', 'users[0].partner_user_id[0]']],
  ],
  [
    'an own id that is empty',
    update([{ partner_user_id: [''] }]),
    [['Expected a minimum length of 1, got 0 for users[0].partner_user_id[0]', 'users[0].partner_user_id[0]']],
  ],
  [
    'an own id of 257 characters',
    update([{ partner_user_id: ['x'.repeat(257)] }]),
    [['Expected a maximum length of 256, got 257 for users[0].partner_user_id[0]', 'users[0].partner_user_id[0]']],
  ],
];

/** What stands where a hash should be, and what is said of it. */
const values: [kind: string, value: unknown, details: string][] = [
  ['email', 'ada.park@example.com', 'looks like a plain e-mail; send the hash of its lower-case text'],
  ['phone_number', '+1 (415) 555-0142', 'looks like a plain phone number; send its hash'],
  ['service_user_id', '90071992547', 'looks like a plain number; send its hash'],
  ['handle', '@lumenroasters', 'looks like a plain handle; send its hash'],
  ['device_id', 'EA7583CD-A667-48BC-B806-42ECB2B48606', 'looks like a plain device id; send its hash'],
  ['device_id', '38400000abcdef01', 'looks like a plain device id; send its hash'],
  ['email', hash('md5', 'ada'), 'looks like MD5'],
  ['email', hash('sha1', 'ada'), 'looks like SHA-1'],
  ['email', hash('sha384', 'ada'), 'looks like SHA-384'],
  ['email', hash('sha512', 'ada'), 'looks like SHA-512'],
  ['email', hash('sha256', 'ada', 'base64'), 'looks like base64; send 64 hexadecimal digits'],
  ['email', hash('sha256', 'ada', 'base64url'), 'looks like base64; send 64 hexadecimal digits'],
  ['email', ` ${hashOf(1)}`, 'it has surrounding whitespace'],
  ['email', `0x${hashOf(1)}`, 'it starts with 0x'],
  ['email', `${hashOf(1)},${hashOf(2)}`, 'looks like several hashes in one value'],
  ['email', `${hashOf(1).slice(1)}g`, 'expected 64 hexadecimal digits, got 64 characters'],
  ['email', '', 'it is empty'],
  ['email', null, 'it is null'],
  ['email', 4155550142, 'expected a string, got a JSON number'],
];

describe('an operation is refused with its errors when it has', () => {
  for (const [what, operation, errors] of cases) {
    test(what, async () => {
      const before = await logged(kept.id);
      const reply = await kept.upload([update(good), operation]);
      assert.deepEqual(
        [reply.status, reply.body],
        [
          400,
          {
            operation_errors: [
              [],
              errors.map(([message, parameter, details]) => ({
                code: message.includes('is a required parameter') ? 'MISSING_PARAMETER' : INVALID,
                message,
                parameter,
                ...(details ? { details } : {}),
              })),
            ],
            request: { params: { account_id: account.split('/').at(-1), custom_audience_id: kept.id } },
          },
        ],
      );
      assert.deepEqual(await logged(kept.id), before);
    });
  }
});

describe('a value that is not a hash gets a hint, and is never quoted', () => {
  for (const [kind, value, details] of values) {
    test(`${kind}: ${details}`, async () => {
      const reply = await kept.upload([update([...good, { [kind]: [value] }])]);
      const place = `users[1].${kind}[0]`;
      assert.deepEqual(reply.body.operation_errors, [
        [{ code: INVALID, message: `Expected SHA256 hash for ${place}`, parameter: place, details }],
      ]);
      if (typeof value === 'string' && value.length > 3) assert.ok(!reply.text.includes(value), reply.text);
    });
  }
});

describe('errors', () => {
  test('are reported for every operation, up to a limit', async () => {
    const plain = Array.from({ length: 200 }, (_, index) => ({ email: [`person${index}@example.com`] }));
    const reply = await kept.upload(Array.from({ length: 20 }, () => update(plain)));
    const told = reply.body.operation_errors as { message: string }[][];
    assert.deepEqual(
      told.map((each) => each.length),
      [...Array.from({ length: 10 }, () => 51), ...Array.from({ length: 10 }, () => 2)],
    );
    assert.deepEqual(told[0]!.at(-1), { code: INVALID, message: '150 further errors in this operation' });
    assert.deepEqual(told[19]!.at(-1), { code: INVALID, message: '199 further errors in this operation' });
  });

  test('of one hash among many: nothing is stored', async () => {
    const before = await logged(kept.id);
    const people = persons(0, 2000);
    const reply = await kept.upload([update(people), update([...persons(2000, 2500), { email: ['x'] }])]);
    assert.equal(reply.status, 400);
    assert.equal(reply.body.operation_errors[1][0].parameter, 'users[500].email[0]');
    assert.deepEqual(await logged(kept.id), before);
  });
});
