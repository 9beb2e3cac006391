import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { AnyResource, Row } from '../../src/contract/declare/resource.ts';
import { sampledResources } from '../rig/shapes.ts';
import { openWorld, type World } from '../rig/world.ts';
import { everything, inOrder, listable, pageThrough, visible } from './lists.ts';
import {
  addParents,
  collection,
  goodParameters,
  idOf,
  listed,
  openTestAccount,
  operationOf,
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

const ROWS = 23;

for (const resource of sampledResources(resources)) {
  const max = resource.list?.count?.max ?? 1000;
  describe(`pages of ${resource.plural}`, () => {
    let setup: TestAccount;
    let rows: Row[];
    let path: string;
    before(async () => {
      setup = await openTestAccount(world);
      rows = listable(resource, await seed(setup, resource, ROWS));
      path = await listed(setup, resource);
    });
    const list = (params: Record<string, string | number>) => reader(setup, resource).call('GET', path, { params });
    const ids = (some: readonly Row[]) => some.map((row) => row.id);

    test('every row comes exactly once, newest first, whatever the size of pages', async () => {
      const expected = ids(inOrder(rows, [['created_at', 'desc']]));
      for (const count of [1, 2, 7, rows.length - 1, rows.length, rows.length + 1, max]) {
        const found = await pageThrough(reader(setup, resource), path, everything(resource), count);
        assert.deepEqual(found, expected, `pages of ${count}`);
      }
    });

    test('deleted rows and drafts are left out unless requested', async () => {
      const expected = ids(inOrder(visible(resource, rows), [['created_at', 'desc']]));
      assert.ok(expected.length < ROWS, 'some are hidden');
      assert.deepEqual(await pageThrough(reader(setup, resource), path, {}, 4), expected);
      const alive = ids(inOrder(rows, [['created_at', 'desc']]).filter((row) => row.deleted === 0));
      const { with_deleted, ...others } = everything(resource);
      assert.deepEqual(await pageThrough(reader(setup, resource), path, others, 5), alive);
    });

    test('a page that exactly ends the list has no next cursor, and an empty list has none either', async () => {
      const whole = await list({ ...everything(resource), count: rows.length });
      assert.equal(whole.body.next_cursor, null);
      assert.equal(whole.body.data.length, rows.length);
      const short = await list({ ...everything(resource), count: rows.length - 1 });
      assert.equal(typeof short.body.next_cursor, 'string');
      if (!takes(resource, 'list', resource.idsParameter)) return;
      const none = await list({ [resource.idsParameter]: 'zz9' });
      assert.deepEqual([none.body.data, none.body.next_cursor], [[], null]);
    });

    test('a cursor is opaque text that needs no escaping in a URL', async () => {
      const { next_cursor } = (await list({ count: 1 })).body;
      assert.match(next_cursor, /^[A-Za-z0-9_-]+$/);
    });

    test('the size may change between pages', async () => {
      const expected = ids(inOrder(rows, [['created_at', 'desc']]));
      const first = await list({ ...everything(resource), count: 3 });
      const second = await list({ ...everything(resource), count: 10, cursor: first.body.next_cursor });
      const third = await list({ ...everything(resource), cursor: second.body.next_cursor });
      const found = [first, second, third].flatMap((page) => page.body.data.map(idOf));
      assert.deepEqual(found, expected);
    });

    test('a cursor is valid only for its own list', async () => {
      const { next_cursor: cursor } = (await list({ count: 2 })).body;
      const another = resources.find((each) => each !== resource && each.scope === 'account')!;
      const refusals: Record<string, Record<string, string | number>> = {
        'another order': { cursor, sort_by: 'created_at-asc' },
        'another filter': { cursor, [resource.idsParameter]: rows[0]!.id },
        'deleted rows too': { cursor, with_deleted: 'true' },
        garbled: { cursor: `${cursor}x` },
        'cut short': { cursor: cursor.slice(0, -2) },
        'not a cursor': { cursor: 'zzz' },
        'padded base64': { cursor: `${cursor}=` },
      };
      for (const [why, params] of Object.entries(refusals)) {
        if (!Object.keys(params).every((name) => takes(resource, 'list', name))) continue;
        const reply = await list(params);
        assert.equal(reply.status, 400, why);
        assert.equal(reply.body.errors[0].code, 'INVALID_PARAMETER', why);
        assert.equal(reply.body.errors[0].parameter, 'cursor', why);
      }
      const elsewhere = await setup.client.call('GET', collection(setup, another), { params: { cursor } });
      assert.equal(elsewhere.status, 400);
      const own = await openTestAccount(world);
      await addParents(own, resource);
      if (resource.scope === 'account') {
        const reply = await setup.client.call('GET', collection(own, resource), { params: { cursor } });
        assert.equal(reply.status, 400, 'another account');
      }
    });

    test('a forged cursor is refused or answered, never an internal error', async () => {
      const { next_cursor: cursor } = (await list({ count: 2 })).body;
      const plain = Buffer.from(cursor, 'base64url').toString();
      const [digest, after] = [plain.slice(0, 8), JSON.parse(plain.slice(8)) as unknown[]];
      const forged = [
        [...after.slice(1), after[0], 1],
        [{ a: 1 }, after[1]],
        [null, null],
        ['a\u0000b', after[1]],
        [5, after[1]],
        [1e300, after[1]],
        'text',
        null,
        [['nested'], after[1]],
      ];
      for (const place of forged) {
        const text = Buffer.from(`${digest}${JSON.stringify(place)}`).toString('base64url');
        assert.equal((await list({ cursor: text })).status, 400, JSON.stringify(place));
      }
    });

    test('a total is counted on request, over all matches, and not together with a cursor', async () => {
      if (!takes(resource, 'list', 'with_total_count')) return;
      const plain = await list({ count: 2 });
      assert.ok(!('total_count' in plain.body));
      assert.ok(!('total_count' in (await list({ with_total_count: 'false' })).body));
      const counted = await list({ count: 2, with_total_count: 'true' });
      assert.equal(counted.body.total_count, visible(resource, rows).length);
      const all = await list({ ...everything(resource), with_total_count: 'true', count: 1 });
      assert.equal(all.body.total_count, rows.length);
      const some = {
        [resource.idsParameter]: rows
          .slice(0, 4)
          .map((row) => row.id)
          .join(','),
      };
      const few = await list({ ...everything(resource), ...some, with_total_count: 'true', count: 1 });
      assert.equal(few.body.total_count, 4);
      const cursor = plain.body.next_cursor;
      const both = await list({ with_total_count: 'true', cursor });
      assert.equal(both.status, 400);
      assert.deepEqual(both.body.errors, [
        {
          code: 'EXCLUSIVE_PARAMETERS',
          message: 'with_total_count and cursor are exclusive parameters',
          parameter: 'with_total_count, cursor',
        },
      ]);
      assert.equal((await list({ with_total_count: 'false', cursor })).status, 200);
    });

    test(`count is from 1 to ${max}`, async () => {
      for (const bad of [0, max + 1, -1]) {
        const reply = await list({ count: bad });
        assert.equal(reply.status, 400);
        assert.deepEqual(reply.body.errors, [
          {
            code: 'INVALID_PARAMETER',
            message: `Expected int between 1 and ${max}, got "${bad}" for count`,
            parameter: 'count',
            details: 'value out of range',
            value: String(bad),
          },
        ]);
      }
      for (const bad of ['', 'ten', '1.5', '1e2', ' 5', '99999999999999999999']) {
        const reply = await list({ count: bad });
        assert.equal(reply.status, 400, bad);
        assert.equal(reply.body.errors[0].message, `Expected Long, got "${bad}" for count`);
      }
      assert.equal((await list({ count: max })).status, 200);
    });
  });
}

describe('pages of a list that changes', () => {
  for (const resource of sampledResources(resources.filter(isChangeable))) {
    test(`${resource.plural}: what is added or deleted between pages moves no other row`, async () => {
      const setup = await openTestAccount(world);
      const rows = inOrder(listable(resource, await seed(setup, resource, 12)), [['created_at', 'desc']]);
      const path = await listed(setup, resource);
      const client = reader(setup, resource);
      const get = async (cursor?: string) => {
        const params = { ...everything(resource), count: 4, ...(cursor === undefined ? {} : { cursor }) };
        return (await client.call('GET', path, { params })).body;
      };
      const first = await get();
      const params = await goodParameters(setup, operationOf(resource, 'create')!);
      world.clock.advance(60);
      await setup.client.call('POST', collection(setup, resource), { params });
      // The last row shown and one not shown yet go away.
      const live = rows.slice(4).find((row) => row.deleted === 0)!;
      const last = rows.slice(0, 4).findLast((row) => row.deleted === 0)!;
      for (const row of [live, last]) await setup.client.call('DELETE', `${collection(setup, resource)}/${row.id}`);
      const second = await get(first.next_cursor);
      const third = await get(second.next_cursor);
      const found = [first, second, third].flatMap((page) => page.data.map(idOf));
      const isShown = takes(resource, 'list', 'with_deleted') && !resource.deletion?.hard;
      const staying = isShown ? rows : rows.filter((row) => row !== live);
      assert.deepEqual(
        found,
        staying.map((row) => row.id),
      );
      assert.equal(third.next_cursor, null);
    });
  }

  test('the default page has 200 rows', async () => {
    const setup = await openTestAccount(world);
    const resource = resources.find((each) => each.scope === 'account')!;
    await seed(setup, resource, 201);
    const page = await setup.client.call('GET', collection(setup, resource), {
      params: everything(resource),
    });
    assert.equal(page.body.data.length, 200);
    const rest = await setup.client.call('GET', collection(setup, resource), {
      params: { ...everything(resource), cursor: page.body.next_cursor },
    });
    assert.equal(rest.body.data.length + 200 >= 201, true);
    assert.equal(rest.body.next_cursor, null);
  });
});

function isChangeable(resource: AnyResource): boolean {
  return resource.scope === 'account' && (['create', 'remove'] as const).every((verb) => operationOf(resource, verb));
}
