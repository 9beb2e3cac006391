import { StoreUnavailable } from '../../src/contract/problems/store-unavailable.ts';
import { openWorldOver, type World } from './world.ts';

/** A world whose database can be made to fail. */
export interface BreakableWorld extends World {
  /** What the service remembers is forgotten, and every statement fails until the work is done. */
  whileBroken<T>(work: () => Promise<T>): Promise<T>;
  /** The same with a database that cannot be reached at all. */
  whileUnreachable<T>(work: () => Promise<T>): Promise<T>;
}

/** Starts a world on a database that can be made to fail. */
export async function openBreakableWorld(flags: Record<string, unknown>): Promise<BreakableWorld> {
  let state: 'well' | 'broken' | 'unreachable' = 'well';
  const probe = (): void => {
    if (state === 'broken') throw new Error('the disk of rack 7 is on fire');
  };
  const gone = async (): Promise<never> => {
    throw new StoreUnavailable(new Error('connect ECONNREFUSED 10.0.0.7:5432'), { isOutage: true });
  };
  const world = await openWorldOver(
    (driver) => ({
      ...driver,
      read: (work) => (state === 'unreachable' ? gone() : driver.read(work)),
      write: (work) => (state === 'unreachable' ? gone() : driver.write(work)),
      writeTogether: (kind, work) => {
        if (state === 'unreachable') return gone();
        return driver.writeTogether ? driver.writeTogether(kind, work) : driver.write(work);
      },
      writeUrgent: (work) => (state === 'unreachable' ? gone() : (driver.writeUrgent ?? driver.write)(work)),
    }),
    { probe, flags },
  );
  const during =
    (meanwhile: typeof state) =>
    async <T>(work: () => Promise<T>): Promise<T> => {
      world.service.store.clearCaches();
      state = meanwhile;
      try {
        return await work();
      } finally {
        state = 'well';
      }
    };
  return { ...world, whileBroken: during('broken'), whileUnreachable: during('unreachable') };
}
