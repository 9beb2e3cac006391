// On either database: what is tried here is decided before the database is asked.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Operation } from '../../src/contract/declare/operation.ts';
import type { AnyResource } from '../../src/contract/declare/resource.ts';
import type { Sent } from '../rig/client.ts';
import { sampled, sampler } from '../rig/sampling.ts';
import { openWorld, type World } from '../rig/world.ts';
import { badValues, invalid, type Said, saidOfEmpty } from './bad-values.ts';
import { MISSING_BESIDES, NEEDED, TAKEN_ONCE } from './dependent.ts';
import {
  accountOperations,
  fill,
  goodCall,
  goodParameters,
  goodValue,
  idOf,
  openTestAccount,
  operationOf,
  resources,
  sampleOf,
  type TestAccount,
} from './test-account.ts';

let world: World;
let setup: TestAccount;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  setup = await openTestAccount(world);
});
after(() => world.close());

/** Operations that take parameters which are no list parameters. */
const writing: readonly Operation[] = accountOperations.filter(
  (each) => each.method !== 'GET' && each.body === 'form' && Object.keys(each.parameters).length > 0,
);

/** The parameters that this run tries, each with its operation. */
const tried = sampled(
  writing.flatMap((operation) =>
    Object.entries(operation.parameters).map(([name, field]) => ({ operation, name, field })),
  ),
  ({ operation, field: { kind, isRequired, isNullable, isDerived, emptyValue } }) =>
    `${operation.method} ${kind.name} ${isRequired} ${isNullable} ${isDerived} ${emptyValue}`,
  ({ operation, name }) => `${operation.id} ${name}`,
);

for (const operation of writing) {
  describe(`parameters of ${operation.id}`, () => {
    let path: string;
    let good: Record<string, string>;
    before(async () => {
      const call = await goodCall(setup, operation);
      path = call.path;
      good = { ...call.sent.params } as Record<string, string>;
    });
    const ask = (sent: Sent) => setup.client.call(operation.method, path, sent);
    const fields = Object.entries(operation.parameters);

    for (const { name, field } of tried.filter((each) => each.operation === operation)) {
      test(`${name}: an invalid value is refused, with the exact message`, async () => {
        const cases = badValues(name, field);
        assert.ok(cases.length > 0, `say what bad values of kind ${field.kind.name} are`);
        for (const [raw, said] of cases) {
          const reply = await ask({ params: { ...good, [name]: raw } });
          assert.equal(reply.status, 400, `${raw}: ${reply.text}`);
          assert.deepEqual(reply.body.errors, [said]);
          assert.ok(!(name in reply.body.request.params), 'what could not be read is not echoed');
        }
      });

      if (NEEDED[operation.group]?.includes(name)) continue;
      test(`${name}: an empty value unsets an optional field, and is refused otherwise`, async () => {
        const own = TAKEN_ONCE.includes(operation.group) ? await goodParameters(setup, operation) : {};
        const reply = await ask({ params: { ...good, ...own, [name]: '' } });
        if (field.emptyValue !== undefined) {
          assert.equal(reply.status, 200, reply.text);
          assert.deepEqual(reply.body.request.params[name], JSON.parse(field.kind.toJson(field.emptyValue)));
        } else if (field.kind.name === 'refused') {
          assert.deepEqual([reply.status, reply.body.errors], [400, [badValues(name, field)[0]![1]]]);
        } else if (field.isNullable || field.isDerived) {
          assert.equal(reply.status, 200, reply.text);
          assert.strictEqual(reply.body.request.params[name], '');
        } else {
          assert.equal(reply.status, 400);
          assert.deepEqual(reply.body.errors, [saidOfEmpty(name, field)]);
        }
      });

      test(`${name}: twice in one place is refused; in both places the body wins`, async () => {
        const value = field.kind.name === 'refused' ? '2' : (good[name] ?? sampleOf(field));
        const { [name]: _, ...others } = good;
        const twice = new URLSearchParams([...Object.entries(others), [name, value], [name, value]]);
        const reply = await setup.client.call(operation.method, `${path}?${twice}`);
        assert.equal(reply.status, 400);
        assert.deepEqual(reply.body.errors, [invalid(name, `Expected one value, got 2 for ${name}`)]);
        if (operation.method === 'DELETE') return;
        const [raw, said] = badValues(name, field)[0]!;
        const query = new URLSearchParams({ [name]: raw });
        const both = await setup.client.call(operation.method, `${path}?${query}`, {
          params: { ...good, [name]: value },
        });
        if (field.kind.name === 'refused') return assert.deepEqual(both.body.errors, [said]);
        assert.notEqual(both.body.errors?.[0].message, said.message, both.text);
      });
    }

    test('all errors are reported at once, in the order of the declaration', async () => {
      const bad: Record<string, string> = {};
      const said: Said[] = [];
      for (const [name, field] of fields) {
        const [raw, about] = badValues(name, field)[0]!;
        bad[name] = raw;
        said.push(about);
      }
      const reply = await ask({ params: bad });
      assert.equal(reply.status, 400);
      assert.deepEqual(reply.body.errors, said);
    });

    test('a name of white space only is refused', async () => {
      if (!('name' in operation.parameters)) return;
      const reply = await ask({ params: { ...good, name: ' \u3000 ' } });
      assert.equal(reply.status, 400, reply.text);
      assert.deepEqual(reply.body.errors, [invalid('name', 'Expected a minimum length of 1, got 0 for name')]);
    });

    test('every missing required parameter is reported', async () => {
      const required = fields.filter(([, field]) => field.isRequired).map(([name]) => name);
      if (required.length === 0) return;
      const reply = await ask({});
      assert.equal(reply.status, 400);
      assert.deepEqual(
        reply.body.errors,
        [...required, ...(MISSING_BESIDES[operation.group] ?? [])].map((name) => ({
          code: 'MISSING_PARAMETER',
          message: `"${name}" is a required parameter`,
          parameter: name,
        })),
      );
    });

    test('unknown parameters are ignored and not echoed', async () => {
      const { path: fresh, sent } = await goodCall(setup, operation);
      const extra = {
        colour: 'red',
        id: 'zz9',
        created_at: 'never',
        deleted: 'true',
        constructor: 'x',
        __proto__x: '1',
      };
      const reply = await setup.client.call(operation.method, fresh, { params: { ...sent.params, ...extra } });
      assert.equal(reply.status, 200, reply.text);
      for (const name of Object.keys(extra)) assert.ok(!Object.hasOwn(reply.body.request.params, name), name);
      assert.equal(reply.body.data.deleted ?? false, false);
      assert.match(reply.headers.get('x-ignored-parameters')!, /colour/);
    });
  });
}

