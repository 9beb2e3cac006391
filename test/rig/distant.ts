import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { seededRandom } from '../../src/base/random.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import { openSqlite } from '../../src/storage/sqlite.ts';
import type { Driver } from '../../src/storage/store.ts';
import { openPlace } from './databases.ts';
import { openWorld, type World } from './world.ts';

/** Most answers take a moment, in milliseconds; some take long. */
const USUAL_MS = 4;
const LONG_MS = 30;
const LONG_ONE_IN = 10;

/**
 * Starts a world whose database is far away: what is read is already old when it comes, and answers overtake each other.
 */
export async function openDistantWorld(flags: Record<string, unknown>): Promise<World> {
  const place = await openPlace(undefined, { hasSchema: true, isHasty: true });
  const reached =
    place.databaseUrl === ''
      ? openSqlite({ file: join(place.folder, 'barker.db') })
      : openPostgres({ url: place.databaseUrl, connectionsMax: 10 });
  const random = seededRandom(8, 'distance');
  const below = (max: number): number => random.bytes(4).readUInt32BE() % max;
  const driver: Driver = {
    ...reached,
    async read(work) {
      const answer = await reached.read(work);
      await wait(below(LONG_ONE_IN) === 0 ? LONG_MS : below(USUAL_MS));
      return answer;
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
