import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openWorld, type World } from '../rig/world.ts';
import { itemRefusals, type Owner, openOwner, refusal } from './audience-calls.ts';

let world: World;
let owner: Owner;
let one: string;
let two: string;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off', audience_processing_delay_sandbox_s: 3600 } });
  owner = await openOwner(world);
  [one, two] = [await owner.audience('One'), await owner.audience('Two')];
});
after(() => world.close());

let count = 0;
const creating = (segments: unknown, more: object = {}) => ({
  operation_type: 'Create',
  params: { name: `Flexible ${++count}`, audience_type: 'FLEXIBLE', segments, ...more },
});
const leaf = (id: string, more: object = {}) => ({ custom_audience_id: id, ...more });
const group = (boolean_operator: unknown, ...child_segments: unknown[]) => ({ boolean_operator, child_segments });

/** A tree with a leaf this many levels below the top, which is the first. */
const deep = (levels: number): unknown => (levels === 1 ? leaf(one) : group('OR', deep(levels - 1)));

describe('a flexible audience', () => {
  test('returns its tree, with every default', async () => {
    const sent = group(
      'AND',
      leaf(one.toUpperCase(), { lookback_window: 7, frequency: 2, frequency_comparator: 'NUM_GT', negate: false }),
      group('OR', leaf(two), leaf(one, { child_segments: [], negate: null, colour: 'blue' })),
    );
    const reply = await owner.batch([creating(sent, { name: 'Active, not buyers', description: 'x' })]);
    assert.equal(reply.status, 200, reply.text);
    const [data] = reply.body.data;
    const counted = { frequency: 1, frequency_comparator: 'NUM_GTE' };
    const plain = { lookback_window: 30, ...counted, negate: true, child_segments: [] };
    assert.deepEqual(data, {
      id: data.id,
      name: 'Active, not buyers',
      description: 'x',
      audience_type: 'FLEXIBLE',
      targetable: false,
      targetable_types: ['FLEXIBLE', 'EXCLUDED_FLEXIBLE'],
      reasons_not_targetable: ['PROCESSING', 'TOO_SMALL'],
      permission_level: 'READ_WRITE',
      owner_account_id: owner.account,
      is_owner: true,
      partner_source: 'OTHER',
      audience_size: null,
      metadata: [
        {
          custom_audience_id: data.id,
          account_id: owner.account,
          name: 'Active, not buyers',
          audience_source: 'FLEXIBLE_AUDIENCE',
          upload_status: 'UPLOADED',
          segments: {
            boolean_operator: 'AND',
            ...counted,
            negate: false,
            child_segments: [
              {
                custom_audience_id: one,
                lookback_window: 7,
                frequency: 2,
                frequency_comparator: 'NUM_GT',
                negate: false,
                child_segments: [],
              },
              {
                boolean_operator: 'OR',
                ...counted,
                negate: false,
                child_segments: [
                  { custom_audience_id: two, ...plain },
                  { custom_audience_id: one, ...plain },
                ],
              },
            ],
          },
        },
      ],
      created_at: data.created_at,
      updated_at: data.created_at,
      deleted: false,
    });
    assert.deepEqual((await owner.call('GET', `/custom_audiences/${data.id}`)).body.data, data);
    const echoed = reply.body.request[0].params.segments.child_segments;
    assert.deepEqual(echoed[1], group('OR', leaf(two), leaf(one)), 'as it was sent');
    const listed = (await owner.call('GET', '/custom_audiences')).body.data as Record<string, unknown>[];
    assert.deepEqual(
      listed.filter((row) => 'metadata' in row).map(({ id }) => id),
      [data.id],
    );
  });

  test('cannot be changed under either name, and can be deleted under both', async () => {
    const [made, other] = (await owner.batch([creating(group('OR', leaf(one))), creating(group('OR', leaf(two)))])).body
      .data;
    assert.equal(
      refusal(await owner.call('PUT', `/custom_audiences/${made.id}`, { name: 'x' })),
      '403 ACTION_NOT_ALLOWED',
    );
    const update = { operation_type: 'Update', params: { custom_audience_id: made.id, description: 'x' } };
    assert.deepEqual(itemRefusals(await owner.batch([update])), ['ACTION_NOT_ALLOWED']);
    assert.equal((await owner.call('DELETE', `/custom_audiences/${made.id}`)).body.data.deleted, true);
    const remove = { operation_type: 'Delete', params: { custom_audience_id: other.id } };
    const [deleted] = (await owner.batch([remove])).body.data;
    assert.deepEqual([deleted.deleted, deleted.reasons_not_targetable], [true, ['TOO_SMALL']]);
  });

  test('has at most 10 leaves and 5 levels', async () => {
    const leaves = (number: number) => group('OR', ...Array.from({ length: number }, () => leaf(one)));
    const split = group('OR', leaves(6), leaves(5));
    const good = await owner.batch([creating(leaves(10)), creating(deep(5))]);
    assert.equal(good.status, 200, good.text);
    assert.deepEqual(itemRefusals(await owner.batch([creating(leaves(11)), creating(split), creating(deep(6))])), [
      'REQUEST_TOO_COMPLEX segments.child_segments',
      'REQUEST_TOO_COMPLEX segments',
      `INVALID_PARAMETER segments${'.child_segments[0]'.repeat(5)}`,
    ]);
  });

  const bad: [what: string, segments: unknown, expected: string][] = [
    ['no object', 'OR', 'INVALID_PARAMETER segments'],
    ['a list', [leaf('x')], 'INVALID_PARAMETER segments'],
    ['no children', { boolean_operator: 'OR' }, 'MISSING_PARAMETER segments.child_segments'],
    ['a list of no children', group('OR'), 'INVALID_PARAMETER segments.child_segments'],
    [
      'children that are no list',
      { boolean_operator: 'OR', child_segments: 5 },
      'INVALID_PARAMETER segments.child_segments',
    ],
    ['a child that is no object', group('OR', 7), 'INVALID_PARAMETER segments.child_segments[0]'],
    [
      'no operator',
      { child_segments: [{ custom_audience_id: 'a' }] },
      'INCLUSIVE_PARAMETERS segments.boolean_operator',
    ],
    ['another operator', group('XOR', leaf('a')), 'INVALID_PARAMETER segments.boolean_operator'],
    ['a leaf of nothing', group('OR', {}), 'MISSING_PARAMETER segments.child_segments[0].custom_audience_id'],
    [
      'a leaf with children',
      group('OR', { ...group('OR', leaf('a')), custom_audience_id: 'a' }),
      'EXCLUSIVE_PARAMETERS segments.child_segments[0].custom_audience_id',
    ],
    ['no id', group('OR', leaf('a-b')), 'INVALID_PARAMETER segments.child_segments[0].custom_audience_id'],
    [
      'days that there are not, and half a time, and a wrong word',
      group('OR', leaf('a', { lookback_window: 8, frequency: 0, frequency_comparator: 'GTE', negate: 'perhaps' })),
      ['lookback_window', 'frequency', 'frequency_comparator', 'negate']
        .map((name) => `INVALID_PARAMETER segments.child_segments[0].${name}`)
        .join('; '),
    ],
    [
      'a time that is no number',
      group('OR', leaf('a', { frequency: 'often' })),
      'INVALID_PARAMETER segments.child_segments[0].frequency',
    ],
    [
      'audiences that there are not',
      group('AND', group('OR', leaf('zz9')), leaf('zz8')),
      'CUSTOM_AUDIENCE_NOT_FOUND segments.child_segments[0].child_segments[0].custom_audience_id; ' +
        'CUSTOM_AUDIENCE_NOT_FOUND segments.child_segments[1].custom_audience_id',
    ],
  ];
  for (const [what, segments, expected] of bad) {
    test(`is refused for ${what}`, async () => {
      assert.deepEqual(itemRefusals(await owner.batch([creating(segments)])), [expected]);
    });
  }

  test('is made of live audiences that the account may read, not of other trees', async () => {
    const [flexible] = (await owner.batch([creating(group('OR', leaf(one)))])).body.data;
    const gone = await owner.audience('Gone');
    await owner.call('DELETE', `/custom_audiences/${gone}`);
    const other = await openOwner(world);
    const theirs = await other.audience('Theirs');
    const id = 'segments.child_segments[0].custom_audience_id';
    const ask = async (audience: string) => itemRefusals(await owner.batch([creating(group('OR', leaf(audience)))]));
    assert.deepEqual(await ask(flexible.id), [`INVALID_PARAMETER ${id}`]);
    assert.deepEqual(await ask(gone), [`CUSTOM_AUDIENCE_NOT_FOUND ${id}`]);
    assert.deepEqual(await ask(theirs), [`CUSTOM_AUDIENCE_NOT_FOUND ${id}`]);
    await other.grant(theirs, owner);
    assert.equal((await owner.batch([creating(group('OR', leaf(theirs)))])).status, 200);
  });

  test('is the only kind that can be created', async () => {
    const tree = group('OR', leaf(one));
    const items = ['MOBILE_AUDIENCE', 'CRM', undefined].map((audience_type) => creating(tree, { audience_type }));
    assert.deepEqual(itemRefusals(await owner.batch(items.slice(1))), [
      'INVALID_PARAMETER audience_type',
      'MISSING_PARAMETER audience_type',
    ]);
    assert.deepEqual(itemRefusals(await owner.batch(items.slice(0, 1))), ['INVALID_PARAMETER audience_type']);
  });

  test('has a unique name, also within a batch: the first keeps it', async () => {
    const tree = group('OR', leaf(one));
    const named = (name: string) => creating(tree, { name });
    assert.deepEqual(itemRefusals(await owner.batch([named('One'), named('New'), named(' New'), named('Other')])), [
      'INVALID_PARAMETER name',
      '',
      'INVALID_PARAMETER name',
      '',
    ]);
    const first = (await owner.batch([named('Swapped')])).body.data[0].id;
    const remove = { operation_type: 'Delete', params: { custom_audience_id: first } };
    assert.equal((await owner.batch([named('Swapped'), remove])).status, 200, 'what counts is what is left');
  });
});
