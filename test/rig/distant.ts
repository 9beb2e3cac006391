import { setTimeout as wait } from 'node:timers/promises';
import { seededRandom } from '../../src/base/random.ts';
import { openWorldOver, type World } from './world.ts';

/** Most answers take a moment, in milliseconds; some take long. */
const USUAL_MS = 4;
const LONG_MS = 30;
const LONG_ONE_IN = 10;

/**
 * Starts a world whose database is far away: what is read is already old when it comes, and answers overtake each other.
 */
export function openDistantWorld(flags: Record<string, unknown>): Promise<World> {
  const random = seededRandom(8, 'distance');
  const below = (max: number): number => random.bytes(4).readUInt32BE() % max;
  return openWorldOver(
    (driver) => ({
      ...driver,
      async read(work) {
        const answer = await driver.read(work);
        await wait(below(LONG_ONE_IN) === 0 ? LONG_MS : below(USUAL_MS));
        return answer;
      },
    }),
    { flags },
  );
}

/**
 * Starts a world that is told late what was stored: between a commit and its acknowledgment, up to so many milliseconds
 * later, everybody else sees what was committed already.
 */
export function openLateWorld(flags: Record<string, unknown>, late_ms: number): Promise<World> {
  let units = 0;
  const late = async <T>(written: Promise<T>): Promise<T> => {
    const value = await written;
    units += 1;
    // Every third unit is told at once, so that late ones are overtaken.
    if (units % 3 !== 0) await wait((units * 7919) % late_ms);
    return value;
  };
  return openWorldOver(
    (driver) => ({
      ...driver,
      write: (work) => late(driver.write(work)),
      ...(driver.writeTogether && { writeTogether: (kind, work) => late(driver.writeTogether!(kind, work)) }),
    }),
    { flags },
  );
}
