import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { foldCase } from '../../src/base/text.ts';
import type { Field } from '../../src/contract/declare/fields.ts';
import type { AnyResource, Row } from '../../src/contract/declare/resource.ts';
import { sampledResources } from '../rig/shapes.ts';
import { openWorld, type World } from '../rig/world.ts';
import { everything, listable, visible } from './lists.ts';
import {
  collection,
  idOf,
  listed,
  openTestAccount,
  reader,
  resources,
  seed,
  type TestAccount,
  takes,
} from './test-account.ts';

let world: World;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
});
after(() => world.close());

/** The filters of a declaration: parameter and the column that it looks at. */
function filtersOf(resource: AnyResource): [string, string][] {
  const own = Object.entries(resource.fields as Record<string, Field>).filter(([, field]) => field.filter);
  const filters = own.map(([name, field]) => [field.filter!, name] as [string, string]);
  return takes(resource, 'list', resource.idsParameter) ? [[resource.idsParameter, 'id'], ...filters] : filters;
}

function kindOf(resource: AnyResource, column: string): string | undefined {
  return (resource.fields as Record<string, Field>)[column]?.kind.name;
}

/** The words that a column may hold, where these are a few. */
function wordsOf(resource: AnyResource, column: string): string[] | undefined {
  const { kind } = (resource.fields as Record<string, Field>)[column] ?? {};
  const words = (kind?.schema as { anyOf?: { const: string }[] } | undefined)?.anyOf;
  return words?.map((word) => word.const).sort();
}

