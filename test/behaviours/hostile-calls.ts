import assert from 'node:assert/strict';
import { request } from 'undici';
import type { Operation } from '../../src/contract/declare/operation.ts';
import { sign } from '../../src/features/auth/oauth1/signature.ts';
import { protocol, type Reply, readRequested } from '../rig/client.ts';
import type { HOSTILE_JSON } from '../rig/hostile-values.ts';
import { sampler } from '../rig/sampling.ts';
import type { World } from '../rig/world.ts';
import { accountOperations, goodCall, type TestAccount } from './test-account.ts';

/** Operations whose parameters may come as a JSON body. */
export const takingJson: readonly Operation[] = accountOperations.filter(
  (each) => (each.method === 'POST' || each.method === 'PUT') && Object.keys(each.parameters).length > 0,
);

/** Sends a JSON body as it stands: it is no part of what is signed. */
export async function sendJson(world: World, method: string, path: string, body: string): Promise<Reply> {
  const url = world.service.sandboxUrl + path;
  const { header } = sign({
    method,
    url,
    form: undefined,
    oauth: protocol(world.keys, world.clock),
    consumerSecret: world.keys.consumer_secret,
    tokenSecret: world.keys.access_token_secret,
  });
  const headers = { authorization: header, 'content-type': 'application/json' };
  return readRequested(url, await request(url, { method: method as 'POST' | 'PUT', headers, body }));
}

const isTried = sampler();

/** Sends each value for each parameter of an operation, and as the whole body; none may cause an internal error. */
export async function checkEverywhere(
  setup: TestAccount,
  operation: Operation,
  values: typeof HOSTILE_JSON,
): Promise<void> {
  const { method, path } = await goodCall(setup, operation);
  for (const [what, json] of values) {
    for (const [name, { kind }] of Object.entries(operation.parameters)) {
      if (!isTried(`${operation.body} ${kind.name} ${what}`, `${operation.id} ${name} ${what}`)) continue;
      const reply = await sendJson(setup.world, method, path, `{${JSON.stringify(name)}:${json}}`);
      assert.ok(reply.status < 500, `${name}: ${what} gave ${reply.status}`);
    }
    if (!isTried(`${operation.body} ${what}`, `${operation.id} ${what}`)) continue;
    const whole = await sendJson(setup.world, method, path, json);
    assert.ok(whole.status < 500, `${what} as the whole body gave ${whole.status}`);
  }
}