const NUMBERS = ['micros', 'integer', 'number enum'];

/** All good values of the writable fields of a resource, as text. */
function wholeOf(operation: Operation): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, field] of Object.entries(operation.parameters)) {
    if (!field.target && !['list', 'refused', 'card uri'].includes(field.kind.name)) {
      values[name] = goodValue(operation, name);
    }
  }
  return values;
}

/** Values of the wrong type are tried on parameters of every kind. */
const isTried = sampler();

function isOfForm(create: Operation | undefined): boolean {
  return create?.shape === 'one' && create.body === 'form';
}

for (const resource of resources.filter((each: AnyResource) => isOfForm(operationOf(each, 'create')))) {
  const operation = operationOf(resource, 'create')!;
  test(`${operation.id}: query, form and JSON are equivalent`, async () => {
    const params = { ...wholeOf(operation), ...(await goodParameters(setup, operation)) };
    const whole: Record<string, string> = params;
    const path = fill(operation.path, { account_id: setup.account });
    const typed = Object.fromEntries(
      Object.entries(whole).map(([name, value]) => {
        const kind = operation.parameters[name]!.kind.name;
        return [
          name,
          NUMBERS.includes(kind)
            ? Number(value)
            : kind === 'boolean'
              ? value === 'true'
              : kind === 'list'
                ? [value]
                : value,
        ];
      }),
    );
    // What goes by a key of its own is made anew, or changed, by the same call.
    const isRemovable = operationOf(resource, 'remove') !== undefined && !resource.key;
    // Made and removed: of some things there may be one at a time.
    const made = async (target: string, sent: { params?: Record<string, string>; json?: unknown } = {}) => {
      const reply = await setup.client.call('POST', target, sent);
      if (isRemovable && reply.status === 200) await setup.client.call('DELETE', `${path}/${idOf(reply.body.data)}`);
      return reply;
    };
    const query = await made(`${path}?${new URLSearchParams(whole)}`);
    const form = await made(path, { params: whole });
    const json = await made(path, { json: typed });
    const texts = await made(path, { json: whole });
    const plain = ({ body }: { body: { request: unknown; data: Record<string, unknown> } }) => ({
      request: body.request,
      data: { ...body.data, id: '', card_uri: '', embed_code: '' },
    });
    for (const reply of [query, form, json, texts]) assert.equal(reply.status, 200, reply.text);
    for (const reply of [form, json, texts]) assert.deepEqual(plain(reply), plain(query));
    const parent = resource.parent?.parameter as string | undefined;
    const named = { account_id: setup.account, ...(parent ? { [parent]: path.split('/')[5] } : {}) };
    assert.deepEqual(query.body.request.params, { ...named, ...operation.extraEcho, ...typed });
  });

  test(`${operation.id}: values of the wrong JSON type are refused by name`, async () => {
    const path = fill(operation.path, { account_id: setup.account });
    for (const [name, { kind }] of Object.entries(operation.parameters)) {
      if (!isTried(kind.name, `${operation.id} ${name}`)) continue;
      for (const wrong of [{ a: 1 }, [['x'], ['y']], [{}]]) {
        const good = await goodParameters(setup, operation);
        const reply = await setup.client.call('POST', path, { json: { ...good, [name]: wrong } });
        assert.equal(reply.status, 400, `${name} ${JSON.stringify(wrong)} ${reply.text}`);
        assert.deepEqual(
          reply.body.errors.map((error: Said) => error.parameter),
          [name],
        );
      }
    }
  });
}
