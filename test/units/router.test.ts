import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRouter } from '../../src/http/routes.ts';

const find = createRouter([
  '/12/accounts',
  '/12/accounts/:account_id',
  '/12/accounts/:account_id/cards/:id',
  '/12/accounts/all',
]);

test('literal segments win over parameters, whose values are decoded', () => {
  assert.equal(find('/12/accounts/all')?.path, '/12/accounts/all');
  const found = find('/12/accounts/a%62%2Fc/cards/%C3%A9?account_id=other');
  assert.equal(found?.path, '/12/accounts/:account_id/cards/:id');
  assert.deepEqual({ ...found.params }, { account_id: 'ab/c', id: 'é' });
});

test('a trailing slash, a query and an authority change nothing', () => {
  for (const target of ['/12/accounts/', '/12/accounts?x=%zz', 'http://ads.example/12/accounts']) {
    assert.equal(find(target)?.path, '/12/accounts', target);
  }
});

test('no route matches an unknown path, a malformed escape or a value that is too long', () => {
  const long = (length: number): string => `/12/accounts/${'a'.repeat(length)}`;
  for (const target of ['/12', '/12/accounts/%zz', '/12/accounts/%C3', '*', '', long(16_385)]) {
    assert.equal(find(target), undefined, target.slice(0, 40));
  }
  assert.equal(find(long(16_384))?.path, '/12/accounts/:account_id');
});
