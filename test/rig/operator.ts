import type { Service } from '../../src/app/server.ts';
import { formatInstant } from '../../src/base/instants.ts';
import { addOperatorLink } from '../../src/features/platform/operator-links.ts';

/** The secret of a new link that signs somebody in to the operator console. */
export function operatorToken({ store, random, wallClock }: Service, name: string): Promise<string> {
  const wallNow = formatInstant(wallClock.now());
  return store.write((tx) => addOperatorLink(tx, name, { random, wallNow }));
}
