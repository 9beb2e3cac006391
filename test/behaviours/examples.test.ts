// On either database: both are asked the same, and what they store is held against each other elsewhere.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { exampleReply } from '../../build/openapi/examples.ts';
import { operations } from '../../src/app/dependencies.ts';
import { listPlacements } from '../../src/features/ads/line-items/placements.ts';
import { referenceOperations } from '../../src/features/ads/reference/reference-lookups.ts';
import { targetingLookups } from '../../src/features/ads/reference/targeting-lookups.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';
import { fill } from './test-account.ts';

let world: World;
let account: string;
before(async () => {
  world = await openWorld();
  ({ account } = await openAccount(world.sandbox));
});
after(() => world.close());

describe('an example in the description', () => {
  for (const operation of operations.filter(({ example }) => example)) {
    test(`${operation.id}: the service answers the same`, async () => {
      const all = { ...operation.example!.params, ...(operation.roles ? { account_id: account } : {}) };
      const params = Object.fromEntries(Object.entries(all).filter(([name]) => name in operation.parameters));
      const reply = await world.sandbox.call(operation.method, fill(operation.path, all), { params });
      assert.equal(reply.status, 200, reply.text);
      const shown = JSON.stringify(exampleReply(operation)).replaceAll('"gq4k2m"', JSON.stringify(account));
      assert.equal(reply.text, shown);
    });
  }

  test('every look-up has one, and each but publishers finds something', () => {
    const lookups = [...referenceOperations, ...targetingLookups, listPlacements];
    for (const operation of lookups) {
      const { data } = exampleReply(operation) as { data: object };
      assert.equal(Object.keys(data).length > 0, operation.id !== 'publishers.list', operation.id);
    }
  });
});
