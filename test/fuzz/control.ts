import type { World } from '../rig/world.ts';
import { bytesOf, type Call } from './call.ts';
import type { Kind } from './setting.ts';

/** An account that no case knows, and what is right to be answered about it. */
export interface ControlGround {
  readonly account: string;
}

/** Makes the account that is asked about. */
export async function openControl(world: World): Promise<ControlGround> {
  const made = await world.sandbox.call('POST', '/12/accounts');
  return { account: made.body.data[0].id };
}

/** Calls whose answer is known whatever else happens: who may see something sees it, and nobody else does. */
export function controlCalls({ account }: ControlGround): Kind {
  return async (_, { world }, sending) => {
    const { keys } = world;
    const other = {
      ...keys,
      access_token: keys.other_access_token!,
      access_token_secret: keys.other_access_token_secret!,
    };
    const path = `/12/accounts/${account}`;
    const ask = async (only: number, changes: Partial<Call>): Promise<void> => {
      const origin = changes.origin ?? world.service.sandboxUrl;
      const call: Call = {
        origin,
        method: 'GET',
        path,
        query: [],
        form: undefined,
        body: undefined,
        headers: [],
        keys,
        ...changes,
      };
      await sending.send(origin, bytesOf(call), { method: call.method, target: call.path, only: [only] });
    };
    await ask(200, {});
    await ask(403, { keys: other });
    await ask(401, { keys: undefined });
    await ask(401, { keys: { ...keys, access_token_secret: 'wrong' } });
    await ask(403, { origin: world.service.url });
    await ask(403, { keys: other, method: 'PUT', form: [['name', 'Taken']] });
  };
}
