import type { Settings } from '../../settings.ts';
import type { Driver } from '../../storage/core/driver.ts';
import type { ReadTransaction } from '../../storage/unit-of-work.ts';

/** PostgreSQL's error code undefined_table. */
const UNDEFINED_TABLE = '42P01';

/** Runs a test on a database; false if the tables do not exist. */
export async function findsIn(driver: Driver, look: (tx: ReadTransaction) => Promise<boolean>): Promise<boolean> {
  const { storeOn } = await import('../../storage/core/store.ts');
  return storeOn(driver)
    .read(look)
    .catch((error: { code?: string; message: string }) => {
      if (error.code === UNDEFINED_TABLE || /^no such table/.test(error.message)) return false;
      throw error;
    });
}

/** Tests for a demo world or for users. */
export async function holdsAny(tx: ReadTransaction): Promise<boolean> {
  return (await tx.credentials.findDemo()) !== undefined || (await holdsOthers(tx));
}

/** Tests for users without a demo world. */
export async function holdsOthers(tx: ReadTransaction): Promise<boolean> {
  const { FIRST_USER_ID: FIRST_USER } = await import('../../features/platform/registration.ts');
  return !(await tx.credentials.findDemo()) && (await tx.credentials.findUser(FIRST_USER)) !== undefined;
}

/** Tests that a database has neither a demo world nor users. */
export async function isEmptyDatabase(settings: Settings): Promise<boolean> {
  const { openDriver } = await import('../../app/database.ts');
  const driver = await openDriver(settings);
  try {
    return !(await findsIn(driver, holdsAny));
  } finally {
    await driver.close();
  }
}
