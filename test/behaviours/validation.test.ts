// On either database: what is tried here is decided before the database is asked.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Field, isErrorDetail } from '../../src/contract/declare/fields.ts';
import type { Operation } from '../../src/contract/declare/operation.ts';
import type { AnyResource } from '../../src/contract/declare/resource.ts';
import type { Sent } from '../rig/client.ts';
import { openWorld, type World } from '../rig/world.ts';
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

interface Said {
  readonly code: string;
  readonly message: string;
  readonly parameter: string;
  readonly details?: string;
  readonly value?: string;
}

const CODE = 'INVALID_PARAMETER';
const invalid = (parameter: string, message: string, more = {}): Said => ({ code: CODE, message, parameter, ...more });

/** Bad values of a kind, as text, and exactly what is said of them. @source campaigns 1.2 to 1.4, 2.2 */
function badValues(name: string, field: Field): [string, Said][] {
  const schema = field.kind.schema as {
    maxLength?: number;
    minimum?: number;
    maximum?: number;
    anyOf?: { const: string }[];
    items?: { anyOf?: { const: string }[]; maxLength?: number };
    minItems?: number;
    maxItems?: number;
  };
  const long = (raw: string) => invalid(name, `Expected Long, got "${raw}" for ${name}`);
  const time = (raw: string) =>
    invalid(name, `Expected time, got "${raw}" for ${name}`, { details: 'invalid date', value: raw });
  const among = (words: { const: string }[], raw: string) => {
    const list = words.map((word) => word.const).sort();
    return invalid(name, `Expected a value in ${list.join(', ')}, got "${raw}" for ${name}`);
  };
  switch (field.kind.name) {
    case 'text': {
      const max = schema.maxLength!;
      const illegal = { code: 'ILLEGAL_CHARACTERS', message: `Illegal characters in ${name}`, parameter: name };
      return [
        ['x'.repeat(max + 1), invalid(name, `Expected a maximum length of ${max}, got ${max + 1} for ${name}`)],
        ['\u{1f600}'.repeat(max + 1), invalid(name, `Expected a maximum length of ${max}, got ${max + 1} for ${name}`)],
        ['a\u0000b', illegal],
        ['a\nb', illegal],
        ['\u007f', illegal],
        ['\u0085', illegal],
      ];
    }
    case 'post text': {
      const illegal = { code: 'ILLEGAL_CHARACTERS', message: `Illegal characters in ${name}`, parameter: name };
      const long = (length: number) => invalid(name, `Expected a maximum length of 280, got ${length} for ${name}`);
      return [
        ['x'.repeat(281), long(281)],
        ['\u{1f600}'.repeat(281), long(281)],
        [`${'x'.repeat(257)} https://example.com`, long(281)],
        ['a\u0000b', illegal],
        ['\u007f', illegal],
      ];
    }
    case 'card uri':
      return ['card://', 'card://x', 'card:/42', '42', `card://${'9'.repeat(20)}`].map((raw) => [
        raw,
        invalid(name, `Expected card://<number>, got "${raw}" for ${name}`),
      ]);
    case 'word':
    case 'enum':
      return ['NO_SUCH_WORD', schema.anyOf![0]!.const.toLowerCase(), ` ${schema.anyOf![0]!.const}`]
        .filter((raw) => isErrorDetail(field.kind.read(raw, name)))
        .map((raw) => [raw, among(schema.anyOf!, raw)]);
    case 'currency':
      return ['CHF', 'chf', 'US', 'US D'].map((raw) => [raw, among(schema.anyOf!, raw)]);
    case 'micros':
      return [
        ...['1.5', 'ten', '1e6', '9007199254740992', '99999999999999999999', '0x10', '+5', ' 5', '1,000'].map(
          (raw): [string, Said] => [raw, long(raw)],
        ),
        ['0', invalid(name, `Expected a value greater than 0, got 0 for ${name}`)],
        ['-1000000', invalid(name, `Expected a value greater than 0, got -1000000 for ${name}`)],
      ];
    case 'integer': {
      const { minimum, maximum } = schema;
      const over = String(maximum! + 1);
      return [
        ['x', long('x')],
        ['1.0', long('1.0')],
        [
          over,
          invalid(name, `Expected int between ${minimum} and ${maximum}, got "${over}" for ${name}`, {
            details: 'value out of range',
            value: over,
          }),
        ],
      ];
    }
    case 'boolean':
      return ['yes', '2', 'TRUE!'].map((raw) => [raw, invalid(name, `Expected boolean, got "${raw}" for ${name}`)]);
    case 'instant':
    case 'time bound':
      return [
        ...['yesterday', '2026-02-30', '2026-13-01T00:00:00Z', '2026-01-01T24:00:00Z', '1767225600'],
        '2026-01-01 00:00:00',
      ].map((raw) => [raw, time(raw)]);
    case 'id':
      return ['a-b', 'é', 'a b', 'x'.repeat(65)].map((raw) => [
        raw,
        invalid(name, `Expected an id, got "${raw}" for ${name}`),
      ]);
    case 'number enum': {
      const list = schema.anyOf!.map((each) => each.const).join(', ');
      return ['2', 'x', '1.0'].map((raw) => [
        raw,
        invalid(name, `Expected a value in ${list}, got "${raw}" for ${name}`),
      ]);
    }
    case 'digits':
      return ['id42', '4 2', '-4', '9'.repeat(21)].map((raw) => [raw, long(raw)]);
    case 'refused':
      return [['1', invalid(name, `setting ${name} is not allowed`)]];
    case 'targeting type':
      return ['NO_SUCH', 'TAILORED_AUDIENCE', 'NEGATIVE_KEYWORD', 'age'].map((raw) => [
        raw,
        {
          code: 'UNKNOWN_CRITERIA_TYPE',
          message: `Expected a known targeting type, got "${raw}" for ${name}`,
          parameter: name,
        },
      ]);
    case 'https url':
      return ['http://example.com', 'https://', 'example.com/x', '/x', 'https://a b', 'ftp://example.com'].map(
        (raw) => [raw, invalid(name, `Expected an absolute https URL, got "${raw}" for ${name}`)],
      );
    case 'hashtag':
      return [
        ...['a b', '#a-b', '#', 'a#b', '##a'].map((raw): [string, Said] => [
          raw,
          invalid(name, `Expected a hashtag, got "${raw}" for ${name}`),
        ]),
        [`#${'x'.repeat(21)}`, invalid(name, `Expected a maximum length of 20, got 21 for ${name}`)],
      ];
    case 'web url':
      return ['example.com/x', '/x', 'http://', 'https://a b', 'ftp://example.com', 'javascript:alert(1)'].map(
        (raw) => [raw, invalid(name, `Expected an absolute http or https URL, got "${raw}" for ${name}`)],
      );
    case 'media key':
      return ['4_42', '7-42', '7_', `7_${'1'.repeat(20)}`, 'x', ' 7_42'].map((value) => [
        value,
        {
          code: 'INVALID_MEDIA_ID',
          message: `Expected a media key, got "${value}" for ${name}`,
          parameter: name,
          value,
        },
      ]);
    case 'list': {
      const words = schema.items?.anyOf;
      if (schema.minItems === 0 && words) return [['NO_SUCH', among(words, 'NO_SUCH')]];
      if (schema.minItems === 0) {
        const max = schema.items!.maxLength!;
        const long = `Expected a maximum length of ${max}, got ${max + 1} for ${name}`;
        const many = Array.from({ length: schema.maxItems! + 1 }, (_, index) => index).join(',');
        return [
          ['x'.repeat(max + 1), invalid(name, long)],
          [many, invalid(name, `A maximum of ${schema.maxItems} items may be provided for ${name}`)],
        ];
      }
      const few = invalid(name, `A minimum of 1 items must be provided for ${name}`);
      return [[',', few], [' , ', few], ...(words ? [['NO_SUCH', among(words, 'NO_SUCH')] as [string, Said]] : [])];
    }
    default:
      return [];
  }
}

/** What is said of an empty value that may not be. */
function saidOfEmpty(name: string, field: Field): Said {
  const missing = { code: 'MISSING_PARAMETER', message: `"${name}" is a required parameter`, parameter: name };
  if (field.isRequired && field.kind.name !== 'list' && !field.kind.readsEmpty) return missing;
  const short = invalid(name, `Expected a minimum length of 1, got 0 for ${name}`);
  if (field.kind.name === 'text' || field.kind.name === 'id') return short;
  const [, said] = badValues(name, field)[0]!;
  if (field.kind.name === 'list') return said;
  const message = said.message.replace(/got "[^"]*"/, 'got ""');
  return { ...said, message, ...(said.value === undefined ? {} : { value: '' }) };
}

/** Operations that take parameters which are no list parameters. */
const writing: readonly Operation[] = accountOperations.filter(
  (each) => each.method !== 'GET' && each.body === 'form' && Object.keys(each.parameters).length > 0,
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

    for (const [name, field] of fields) {
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
    for (const name of Object.keys(operation.parameters)) {
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
