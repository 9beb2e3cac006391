import { formatInstant } from '../../src/base/instants.ts';
import type { LoggedEvent, NewEvent } from '../../src/contract/store/events.ts';
import type { Store } from '../../src/storage/unit-of-work.ts';
import { bearerOf } from './application.ts';
import type { Keys, Reply } from './client.ts';
import { rawCall } from './raw.ts';
import type { World } from './world.ts';

/** Calls with the bearer token of an application. */
export interface BearerClient {
  readonly bearer: string;
  call(method: string, target: string, json?: unknown): Promise<Reply>;
}

/** A client that speaks for an application. */
export async function bearerClient(world: World, keys: Keys): Promise<BearerClient> {
  const bearer = await bearerOf(world, keys);
  return {
    bearer,
    call(method, target, json) {
      const type: Record<string, string> = json === undefined ? {} : { 'content-type': 'application/json' };
      return rawCall(world.service.sandboxUrl, world.clock, {
        method,
        target,
        headers: { authorization: `Bearer ${bearer}`, ...type },
        ...(json !== undefined && { body: JSON.stringify(json) }),
      });
    },
  };
}

/** Writes changes of a profile to the log: one unit of work each, or all in one. */
export async function changeBio(
  { service, clock }: Pick<World, 'service' | 'clock'>,
  user_id: string,
  texts: readonly string[],
): Promise<number[]> {
  const events = texts.map((after): NewEvent => {
    const payload = JSON.stringify({ before: '', after });
    return { event_type: 'profile.update.bio', user_id, direction: null, text: after, payload };
  });
  return service.store.write((tx) => tx.events.appendInPlace(events, formatInstant(clock.now())));
}

/** The log after a position, with everything that was acknowledged. */
export function logAfter({ store }: { readonly store: Store }, after: number): Promise<LoggedEvent[]> {
  return store.write(async (tx) => {
    await tx.events.assignPositions();
    return tx.events.list({ after, limit: 100_000 });
  });
}
