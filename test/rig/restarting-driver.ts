import type { Driver } from '../../src/storage/core/driver.ts';
import type { Session } from '../../src/storage/core/session.ts';
import { UnitRestarted } from '../../src/storage/core/unit-restarted.ts';

type Work<T> = (session: Session) => Promise<T>;

/**
 * A driver that starts units of work again wherever PostgreSQL may: each read at its second statement, as when it was
 * wrongly expected to have only one, and with `writes` each write when it has ended, as after a deadlock. Effects of a
 * unit outside the database then happen twice.
 */
export function restartingDriver(driver: Driver, restarts: 'reads' | 'reads and writes'): Driver {
  const twice = async <T>(write: Driver['write'], work: Work<T>): Promise<T> => {
    const restart = new UnitRestarted();
    const first = write(async (session) => {
      await work(session);
      throw restart;
    });
    await first.catch((error: unknown) => {
      if (error !== restart) throw error;
    });
    return write(work);
  };
  const { write, writeTogether, writeUrgent } = driver;
  return {
    ...driver,
    read: (work) => driver.read((session) => restartedRead(session, work)),
    ...(restarts === 'reads and writes' && {
      write: (work) => twice(write, work),
      ...(writeTogether && { writeTogether: (kind, work) => twice((unit) => writeTogether(kind, unit), work) }),
      ...(writeUrgent && { writeUrgent: (work) => twice(writeUrgent, work) }),
    }),
  };
}

async function restartedRead<T>(session: Session, work: Work<T>): Promise<T> {
  let statements = 0;
  const once = <A extends unknown[], R>(run: (...args: A) => Promise<R>): ((...args: A) => Promise<R>) => {
    return async (...args) => {
      statements += 1;
      if (statements > 1) throw new UnitRestarted();
      return run(...args);
    };
  };
  const first = {
    dialect: session.dialect,
    ...{ all: once(session.all), first: once(session.first), run: once(session.run) },
    ...{ allRaw: once(session.allRaw), runRaw: once(session.runRaw) },
  } as Session;
  try {
    const value = await work(first);
    if (statements < 2) return value;
  } catch (error) {
    if (statements < 2) throw error;
  }
  return work(session);
}
