import { fillDemo } from '../../src/cli/dev/start-world.ts';
import type { DemoKeys } from '../../src/dev/demo-world.ts';
import type { Person } from './browser.ts';
import type { World } from './world.ts';

/** The user of a world whose keys it has, as somebody who can log in. */
export function ownerOf({ keys }: Pick<World, 'keys'>): Person {
  return { id: keys.user_id!, name: keys.username!, password: keys.password! };
}

/** Fills a world with the contents of the demo, and returns the id of its account in production. */
export async function demoAccount({ service, keys, production }: World): Promise<string> {
  await fillDemo(service, keys as unknown as DemoKeys, service.services.clock.now());
  return (await production.call('GET', '/12/accounts')).body.data[0].id;
}
