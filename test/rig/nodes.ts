import { systemClock } from '../../src/base/clock.ts';
import { type Node, type NodeDeps, type RemovedNodes, RunningNode } from '../../src/features/platform/node.ts';
import type { World } from './world.ts';

/** Another node than that of a world, for job runners that stand for it. */
export const anotherNode = (id = 'another node'): Node => ({ id, ensureAlive: async () => {} });

/** A node, and what it reported. */
export interface ReportingNode extends RunningNode {
  readonly cleanedUp: RemovedNodes[];
  readonly fellSilent: Promise<void>;
  readonly wasRemoved: Promise<void>;
  readonly skews: number[];
  readonly wrong: boolean[];
  readonly otherRedis: boolean[];
}

/** A node of its own on the database of a world. */
export function reportingNode(world: World, id: string, deps: Partial<NodeDeps> = {}): ReportingNode {
  const [silent, removed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const reports = {
    cleanedUp: [] as RemovedNodes[],
    skews: [] as number[],
    wrong: [] as boolean[],
    otherRedis: [] as boolean[],
  };
  const node = new RunningNode({
    ...{
      id,
      hostname: 'somewhere',
      version: '9.9.9',
      process: '',
      master_keys: '',
      roles: 'api,stream,worker,search',
      schema_level: '',
      store: world.service.store,
      clock: world.clock,
    },
    ...{ machineClock: systemClock, hasPeers: true, skewMax_ms: 3_600_000 },
    observer: {
      cleanedUp: (remains) => void reports.cleanedUp.push(remains),
      fellSilent: silent.resolve,
      wasRemoved: removed.resolve,
      clockSkewed(skew_s, isWrong) {
        reports.skews.push(skew_s);
        reports.wrong.push(isWrong);
      },
      redisDiffers: (isOther) => void reports.otherRedis.push(isOther),
      failed() {},
    },
    ...deps,
  });
  return Object.assign(node, { ...reports, fellSilent: silent.promise, wasRemoved: removed.promise });
}
