import type { Settings } from '../../settings.ts';
import type { Driver } from '../../storage/core/driver.ts';
import type { ReadTransaction } from '../../storage/unit-of-work.ts';

/** PostgreSQL's error code undefined_table. */
const UNDEFINED_TABLE = '42P01';

/** Whether a database has some rows; false when it has no tables. */
export async function findsIn(driver: Driver, look: (tx: ReadTransaction) => Promise<boolean>): Promise<boolean> {
  const { storeOn } = await import('../../storage/core/store.ts');
  // Missing tables have no rows.
  return storeOn(driver)
    .read(look)
    .catch((error: { code?: string; message: string }) => {
      if (error.code === UNDEFINED_TABLE || /^no such table/.test(error.message)) return false;
      throw error;
    });
}

/** Whether there is a demo world, or there are users. */
export async function holdsAny(tx: ReadTransaction): Promise<boolean> {
  return (await tx.credentials.findDemo()) !== undefined || (await holdsOthers(tx));
}

/** Whether there are users although there is no demo world. */
export async function holdsOthers(tx: ReadTransaction): Promise<boolean> {
  const { FIRST_USER_ID: FIRST_USER } = await import('../../features/platform/registration.ts');
  return !(await tx.credentials.findDemo()) && (await tx.credentials.findUser(FIRST_USER)) !== undefined;
}

/** Whether a database has neither. */
export async function isEmptyDatabase(settings: Settings): Promise<boolean> {
  const { openDriver } = await import('../../app/database.ts');
  const driver = await openDriver(settings);
  try {
    return !(await findsIn(driver, holdsAny));
  } finally {
    await driver.close();
  }
}
