import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Operation } from '../../src/contract/declare/operation.ts';
import { sign } from '../../src/features/auth/oauth1/signature.ts';
import { protocol, type Reply, read } from '../rig/client.ts';
import { HOSTILE_JSON } from '../rig/hostile-values.ts';
import { openWorld, type World } from '../rig/world.ts';
import { accountOperations, goodCall, openTestAccount, type TestAccount } from './test-account.ts';

let world: World;
let setup: TestAccount;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  setup = await openTestAccount(world);
});
after(() => world.close());

/** Sends a JSON body as it stands: it is no part of what is signed. */
async function sendJson(method: string, path: string, body: string): Promise<Reply> {
  const url = world.service.sandboxUrl + path;
  const { header } = sign({
    method,
    url,
    form: undefined,
    oauth: protocol(world.keys, world.clock),
    consumerSecret: world.keys.consumer_secret,
    tokenSecret: world.keys.access_token_secret,
  });
  return read(
    await fetch(url, { method, headers: { authorization: header, 'content-type': 'application/json' }, body }),
  );
}

const takingJson: readonly Operation[] = accountOperations.filter(
  (each) => (each.method === 'POST' || each.method === 'PUT') && Object.keys(each.parameters).length > 0,
);

describe('values that no client should send are refused or accepted, never an internal error', () => {
  for (const operation of takingJson) {
    test(operation.id, async () => {
      const { method, path } = await goodCall(setup, operation);
      for (const [what, json] of HOSTILE_JSON) {
        for (const name of Object.keys(operation.parameters)) {
          const reply = await sendJson(method, path, `{${JSON.stringify(name)}:${json}}`);
          assert.ok(reply.status < 500, `${name}: ${what} gave ${reply.status}`);
        }
        const whole = await sendJson(method, path, json);
        assert.ok(whole.status < 500, `${what} as the whole body gave ${whole.status}`);
      }
    });
  }

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
          const reply = await sendJson(method, path, body);
          assert.equal(reply.status, 400, `${what}: ${body.slice(0, 60)}`);
        }
      }
    });
  }
});
