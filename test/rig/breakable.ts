import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { StoreUnavailable } from '../../src/contract/store-unavailable.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import { openSqlite } from '../../src/storage/sqlite.ts';
import type { Driver } from '../../src/storage/store.ts';
import { openPlace, type Place } from './databases.ts';
import { openWorld, type World } from './world.ts';

/** A world whose database can be made to fail. */
export interface BreakableWorld extends World {
  /** What the service remembers is forgotten, and every statement fails until the work is done. */
  whileBroken<T>(work: () => Promise<T>): Promise<T>;
  /** The same with a database that cannot be reached at all. */
  whileUnreachable<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * Starts a world that is told late what was stored: between a commit and its acknowledgment, up to so many milliseconds
 * later, everybody else sees what was committed already.
 */
export async function openLateWorld(flags: Record<string, unknown>, late_ms: number): Promise<World> {
  const place = await openPlace(undefined, { isHasty: true });
  const reached = reach(place);
  let units = 0;
  const driver: Driver = {
    ...reached,
    async write(work) {
      const value = await reached.write(work);
      units += 1;
      // Every third unit is told at once, so that late ones are overtaken.
      if (units % 3 !== 0) await setTimeout((units * 7919) % late_ms);
      return value;
    },
  };
  const world = await openWorld({ seams: { driver }, flags });
  return {
    ...world,
    async close() {
      await world.close();
      await place.remove();
    },
  };
}

function reach(place: Place, probe?: () => void): Driver {
  return place.databaseUrl === ''
    ? openSqlite({ file: join(place.folder, 'breakable.db'), ...(probe && { probe }) })
    : openPostgres({ url: place.databaseUrl, connectionsMax: 10, ...(probe && { probe }) });
}

/** Starts a world on a database that can be made to fail. */
export async function openBreakableWorld(flags: Record<string, unknown>): Promise<BreakableWorld> {
  let isBroken = false;
  const probe = (): void => {
    if (isBroken) throw new Error('the disk of rack 7 is on fire');
  };
  const place = await openPlace(undefined, { isHasty: true });
  const reached = reach(place, probe);
  let isAway = false;
  const gone = async (): Promise<never> => {
    throw new StoreUnavailable(new Error('connect ECONNREFUSED 10.0.0.7:5432'), { isOutage: true });
  };
  const driver: Driver = {
    ...reached,
    read: (work) => (isAway ? gone() : reached.read(work)),
    write: (work) => (isAway ? gone() : reached.write(work)),
  };
  const world = await openWorld({ seams: { driver }, flags });
  return {
    ...world,
    async whileUnreachable(work) {
      world.service.store.forget();
      isAway = true;
      try {
        return await work();
      } finally {
        isAway = false;
      }
    },
    async whileBroken(work) {
      world.service.store.forget();
      isBroken = true;
      try {
        return await work();
      } finally {
        isBroken = false;
      }
    },
    async close() {
      await world.close();
      await place.remove();
    },
  };
}
