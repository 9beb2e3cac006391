import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { operations } from '../../src/app/dependencies.ts';
import { goodCalls } from '../rig/good-calls.ts';
import { rawCall } from '../rig/raw.ts';
import { sampler } from '../rig/sampling.ts';
import { openWorld, type World } from '../rig/world.ts';
import { fill, openTestAccount, type TestAccount } from './test-account.ts';

let world: World;
let setup: TestAccount;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  setup = await openTestAccount(world);
});
after(() => world.close());

/** What a segment of a path may hold and no id does; some of it is no text that every database takes. */
const SEGMENTS = ['%00', 'a%00b', '%01', '%EF%BF%BF', '__proto__', '%20', `${'9'.repeat(300)}`];

const isTried = sampler();

describe('no segment of a path causes an internal error', () => {
  for (const operation of operations.filter(({ path }) => path.includes(':'))) {
    test(operation.id, async () => {
      const { query = '', target: _, ...good } = (await goodCalls[operation.id]?.(world, world.keys)) ?? {};
      const names = [...operation.path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
      for (const name of names) {
        for (const segment of SEGMENTS) {
          if (!isTried(`${operation.method} ${name} ${segment}`, `${operation.id} ${name} ${segment}`)) continue;
          const filled = { account_id: setup.account, [name]: '@' };
          const target = fill(operation.path, filled).replace('%40', segment) + query;
          const call = { method: operation.method, target, keys: world.keys, ...good };
          const { status } = await rawCall(world.service.sandboxUrl, world.clock, call);
          assert.ok(status >= 400 && status < 500, `${segment} as ${name} gave ${status}`);
        }
      }
    });
  }
});
