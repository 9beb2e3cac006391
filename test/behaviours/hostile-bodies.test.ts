// On either database: what is nested too deep, and batches of which nothing is right, are refused without it.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { DEEP_JSON, HOSTILE_JSON } from '../rig/hostile-values.ts';
import { openWorld, type World } from '../rig/world.ts';
import { checkEverywhere, sendJson, takingJson } from './hostile-calls.ts';
import { accountOperations, goodCall, openTestAccount, type TestAccount } from './test-account.ts';

let world: World;
let setup: TestAccount;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  setup = await openTestAccount(world);
});
after(() => world.close());

describe('values that are nested too deep never cause an internal error', () => {
  for (const operation of takingJson) test(operation.id, () => checkEverywhere(setup, operation, DEEP_JSON));
});

describe('batches of values that no client should send are refused', () => {
  for (const operation of accountOperations.filter((each) => each.shape === 'batch')) {
    test(operation.id, async () => {
      const { method, path } = await goodCall(setup, operation);
      for (const [what, json] of HOSTILE_JSON) {
        const bodies = [
          json,
          `[${json}]`,
          `[{"operation_type":${json},"params":{}}]`,
          `[{"operation_type":"Create","params":${json}}]`,
          `[{"operation_type":"Create","params":{"name":${json},"__proto__":${json}}}]`,
        ];
        for (const body of bodies) {
          const reply = await sendJson(world, method, path, body);
          assert.equal(reply.status, 400, `${what}: ${body.slice(0, 60)}`);
        }
      }
    });
  }
});
