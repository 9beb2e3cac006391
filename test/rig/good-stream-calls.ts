import { formatInstant } from '../../src/base/instants.ts';
import { withBearer } from './good-activity-calls.ts';
import type { Good } from './good-calls.ts';
import { register } from './people.ts';
import type { World } from './world.ts';

/** Good calls about streams, by operation. The stream is one of the past, so that it ends. */
export const goodStreamCalls: Readonly<Record<string, (world: World) => Promise<Good>>> = {
  'activity.stream': async (world) => {
    const at = (seconds: number): string => formatInstant(world.clock.now() + seconds * 1000);
    const query = `?${new URLSearchParams({ start_time: at(-60), end_time: at(-30) })}`;
    return { query, ...(await withBearer(world, await register(world))) };
  },
  'connections.list': async (world) => withBearer(world, await register(world)),
  'connections.close': async (world) => {
    const uuids = ['6f1c5a0e-9f0b-4c39-8d0e-1f2a3b4c5d6e'];
    return withBearer(world, await register(world), { uuids });
  },
  'connections.close_all': async (world) => withBearer(world, await register(world)),
  'connections.close_endpoint': async (world) => {
    return { target: '/2/connections/activity_stream', ...(await withBearer(world, await register(world))) };
  },
};
