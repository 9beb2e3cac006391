import { after, before, describe, test } from 'node:test';
import { FLAT_JSON } from '../rig/hostile-values.ts';
import { openWorld, type World } from '../rig/world.ts';
import { checkEverywhere, takingJson } from './hostile-calls.ts';
import { openTestAccount, type TestAccount } from './test-account.ts';

let world: World;
let setup: TestAccount;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  setup = await openTestAccount(world);
});
after(() => world.close());

describe('values that no client should send are refused or accepted, never an internal error', () => {
  for (const operation of takingJson) test(operation.id, () => checkEverywhere(setup, operation, FLAT_JSON));
});
