import { hash } from 'node:crypto';
import { fc } from '../rig/laws.ts';
import { account, beginning, count, type Input, type JsonValue, mostly, name, ref, sort, truth } from './values.ts';

/** An audience of the run. */
export const audience = ref('audience');
/** A permission, or a list of people, of the run. */
export const granted = ref('granted');

/** The fields of an audience. */
export const audienceFields: Input = { name, description: name };

/** Conditions of the list of audiences. */
export const audienceList: Input = {
  count,
  sort_by: sort('created_at', 'updated_at', 'deleted', 'name'),
  with_deleted: truth,
  q: beginning,
  permission_scope: fc.constantFrom('OWNER', 'SHARED', 'SHARED', 'x'),
};

/** The fields of a permission. */
export const permissionFields: Input = {
  granted_account_id: ref('account', fc.nat(4)),
  permission_level: mostly(fc.constantFrom('READ_ONLY', 'READ_WRITE'), 'x'),
};

/** Conditions of the list of permissions. */
export const permissionList: Input = { count, sort_by: sort('created_at', 'updated_at'), granted_account_ids: account };

const leaf: fc.Arbitrary<JsonValue> = fc.record(
  { custom_audience_id: audience, negate: fc.boolean(), lookback_window: fc.constantFrom(7, 30, 31) },
  { requiredKeys: ['custom_audience_id', 'negate'] },
);
const group = (of: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonValue> =>
  fc.record({
    boolean_operator: mostly<JsonValue>(fc.constantFrom('AND', 'OR'), 'XOR'),
    child_segments: fc.array(of, { minLength: 1, maxLength: 3 }),
  });
const segments = mostly<JsonValue>(fc.oneof(group(leaf), group(fc.oneof(leaf, group(leaf)))), {}, 'x', null);

const item: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.record({ name, segments }).map(
    (params): JsonValue => ({
      operation_type: 'Create',
      params: { ...params, audience_type: 'FLEXIBLE' },
    }),
  ),
  fc.record({ custom_audience_id: audience, description: name }).map(
    (params): JsonValue => ({
      operation_type: 'Update',
      params,
    }),
  ),
  audience.map((custom_audience_id): JsonValue => ({ operation_type: 'Delete', params: { custom_audience_id } })),
);

/** A batch of audiences. */
export const audienceBatch: fc.Arbitrary<JsonValue> = fc.array(item, { minLength: 1, maxLength: 3 });

const person = fc.nat(5).map((number): JsonValue => ({ email: [hash('sha256', `person ${number}`)] }));

/** An upload of few people, so that programs meet the same ones again. */
export const people: fc.Arbitrary<JsonValue> = fc.array(
  fc.record({
    operation_type: mostly<JsonValue>(fc.constantFrom('Update', 'Update', 'Delete'), 'x'),
    params: fc.record({ users: mostly<JsonValue>(fc.array(person, { minLength: 1, maxLength: 4 }), []) }),
  }),
  { minLength: 1, maxLength: 2 },
);
