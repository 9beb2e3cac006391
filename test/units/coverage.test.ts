import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { EVENT_ITEMS } from '../../build/docs/coverage/events.ts';
import { NOT_SHOWN } from '../../build/docs/coverage/not-shown.ts';
import { PAGES, REFERENCE_TABLES } from '../../build/docs/coverage/reference-tables.ts';
import { largeDocs } from '../../build/docs/generated-docs.ts';
import { operations } from '../../src/app/dependencies.ts';
import { EVENT_TYPES } from '../../src/contract/store/events.ts';

const page = largeDocs()['endpoints.md'];
const coverage = page.split('\n## ').find((section) => section.startsWith('Coverage\n'))!;
const cells = coverage
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')));
const endpoints = REFERENCE_TABLES.flatMap(({ table, endpoints: own }) => own.map((endpoint) => ({ table, endpoint })));
const rowOf = (endpoint: string) => cells.find(([, , , said]) => said === endpoint);

describe('the table of coverage', () => {
  test('has every endpoint of both documents once', () => {
    assert.equal(endpoints.length, new Set(endpoints.map(({ endpoint }) => endpoint)).size);
    assert.ok(endpoints.length > 90);
    for (const { endpoint, table } of endpoints) assert.equal(rowOf(endpoint)?.[2], table, endpoint);
  });

  test('marks as served what an operation serves, and nothing else', () => {
    for (const { endpoint } of endpoints) {
      const state = rowOf(endpoint)![4]!;
      const [method, path] = endpoint.split(' ');
      const form = path!.replace(/:\w+/g, ':');
      const answering = operations.find(
        (each) =>
          each.method === method &&
          [each.path, ...(each.aliases ?? [])].some((own) => own.replace(/:\w+/g, ':') === form),
      );
      const wanted = answering ? `served: ${answering.id}` : PAGES.includes(endpoint) ? 'served, a page' : 'not yet';
      assert.equal(state, wanted, endpoint);
    }
  });

  test('has every operation that is served', () => {
    const told = new Set(cells.flatMap((row) => [row[2], row[4]?.replace('served: ', '')]));
    assert.deepEqual(
      operations.map(({ id }) => id).filter((id) => !told.has(id)),
      [],
    );
  });

  const WHOLE = [
    'Endpoints',
    'Accounts',
    'Reference data',
    'Funding instruments',
    'Campaigns',
    'Line items',
    'Custom audiences',
    'Audience sharing permissions',
  ];
  for (const table of WHOLE) {
    test(`has all of ${table}`, () => {
      const own = endpoints.filter((each) => each.table === table);
      assert.ok(own.length > 3);
      for (const { endpoint } of own) assert.match(rowOf(endpoint)![4]!, /^served/, endpoint);
    });
  }

  test('has for every value of events where it is served and tested', () => {
    const known = new Set(operations.map(({ id }) => id));
    for (const { what, operations: needed, test: file } of EVENT_ITEMS) {
      const row = cells.find((each) => each[1] === what);
      const isThere = needed.every((id) => known.has(id));
      assert.equal(row?.[3], isThere ? needed.join(', ') : 'not yet', what);
      if (isThere) assert.ok(existsSync(file), file);
    }
    for (const type of EVENT_TYPES)
      assert.ok(
        EVENT_ITEMS.some(({ what }) => what === `Event type ${type}`),
        type,
      );
  });

  test('names existing decisions for what the documents do not show', () => {
    const decisions = new Set(
      globSync('docs/decisions/*.md').flatMap((file) =>
        [...readFileSync(file, 'utf8').matchAll(/^### <a id="(\d+)">/gm)].map(([, number]) => Number(number)),
      ),
    );
    for (const { what, decisions: named, filledBy } of NOT_SHOWN) {
      for (const number of named) assert.ok(decisions.has(number), `${what}: ${number}`);
      if (filledBy === '') assert.deepEqual(named, [], what);
      const row = cells.find((each) => each[2] === what);
      assert.deepEqual(row?.slice(3, 5), [filledBy || 'not yet', named.join(', ')], what);
    }
    assert.equal(NOT_SHOWN.length, 32);
  });
});
