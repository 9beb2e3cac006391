import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Field } from '../../src/contract/declare/fields.ts';
import type { Reply } from '../rig/client.ts';
import { openWorld, type World } from '../rig/world.ts';
import {
  batchParameters,
  collection,
  fill,
  make,
  openTestAccount,
  operationOf,
  resources,
  type TestAccount,
} from './test-account.ts';

let world: World;
before(async () => {
  // What was made stays as it is told while it is read.
  world = await openWorld({ flags: { rate_limits: 'off', audience_processing_delay_sandbox_s: 3600 } });
});
after(() => world.close());

/** How many operations one batch takes. @source advertising 23 */
const MAXIMA: Record<string, number> = { campaigns: 40, line_items: 40, custom_audiences: 10 };

// What the operations of a batch without updates do is tested by itself: see resources/targeting-batches.
for (const resource of resources.filter((each) => each.batch && operationOf(each, 'update'))) {
  describe(`batches of ${resource.plural}`, () => {
    let setup: TestAccount;
    let path: string;
    let params: Record<string, unknown>;
    before(async () => {
      setup = await openTestAccount(world);
      path = fill(operationOf(resource, 'batch')!.path, { account_id: setup.account });
      params = await batchParameters(setup, resource);
    });
    const max = MAXIMA[resource.plural]!;
    const [text, { isNullable }] = Object.entries(resource.fields as Record<string, Field>).find(
      ([, field]) => field.kind.name === 'text' && field.writable === 'input',
    )!;
    const post = (json: unknown): Promise<Reply> => setup.client.call('POST', path, { json });
    const create = (name: string, more: object = {}) => ({
      operation_type: 'Create',
      params: { ...params, [text]: name, ...more },
    });
    const update = (id: string, name: string) => ({
      operation_type: 'Update',
      params: { [resource.idParameter]: id, [text]: name },
    });
    const remove = (id: string) => ({ operation_type: 'Delete', params: { [resource.idParameter]: id } });
    const stored = async () =>
      (
        await setup.client.call('GET', collection(setup, resource), {
          params: { with_deleted: 'true', count: 1000 },
        })
      ).text;

    test('creates, changes and deletes in request order, and echoes each item with its types', async () => {
      const [one, two] = [await make(setup, resource), await make(setup, resource)];
      world.clock.advance(5);
      const reply = await post([create('first'), update(one.id, 'second'), remove(two.id), create('fourth')]);
      assert.equal(reply.status, 200, reply.text);
      assert.deepEqual(Object.keys(reply.body).sort(), ['data', 'request']);
      const rows = reply.body.data;
      assert.deepEqual(
        rows.map((row: Record<string, unknown>) => row[text]),
        ['first', 'second', two[text], 'fourth'],
      );
      assert.deepEqual([rows[1].id, rows[2].id], [one.id, two.id]);
      assert.deepEqual(
        rows.map((row: Record<string, unknown>) => row.deleted),
        [false, false, true, false],
      );
      assert.equal(rows[1].created_at, one.created_at);
      assert.notEqual(rows[1].updated_at, one.updated_at);
      assert.deepEqual(reply.body.request.slice(1, 3), [
        {
          params: { account_id: setup.account, [resource.idParameter]: one.id, [text]: 'second' },
          operation_type: 'Update',
        },
        { params: { account_id: setup.account, [resource.idParameter]: two.id }, operation_type: 'Delete' },
      ]);
      for (const row of rows.filter((each: { deleted: boolean }) => !each.deleted)) {
        const read = await setup.client.call('GET', `${collection(setup, resource)}/${row.id}`);
        assert.deepEqual(read.body.data, row);
      }
    });

    test('the words of an operation may have any letter case and are echoed as documented', async () => {
      const reply = await post([
        { ...create('a'), operation_type: 'create' },
        { ...create('b'), operation_type: 'CREATE' },
      ]);
      assert.deepEqual(
        reply.body.request.map((item: { operation_type: string }) => item.operation_type),
        ['Create', 'Create'],
      );
    });

    test('several operations on one row apply in order; on a deleted row they fail', async () => {
      const { id } = await make(setup, resource);
      const reply = await post([update(id, 'one'), update(id, 'two'), remove(id)]);
      assert.equal(reply.status, 200, reply.text);
      assert.deepEqual(
        reply.body.data.map((row: Record<string, unknown>) => [row.id, row[text], row.deleted]),
        [
          [id, 'one', false],
          [id, 'two', false],
          [id, 'two', true],
        ],
      );
      const other = await make(setup, resource);
      for (const second of [update(other.id, 'late'), remove(other.id)]) {
        const before = await stored();
        const refused = await post([remove(other.id), second]);
        assert.equal(refused.status, 400);
        assert.deepEqual(
          refused.body.operation_errors.map((errors: { code: string }[]) => errors.map((error) => error.code)),
          [[], [resource.notFound]],
        );
        assert.equal(await stored(), before);
      }
    });

    test(`accepts ${max} operations and no more`, async () => {
      const most = await post(Array.from({ length: max }, (_, index) => create(`n${index}`)));
      assert.equal(most.status, 200, most.text);
      assert.deepEqual(
        most.body.data.map((row: Record<string, unknown>) => row[text]),
        Array.from({ length: max }, (_, index) => `n${index}`),
      );
      assert.equal(new Set(most.body.data.map((row: { id: string }) => row.id)).size, max);
      const before = await stored();
      const over = await post(Array.from({ length: max + 1 }, (_, index) => create(`m${index}`)));
      assert.equal(over.status, 400);
      assert.deepEqual(over.body, {
        errors: [{ code: 'REQUEST_TOO_COMPLEX', message: `The maximum batch size of ${max} has been exceeded` }],
        request: [],
      });
      assert.equal(await stored(), before);
    });

    test('one bad item changes nothing; each item has its list of errors', async () => {
      const { id } = await make(setup, resource);
      const before = await stored();
      const reply = await post([
        create('good'),
        { operation_type: 'Create', params: {} },
        { operation_type: 'Replace', params: {} },
        { params: {} },
        { operation_type: 'Delete' },
        7,
        update('zz9', 'x'),
        update('a_b', 'x'),
        update(id, ''),
        { operation_type: 'Update', params: { [text]: 'x' } },
      ]);
      assert.equal(reply.status, 400);
      assert.deepEqual(Object.keys(reply.body).sort(), ['operation_errors', 'request']);
      const required = Object.keys(params).map((name) => ({
        code: 'MISSING_PARAMETER',
        message: `"${name}" is a required parameter`,
        parameter: name,
      }));
      const missing = (name: string) => ({
        code: 'MISSING_PARAMETER',
        message: `"${name}" is a required parameter`,
        parameter: name,
      });
      assert.deepEqual(reply.body.operation_errors, [
        [],
        required,
        [
          {
            code: 'INVALID_PARAMETER',
            message: 'Expected a value in Create, Delete, Update, got "Replace" for operation_type',
            parameter: 'operation_type',
          },
        ],
        [missing('operation_type')],
        [missing('params')],
        [missing('operation_type'), missing('params')],
        [],
        [
          {
            code: 'INVALID_PARAMETER',
            message: `Expected an id, got "a_b" for ${resource.idParameter}`,
            parameter: resource.idParameter,
          },
        ],
        isNullable
          ? []
          : [
              {
                code: 'INVALID_PARAMETER',
                message: `Expected a minimum length of 1, got 0 for ${text}`,
                parameter: text,
              },
            ],
        [missing(resource.idParameter)],
      ]);
      assert.equal(reply.body.request.length, 10);
      // What could not be read is echoed as it came.
      assert.deepEqual(reply.body.request.slice(7, 9), [
        {
          params: { account_id: setup.account, [resource.idParameter]: 'a_b', [text]: 'x' },
          operation_type: 'Update',
        },
        {
          params: { account_id: setup.account, [resource.idParameter]: id, [text]: '' },
          operation_type: 'Update',
        },
      ]);
      assert.deepEqual(reply.body.request[2], {
        params: { account_id: setup.account },
        operation_type: 'Replace',
      });
      assert.deepEqual(reply.body.request[3], { params: { account_id: setup.account }, operation_type: null });
      assert.equal(await stored(), before);
    });

    test('a missing entity is an error of its item', async () => {
      const before = await stored();
      const reply = await post([create('good'), update('zz9', 'x'), remove('zz8')]);
      assert.equal(reply.status, 400);
      const gone = (value: string) => ({
        code: resource.notFound,
        message: `${resource.label} ${value} was not found`,
        parameter: resource.idParameter,
        value,
      });
      assert.deepEqual(reply.body.operation_errors, [[], [gone('zz9')], [gone('zz8')]]);
      assert.equal(await stored(), before);
    });
  });
}

