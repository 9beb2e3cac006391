import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  type Account,
  accountRule,
  dataOf,
  expectErrors,
  expectItemErrors,
  idsOf,
  invalid,
  type Json,
  missing,
} from '../account.ts';
import { expectStatus } from '../expect.ts';
import { type Rule, Skipped } from '../rule.ts';

const FIELDS = [
  ...['id', 'name', 'description', 'audience_type', 'targetable', 'targetable_types', 'reasons_not_targetable'],
  ...['permission_level', 'owner_account_id', 'is_owner', 'partner_source', 'audience_size'],
  ...['created_at', 'updated_at', 'deleted'],
];
const TAKEN = invalid('Audience name already in use', 'name');

let names = 0;
/** A name that no audience of the account has. */
function newName(): string {
  names += 1;
  return `Conformance ${process.pid} ${Date.now()} ${names}`;
}

/** An audience that the check removes. */
function audience(account: Account): Promise<Json> {
  return account.create('custom_audiences', { name: newName() });
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function upload(account: Account, id: string, json: unknown) {
  return account.call('POST', `custom_audiences/${id}/users`, {}, { json });
}

/** An operation on people with these addresses. */
function people(operation_type: string, ...emails: readonly string[]): Json {
  return { operation_type, params: { users: emails.map((email) => ({ email: [sha256(email)] })) } };
}

/** Checks of custom audiences: section 18. */
const customRules: readonly Rule[] = [
  accountRule('creatives 18.1.9', async (account) => {
    const made = await audience(account);
    assert.deepEqual([made.owner_account_id, made.is_owner], [account.id, true]);
    assert.deepEqual(Object.keys(made).sort(), FIELDS.toSorted());
  }),
  accountRule('creatives 18.1.6', async (account) => {
    const { audience_type, targetable_types } = await audience(account);
    assert.deepEqual([audience_type, targetable_types], ['CRM', ['CRM', 'EXCLUDED_CRM']]);
  }),
  accountRule('creatives 18.2.1', async (account) => {
    const { id } = await audience(account);
    const listed = async (more: object) =>
      idsOf(await account.get('custom_audiences', { custom_audience_ids: id, ...more }));
    assert.deepEqual(await listed({}), [id]);
    assert.deepEqual(await listed({ permission_scope: 'OWNER' }), [id]);
    assert.deepEqual(await listed({ permission_scope: 'SHARED' }), []);
  }),
  accountRule('creatives 18.2.2', async (account) => {
    expectErrors(await account.get('custom_audiences/zz9'), 404, { code: 'CUSTOM_AUDIENCE_NOT_FOUND' });
  }),
  accountRule('creatives 18.2.3', async (account) => {
    expectErrors(await account.call('POST', 'custom_audiences'), 400, missing('name'));
    const { targetable, audience_size } = await audience(account);
    assert.deepEqual([targetable, audience_size], [false, null]);
  }),
  accountRule('creatives 18.2.5', async (account) => {
    const { id } = await audience(account);
    const removed = dataOf(await account.call('DELETE', `custom_audiences/${id}`));
    const { deleted, reasons_not_targetable, audience_size, targetable } = removed;
    assert.deepEqual([deleted, reasons_not_targetable, audience_size, targetable], [true, ['TOO_SMALL'], null, false]);
  }),
  accountRule('creatives 18.2.6', async (account) => {
    const { id, name } = await audience(account);
    expectErrors(await account.call('POST', 'custom_audiences', { name: ` ${name} ` }), 400, TAKEN);
    const other = await audience(account);
    expectErrors(await account.call('PUT', `custom_audiences/${other.id}`, { name }), 400, TAKEN);
    expectStatus(await account.call('PUT', `custom_audiences/${id}`, { name }), 200);
    await account.call('DELETE', `custom_audiences/${id}`);
    expectStatus(await account.call('PUT', `custom_audiences/${other.id}`, { name }), 200);
  }),
  accountRule('creatives 18.3.1', async (account) => {
    const { targetable, reasons_not_targetable } = await audience(account);
    assert.deepEqual([targetable, reasons_not_targetable], [false, ['PROCESSING', 'TOO_SMALL']]);
  }),
  accountRule('creatives 1.6.1', async (account) => {
    const { id } = await audience(account);
    assert.equal(dataOf(await account.get(`custom_audiences/${id.toUpperCase()}`)).id, id);
  }),
];

/** Checks of uploads of people: section 19. */
const uploadRules: readonly Rule[] = [
  accountRule('creatives 19.1.2', async (account) => {
    const { id } = await audience(account);
    const reply = await upload(account, id, [people('Update', 'a', 'b'), people('Delete', 'a')]);
    assert.deepEqual(dataOf(reply), { success_count: 3, total_count: 3 });
    const wrong = await upload(account, id, [people('update', 'a')]);
    expectItemErrors(wrong, [{ code: 'INVALID_PARAMETER', parameter: 'operation_type' }]);
  }),
  accountRule('creatives 19.1.3', async (account) => {
    const { id } = await audience(account);
    for (const users of [[], [{}], [{ email: 'text' }]]) {
      const { status, body } = await upload(account, id, [{ operation_type: 'Update', params: { users } }]);
      assert.equal(status, 400);
      assert.equal(body.operation_errors[0].length, 1, JSON.stringify(users));
    }
  }),
  accountRule('creatives 19.1.4', async (account) => {
    const { id } = await audience(account);
    const users = [{ street: [sha256('a')] }];
    const { status, body } = await upload(account, id, [{ operation_type: 'Update', params: { users } }]);
    assert.equal(status, 400);
    assert.match(body.operation_errors[0][0].message, /^Expected identifiers in /);
  }),
  accountRule('creatives 19.1.5', async (account) => {
    const { id } = await audience(account);
    const { users } = people('Update', 'a').params;
    const range = { effective_at: '2099-02-01T00:00:00Z', expires_at: '2099-01-01T00:00:00Z' };
    const early = invalid('expires_at must be later than effective_at', 'expires_at');
    expectItemErrors(await upload(account, id, [{ operation_type: 'Update', params: { users, ...range } }]), [early]);
  }),
  accountRule('creatives 19.3.1', async (account) => {
    const { id } = await audience(account);
    const users = [{ email: [sha256('a').toUpperCase()] }];
    expectStatus(await upload(account, id, [{ operation_type: 'Update', params: { users } }]), 200);
  }),
  accountRule('creatives 19.3.2', async (account) => {
    const { id } = await audience(account);
    const users = [{ email: ['ada@example.com'] }];
    const reply = await upload(account, id, [people('Update', 'a'), { operation_type: 'Update', params: { users } }]);
    const error = invalid('Expected SHA256 hash for users[0].email[0]', 'users[0].email[0]');
    expectItemErrors(reply, [], [error]);
  }),
  accountRule('creatives 19.3.3', async (account) => {
    const { id } = await audience(account);
    const users = [{ partner_user_id: ['crm 17'] }];
    expectStatus(await upload(account, id, [{ operation_type: 'Update', params: { users } }]), 200);
  }),
  accountRule('creatives 19.3.4', async (account) => {
    const { id } = await audience(account);
    const message = 'Expected SHA256 hash of a value for users[0].email[0], got that of an empty text';
    expectItemErrors(await upload(account, id, [people('Update', '')]), [invalid(message)]);
  }),
  accountRule('creatives 19.3.5', async (account) => {
    const { id } = await audience(account);
    const users = [{ email: ['ada@example.com'], phone_number: ['+14155550142'] }];
    const { text } = await upload(account, id, [{ operation_type: 'Update', params: { users } }]);
    for (const secret of ['ada@example.com', '14155550142']) assert.ok(!text.includes(secret), text);
  }),
  accountRule('creatives 1.1.4', async (account) => {
    const { id } = await audience(account);
    const { body } = await upload(account, id, [people('Update', 'a')]);
    assert.deepEqual(body.request.params, { account_id: account.id, custom_audience_id: id });
  }),
  accountRule('creatives 19.4.2', async (account) => {
    const { id } = await audience(account);
    for (const json of [{}, []]) expectErrors(await upload(account, id, json), 400, { code: 'INVALID_PARAMETER' });
    const many = await upload(account, id, Array(2501).fill(people('Update', 'a')));
    expectErrors(many, 400, invalid('Expected at most 2500 operations, got 2501', 'operations'));
    expectErrors(await upload(account, 'zz9', [people('Update', 'a')]), 404, { code: 'CUSTOM_AUDIENCE_NOT_FOUND' });
  }),
  accountRule('creatives 19.5.3', async (account) => {
    const { id } = await audience(account);
    const reply = await upload(account, id, [people('Delete', 'nobody')]);
    assert.deepEqual(dataOf(reply), { success_count: 1, total_count: 1 });
  }),
];

function createsFlexible(leaves: readonly Json[], more: Json = {}): Json {
  const segments = { boolean_operator: 'AND', child_segments: leaves };
  return { operation_type: 'Create', params: { name: newName(), audience_type: 'FLEXIBLE', segments, ...more } };
}

/** Creates a flexible audience over a new one; both are removed after the check. */
async function flexible(account: Account): Promise<{ readonly leaf: string; readonly made: Json }> {
  const { id: leaf } = await audience(account);
  const [made] = dataOf(await account.batch('custom_audiences', [createsFlexible([{ custom_audience_id: leaf }])]));
  account.api.finally(() => account.call('DELETE', `custom_audiences/${made.id}`));
  return { leaf, made };
}

/** Checks of flexible audiences: section 20. */
const flexibleRules: readonly Rule[] = [
  accountRule('creatives 20.2', async (account) => {
    const { id } = await audience(account);
    const item = createsFlexible([{ custom_audience_id: id }], { audience_type: 'MOBILE_AUDIENCE' });
    const error = invalid('Audiences of type MOBILE_AUDIENCE cannot be created');
    expectItemErrors(await account.batch('custom_audiences', [item]), [error]);
  }),
  accountRule('creatives 20.3', async (account) => {
    const { made } = await flexible(account);
    const params = { custom_audience_id: made.id, name: newName() };
    const reply = await account.batch('custom_audiences', [{ operation_type: 'Update', params }]);
    expectItemErrors(reply, [{ code: 'ACTION_NOT_ALLOWED' }]);
    expectErrors(await account.call('PUT', `custom_audiences/${made.id}`, { name: newName() }), 403, {
      code: 'ACTION_NOT_ALLOWED',
    });
  }),
  accountRule('creatives 20.5', async (account) => {
    const item = createsFlexible(Array(11).fill({ custom_audience_id: 'a1' }));
    const message = 'A flexible audience cannot have more than 10 leaves';
    const { body } = await account.batch('custom_audiences', [item]);
    assert.deepEqual(body.operation_errors[0][0].code, 'REQUEST_TOO_COMPLEX');
    assert.equal(body.operation_errors[0][0].message, message);
  }),
  accountRule('creatives 20.6', async (account) => {
    const segments = { child_segments: [{ custom_audience_id: 'a1' }] };
    const { status, body } = await account.batch('custom_audiences', [createsFlexible([], { segments })]);
    assert.deepEqual([status, body.operation_errors[0][0].code], [400, 'INCLUSIVE_PARAMETERS']);
  }),
  accountRule('creatives 20.8', async (account) => {
    const { leaf, made } = await flexible(account);
    const defaults = { frequency: 1, frequency_comparator: 'NUM_GTE' };
    assert.deepEqual(made.metadata[0].segments, {
      boolean_operator: 'AND',
      ...defaults,
      negate: false,
      child_segments: [
        { custom_audience_id: leaf, lookback_window: 30, ...defaults, negate: true, child_segments: [] },
      ],
    });
  }),
  accountRule('creatives 20.9', async (account) => {
    const lost = createsFlexible([{ custom_audience_id: 'zz9' }]);
    expectItemErrors(await account.batch('custom_audiences', [lost]), [{ code: 'CUSTOM_AUDIENCE_NOT_FOUND' }]);
    const { made } = await flexible(account);
    const nested = createsFlexible([{ custom_audience_id: made.id }]);
    const error = invalid(`Flexible audience ${made.id} cannot be a leaf`);
    expectItemErrors(await account.batch('custom_audiences', [nested]), [error]);
  }),
  accountRule('creatives 20.10', async (account) => {
    const { id } = await audience(account);
    const name = newName();
    const items = [0, 1].map(() => createsFlexible([{ custom_audience_id: id }], { name }));
    expectItemErrors(await account.batch('custom_audiences', items), [], [TAKEN]);
  }),
  accountRule('creatives 20.12', async (account) => {
    const items = Array.from({ length: 11 }, () => createsFlexible([{ custom_audience_id: 'a1' }]));
    const message = 'The maximum batch size of 10 has been exceeded';
    expectErrors(await account.batch('custom_audiences', items), 400, { code: 'REQUEST_TOO_COMPLEX', message });
  }),
];

/** Checks of use, permissions, tailored audiences and lists: sections 21 to 24. */
const sharingRules: readonly Rule[] = [
  accountRule('creatives 21.1', async (account) => {
    const { id } = await audience(account);
    const { body } = await account.get(`custom_audiences/${id}/targeted`, { with_active: false });
    assert.deepEqual([body.data, body.next_cursor], [[], null]);
  }),
  accountRule('creatives 22.2', async (account) => {
    const { id } = await audience(account);
    const path = `custom_audiences/${id}/permissions`;
    assert.deepEqual(dataOf(await account.get(path)), []);
    const { status, body } = await account.call('POST', path);
    assert.equal(status, 400);
    const parameters = body.errors.map(({ code, parameter }: Json) => `${code} ${parameter}`).sort();
    assert.deepEqual(parameters, ['MISSING_PARAMETER granted_account_id', 'MISSING_PARAMETER permission_level']);
    expectErrors(await account.call('PUT', path), 405, { code: 'METHOD_NOT_ALLOWED' });
  }),
  accountRule('creatives 22.6', async (account) => {
    const { id } = await audience(account);
    const path = `custom_audiences/${id}/permissions`;
    const share = (granted_account_id: string) =>
      account.call('POST', path, { granted_account_id, permission_level: 'READ_ONLY' });
    expectErrors(await share('zz9zz9'), 403, { code: 'ACCOUNT_NOT_FOUND', parameter: 'granted_account_id' });
    const message = 'Expected another account than the owner for granted_account_id';
    expectErrors(await share(account.id), 400, invalid(message, 'granted_account_id'));
  }),
  accountRule('creatives 22.7', async (account) => {
    account.onlyInSandbox();
    const { id } = await audience(account);
    const [other] = dataOf(await account.call('POST', '/12/accounts'));
    account.api.finally(() => account.call('DELETE', `/12/accounts/${other.id}`));
    const path = `custom_audiences/${id}/permissions`;
    const values = { granted_account_id: other.id, permission_level: 'READ_ONLY' };
    expectErrors(await account.call('POST', path, values), 400, { code: 'FEATURE_NOT_AVAILABLE' });
    const feature_keys = 'SHARE_AUDIENCE_OUTSIDE_BUSINESS';
    expectStatus(await account.call('POST', 'features', { feature_keys }), 200);
    const made = dataOf(await account.call('POST', path, values));
    const raised = dataOf(await account.call('POST', path, { ...values, permission_level: 'READ_WRITE' }));
    assert.deepEqual([raised.id, raised.permission_level], [made.id, 'READ_WRITE']);
    const shared = await account.get(`/12/accounts/${other.id}/custom_audiences`, { permission_scope: 'SHARED' });
    assert.deepEqual(idsOf(shared), [id]);
    assert.equal(dataOf(await account.call('DELETE', `${path}/${made.id}`)).deleted, true);
    expectErrors(await account.call('DELETE', `${path}/${made.id}`), 404, { code: 'NOT_FOUND' });
    expectStatus(await account.call('DELETE', 'features', { feature_keys }), 200);
  }),
  accountRule('creatives 23.2', async (account) => {
    const { id } = await audience(account);
    const path = `/5/accounts/${account.id}/tailored_audiences`;
    assert.deepEqual(idsOf(await account.get(path, { tailored_audience_ids: id })), [id]);
    assert.deepEqual(dataOf(await account.get(`${path}/${id}/permissions`)), []);
    expectErrors(await account.get(`${path}/${id}/targeted`), 404, { code: 'ROUTE_NOT_FOUND' });
  }),
  accountRule('creatives 23.3', async (account) => {
    const { id } = await audience(account);
    const row = dataOf(await account.get(`/5/accounts/${account.id}/tailored_audiences/${id}`));
    const expected = FIELDS.filter((name) => name !== 'owner_account_id' && name !== 'description');
    assert.deepEqual(Object.keys(row).sort(), expected.sort());
  }),
  accountRule('creatives 23.4', async (account) => {
    const reply = await account.get(`/5/accounts/${account.id}/tailored_audiences/zz9`);
    expectErrors(reply, 404, { code: 'TAILORED_AUDIENCE_NOT_FOUND' });
  }),
  accountRule('creatives 24.1', async (account) => {
    if (dataOf(await account.get('do_not_reach_lists')).length > 0) throw new Skipped('the account has a list');
    const { id, name } = await account.create('do_not_reach_lists', { description: 'Former customers' });
    account.api.finally(() => account.call('DELETE', `do_not_reach_lists/${id}`));
    assert.equal(name, 'Do Not Reach List');
    const message = `Account ${account.id} has a do-not-reach list already`;
    expectErrors(await account.call('POST', 'do_not_reach_lists'), 400, invalid(message));
    const path = `/12/batch/accounts/${account.id}/do_not_reach_lists/${id}/users`;
    const reply = await account.call('POST', path, {}, { json: [people('Update', 'a', 'b')] });
    assert.deepEqual(dataOf(reply), [{ success_count: 2, total_count: 2 }]);
  }),
];

/** Checks of sections 18 to 24. */
export const audienceRules: readonly Rule[] = [...customRules, ...uploadRules, ...flexibleRules, ...sharingRules];
