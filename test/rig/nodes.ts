import type { Node } from '../../src/features/platform/node.ts';

/** Another node than that of a world, for job runners that stand for it. */
export const anotherNode = (id = 'another node'): Node => ({ id, ensureAlive: async () => {} });