for (const resource of sampledResources(resources)) {
  describe(`filters of ${resource.plural}`, () => {
    let setup: TestAccount;
    let rows: Row[];
    let path: string;
    before(async () => {
      setup = await openTestAccount(world);
      rows = listable(resource, await seed(setup, resource, 23));
      path = collection(setup, resource);
    });
    const list = async (params: Record<string, string>) => {
      const isNamed = resource.list?.requiredFilters?.some((name: string) => name in params);
      return reader(setup, resource).call('GET', isNamed ? path : await listed(setup, resource), {
        params,
      });
    };
    const found = async (params: Record<string, string>) => {
      const reply = await list(params);
      assert.equal(reply.status, 200, reply.text);
      return reply.body.data.map(idOf).sort();
    };
    const ids = (some: readonly Row[]) => some.map((row) => row.id).sort();

    for (const [parameter, column] of filtersOf(resource)) {
      test(`${parameter}: only rows with one of the values`, async () => {
        const values = [...new Set(rows.map((row) => row[column]))].filter((value) => value !== null).map(String);
        const some = values.slice(0, Math.max(1, Math.ceil(values.length / 3)));
        const wanted = rows.filter((row) => some.includes(String(row[column])));
        assert.deepEqual(await found({ ...everything(resource), [parameter]: some.join(',') }), ids(wanted));
        assert.deepEqual(await found({ [parameter]: some.join(',') }), ids(visible(resource, wanted)));
        const one = rows.filter((row) => String(row[column]) === values[0]);
        assert.deepEqual(await found({ ...everything(resource), [parameter]: values[0]! }), ids(one));
      });

      test(`${parameter}: blanks and repeats are removed and upper case is folded; the echo has the items as sent`, async () => {
        const [a, b] = [...new Set(rows.map((row) => String(row[column])))].filter((value) => value !== 'null');
        const reply = await list({ ...everything(resource), [parameter]: ` ${a!.toUpperCase()},,${b ?? a} , ${a}` });
        assert.equal(reply.status, 200, reply.text);
        assert.deepEqual(reply.body.request.params[parameter], [...new Set([a!.toUpperCase(), b ?? a, a])]);
        const wanted = rows.filter((row) => [a, b].includes(String(row[column])));
        assert.deepEqual(reply.body.data.map(idOf).sort(), ids(wanted));
      });

      const words = wordsOf(resource, column);
      if (words) {
        test(`${parameter}: an unknown word is refused`, async () => {
          const reply = await list({ [parameter]: 'zz9' });
          const isType = kindOf(resource, column) === 'card type';
          const expected = isType ? 'a known card type' : `a value in ${words.join(', ')}`;
          const message = `Expected ${expected}, got "zz9" for ${parameter}`;
          const code = isType ? 'UNKNOWN_CARD_TYPE' : 'INVALID_PARAMETER';
          assert.deepEqual(reply.body.errors, [{ code, message, parameter }]);
        });
        continue;
      }

      test(`${parameter}: missing rows are left out; at most 200; none and nonsense are refused`, async () => {
        const isUri = kindOf(resource, column) === 'card uri';
        const none = (name: string | number) => (isUri ? `card://99000${name}` : `z${name}`);
        const what = isUri ? 'card://<number>' : 'an id';
        assert.deepEqual(await found({ [parameter]: `${none(9)},${none(8)}` }), []);
        const many = Array.from({ length: 200 }, (_, index) => none(index));
        assert.deepEqual(await found({ [parameter]: many.join(',') }), []);
        assert.deepEqual(
          await found({ [parameter]: `${many.join(',')},${none(0)}` }),
          [],
          'a repeated one does not count',
        );
        const cases: [string, string][] = [
          [`${many.join(',')},${none(200)}`, `A maximum of 200 items may be provided for ${parameter}`],
          ['', `A minimum of 1 items must be provided for ${parameter}`],
          [' , ', `A minimum of 1 items must be provided for ${parameter}`],
          ['ab-c', `Expected ${what}, got "ab-c" for ${parameter}`],
          [`${none(0)},no%`, `Expected ${what}, got "no%" for ${parameter}`],
        ];
        for (const [value, message] of cases) {
          const reply = await list({ [parameter]: value });
          assert.equal(reply.status, 400, value);
          assert.deepEqual(reply.body.errors, [{ code: 'INVALID_PARAMETER', message, parameter }]);
        }
      });
    }

    test('filters combine with AND', async () => {
      const isById = takes(resource, 'list', resource.idsParameter);
      const some = isById ? rows.filter((_, index) => index % 2 === 0) : rows;
      const byId = isById ? { [resource.idsParameter]: ids(some).join(',') } : {};
      const params: Record<string, string> = { ...everything(resource), ...byId };
      let wanted: readonly Row[] = some;
      for (const [parameter, column] of filtersOf(resource).slice(isById ? 1 : 0)) {
        params[parameter] = String(rows[0]![column]);
        wanted = wanted.filter((row) => row[column] === rows[0]![column]);
      }
      if (resource.list?.search) {
        params.q = 'A';
        wanted = wanted.filter((row) => foldCase(String(row[resource.list!.search as string])).startsWith('a'));
      }
      assert.deepEqual(await found(params), ids(wanted));
    });

    const search = resource.list?.search as string | undefined;
    if (search) {
      test('q is a prefix of the name, ignoring case and Unicode form', async () => {
        const cases: [string, string[]][] = [
          ['app', ['apple', 'Apple', 'apple pie']],
          ['APPLE', ['apple', 'Apple', 'apple pie']],
          ['apple ', ['apple pie']],
          ['äp', ['Äpfel']],
          ['a\u0308p', ['Äpfel']],
          ['A wide', ['\uff21 wide']],
          ['\u{1f600}', ['\u{1f600} face']],
          ['ÉC', ['éclair']],
          ['pple', []],
          ['%', []],
          ['_', []],
          ['zebra', ['zebra', 'ZEBRA']],
        ];
        for (const [q, names] of cases) {
          const wanted: readonly Row[] = rows.filter((row) => names.includes(String(row[search])));
          assert.deepEqual(await found({ ...everything(resource), q }), ids(wanted), q);
        }
      });

      test('q has 1 to 255 characters unless declared otherwise', async () => {
        const max = resource.list?.searchMax ?? 255;
        assert.deepEqual(await found({ q: 'x'.repeat(max) }), []);
        const long = await list({ q: 'x'.repeat(max + 1) });
        assert.equal(long.body.errors[0].message, `Expected a maximum length of ${max}, got ${max + 1} for q`);
        const empty = await list({ q: '' });
        assert.deepEqual([empty.status, empty.body.errors[0].parameter], [400, 'q']);
      });
    }

    const switches = ['with_deleted', 'with_total_count', 'with_draft'].filter((name) => takes(resource, 'list', name));
    for (const name of switches) {
      test(`${name} is a boolean in its many spellings`, async () => {
        for (const [value, meant] of [
          ['true', true],
          ['TRUE', true],
          ['t', true],
          ['T', true],
          ['1', true],
          ['false', false],
          ['False', false],
          ['f', false],
          ['0', false],
        ] as const) {
          const reply = await list({ [name]: value });
          assert.equal(reply.status, 200, value);
          assert.strictEqual(reply.body.request.params[name], meant);
        }
        for (const bad of ['yes', '2', '', 'truee']) {
          const reply = await list({ [name]: bad });
          assert.equal(reply.status, 400, bad);
          assert.deepEqual(reply.body.errors, [
            { code: 'INVALID_PARAMETER', message: `Expected boolean, got "${bad}" for ${name}`, parameter: name },
          ]);
        }
      });
    }
  });
}
