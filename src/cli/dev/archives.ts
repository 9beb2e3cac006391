import { openDriver, secretBoxOf } from '../../app/database.ts';
import { openObjects } from '../../app/objects.ts';
import { openSnapshots } from '../../backup/snapshots/snapshots.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import { type SnapshotNotes, type Snapshots, SnapshotUnreadable } from '../../contract/services/snapshots.ts';
import { writeClockState } from '../../dev/clock/clock-file.ts';
import { writeKeys } from '../../dev/dev-folder.ts';
import { RESETS } from '../../dev/snapshots/snapshot-tool.ts';
import type { Settings } from '../../settings.ts';
import type { Driver } from '../../storage/core/driver.ts';
import { programVersion } from '../../version.ts';
import { CommandFailed } from '../failure.ts';
import { configuredKeys } from '../keys/key-usage.ts';
import { clockStateOf } from './start-clock.ts';

/** The name of the snapshot that is exported at the end. */
const EXIT = '.exit';

/**
 * Fills an empty data folder from the archive of a snapshot, to which resets go back; returns what was noted with it.
 * `refuse` throws when the database is not empty.
 * @throws CommandFailed
 */
export async function beginFrom(
  settings: Settings,
  file: string,
  { refuse, wallClock }: { readonly refuse: (driver: Driver) => Promise<void>; readonly wallClock: Clock },
): Promise<SnapshotNotes> {
  return withSnapshots(settings, async (snapshots, driver) => {
    await refuse(driver);
    const begun = await snapshots.importFrom(file, RESETS.seed).catch((error) => {
      if (error instanceof SnapshotUnreadable) throw new CommandFailed(`${file}: ${error.message}`);
      throw error;
    });
    await snapshots.restore(begun);
    writeClockState(settings.data_folder, clockStateOf(begun.notes, wallClock));
    writeKeys(settings.data_folder, begun.notes.keys);
    return begun.notes;
  });
}

/** Writes the contents of a data folder that no server uses to the archive of a snapshot. @throws CommandFailed */
export async function exportContents(settings: Settings, file: string, notes: SnapshotNotes): Promise<void> {
  await withSnapshots(settings, async (snapshots) => {
    await snapshots.exportTo({ ...(await snapshots.take(EXIT, notes)), name: 'exit' }, file);
    await snapshots.remove(EXIT);
  });
}

async function withSnapshots<T>(
  settings: Settings,
  work: (snapshots: Snapshots, driver: Driver) => Promise<T>,
): Promise<T> {
  const objects = await openObjects(settings, { lost: () => {}, back: () => {} });
  const driver = await openDriver(settings);
  let release = async (): Promise<void> => {};
  try {
    release = await driver.acquireServerLock({ isShared: false });
    if (!driver.copyTo || objects.folder === undefined) {
      throw new CommandFailed(
        'snapshots need SQLite and a folder for objects; leave out the database URL and the bucket',
      );
    }
    const snapshots = openSnapshots({
      driver,
      objects: objects.store,
      dataFolder: settings.data_folder,
      box: secretBoxOf(settings),
      keys: configuredKeys(settings),
      release: programVersion,
      machineClock: systemClock,
    });
    return await work(snapshots, driver);
  } finally {
    await driver.close();
    await release();
    objects.close();
  }
}