for (const resource of resources.filter((each) => each.batch)) {
  describe(`invalid batches of ${resource.plural}`, () => {
    let setup: TestAccount;
    let path: string;
    before(async () => {
      setup = await openTestAccount(world);
      path = fill(operationOf(resource, 'batch')!.path, { account_id: setup.account });
    });
    const post = (json: unknown): Promise<Reply> => setup.client.call('POST', path, { json });

    const wrongBodies: [string, unknown, string][] = [
      ['an empty list', [], 'A minimum of 1 items must be provided for operations'],
      ['an object', { operation_type: 'Create', params: {} }, 'Expected an array of operations'],
      ['a number', 5, 'Expected an array of operations'],
      ['null', null, 'Expected an array of operations'],
    ];
    for (const [what, json, message] of wrongBodies) {
      test(`${what} is refused as a whole`, async () => {
        const reply = await post(json);
        assert.equal(reply.status, 400);
        assert.deepEqual(reply.body, { errors: [{ code: 'INVALID_PARAMETER', message }], request: [] });
      });
    }

    test('another content type, and a body that is not JSON, are refused as a whole', async () => {
      const form = await setup.client.call('POST', path, { params: { name: 'x' } });
      assert.deepEqual(
        [form.status, form.body],
        [
          400,
          {
            errors: [
              {
                code: 'INVALID_PARAMETER',
                message: 'Content-Type must be application/json',
                parameter: 'Content-Type',
              },
            ],
            request: [],
          },
        ],
      );
      const none = await setup.client.call('POST', path);
      assert.deepEqual([none.status, none.body], [form.status, form.body]);
      const empty = await setup.client.call('POST', path, { headers: { 'content-type': 'application/json' } });
      assert.deepEqual(
        [empty.status, empty.body],
        [400, { errors: [{ code: 'INVALID_PARAMETER', message: 'Request body is not valid JSON' }], request: [] }],
      );
    });

    const wrongItems: [what: string, item: unknown, missing: string[]][] = [
      ['null', null, ['operation_type', 'params']],
      ['a list', [], ['operation_type', 'params']],
      ['an item of nothing', {}, ['operation_type', 'params']],
      ['an item without an operation', { operation_type: '', params: {} }, ['operation_type']],
      ['an item whose parameters are a list', { operation_type: 'Delete', params: [] }, ['params']],
      ['an item whose parameters are null', { operation_type: 'Delete', params: null }, ['params']],
    ];
    for (const [what, item, missing] of wrongItems) {
      test(`${what} lacks ${missing.join(' and ')}`, async () => {
        const reply = await post([item]);
        assert.equal(reply.status, 400);
        const errors = missing.map((parameter) => ({
          code: 'MISSING_PARAMETER',
          message: `"${parameter}" is a required parameter`,
          parameter,
        }));
        assert.deepEqual(reply.body.operation_errors, [errors]);
      });
    }

    test('an unknown operation is refused with the known ones', async () => {
      const reply = await post([{ operation_type: ['Create'], params: {} }]);
      const words = resource.operations.includes('update') ? 'Create, Delete, Update' : 'Create, Delete';
      const [[error]] = reply.body.operation_errors;
      assert.deepEqual([error.code, error.parameter], ['INVALID_PARAMETER', 'operation_type']);
      assert.ok(error.message.startsWith(`Expected a value in ${words}, got `), error.message);
    });
  });
}
