import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openDriver, secretBoxOf } from '../../app/database.ts';
import type { Dependencies } from '../../app/dependencies.ts';
import { openObjects } from '../../app/objects.ts';
import type { Service } from '../../app/server.ts';
import { openSnapshots, snapshotsFolder } from '../../backup/snapshots/snapshots.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import { formatInstant } from '../../base/instants.ts';
import { type Random, type RepeatableRandom, secureRandom } from '../../base/random.ts';
import { type SnapshotNotes, type Snapshots, SnapshotUnreadable } from '../../contract/services/snapshots.ts';
import { readClockState, writeClockState } from '../../dev/clock/clock-file.ts';
import type { MovableClock } from '../../dev/clock/movable-clock.ts';
import { createDemoWorld } from '../../dev/demo-world.ts';
import { readKeys, writeKeys } from '../../dev/dev-folder.ts';
import { RESETS, type SnapshotSubject } from '../../dev/snapshots/snapshot-tool.ts';
import { blockIds } from '../../features/platform/ids.ts';
import { configuredKeys } from '../../settings/master-keys.ts';
import type { Settings } from '../../settings.ts';
import type { Driver } from '../../storage/core/driver.ts';
import { migrate } from '../../storage/core/migrate.ts';
import { openSqlite } from '../../storage/core/sqlite.ts';
import { storeOn } from '../../storage/core/store.ts';
import { programVersion } from '../../version.ts';
import { CommandFailed } from '../failure.ts';
import type { DevFileKeeper } from './dev-file.ts';
import { clockStateOf } from './start-clock.ts';

/** The snapshots of a development server; undefined on PostgreSQL or with an external object store. */
export function snapshotsOf({
  driver,
  objects,
  settings,
}: Pick<Dependencies, 'driver' | 'objects' | 'settings'>): Snapshots | undefined {
  if (!driver.copyTo || objects.folder === undefined) return undefined;
  return openSnapshots({
    driver,
    box: secretBoxOf(settings),
    machineClock: systemClock,
    objects: objects.store,
    dataFolder: settings.data_folder,
    keys: configuredKeys(settings),
    release: programVersion,
  });
}

/** The notes for a snapshot of a data folder. */
export function notesOf({ data_folder }: Pick<Settings, 'data_folder'>, clock: Clock, random: Random): SnapshotNotes {
  const mark = random.bytes(8).toString('hex');
  const clock_state = readClockState(data_folder);
  return { clock: formatInstant(clock.now()), clock_state, mark, keys: { ...readKeys(data_folder) } };
}

/** The development server as the subject of snapshots. */
export function snapshotSubject(
  parts: Dependencies,
  own: {
    readonly random: RepeatableRandom;
    readonly clock: MovableClock;
    readonly service: () => Service;
    readonly devFile: DevFileKeeper;
  },
): SnapshotSubject {
  const { random, clock, service, devFile } = own;
  const { ids, services, settings, wallClock } = parts;
  const folder = settings.data_folder;
  return {
    snapshots: snapshotsOf(parts),
    notes: () => notesOf(settings, clock, random),
    continueFrom(mark) {
      ids.forget();
      random.restart(mark);
    },
    endStreams: () => services.activity.streams.endAll(),
    standstill: (work) => service().standstill(work),
    async adopt(notes) {
      clock.turnBack(clockStateOf(notes, wallClock));
      await devFile.adopt(notes.keys);
    },
    async fillEmpty(file, { notes }) {
      const driver = openSqlite({ file });
      try {
        await migrate(driver, notes.clock);
        const store = storeOn(driver);
        const then = { now: () => Date.parse(notes.clock) };
        const own = { store, clock: then, ids: blockIds(store, random, { isShared: false }) };
        if (notes.keys.world === undefined) await createDemoWorld({ ...parts, services: own }, { isEmpty: true });
        else {
          const { beginFromCopy } = await import('./start-world.ts');
          await beginFromCopy({ ...parts, services: own }, settings);
        }
      } finally {
        await driver.close();
      }
    },
    draftPath() {
      const home = snapshotsFolder(folder);
      mkdirSync(home, { recursive: true, mode: 0o700 });
      return join(home, `archive-${secureRandom.bytes(8).toString('hex')}.tar`);
    },
  };
}

/** Name of the snapshot for the export at exit. */
const EXIT = '.exit';

/**
 * Fills an empty data folder from the archive of a snapshot, which resets restore, and returns the notes of the snapshot.
 * `refuse` throws if the database is not empty.
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

/** Writes the contents of an unused data folder to the archive of a snapshot. @throws CommandFailed */
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
    const snapshots = snapshotsOf({ driver, objects, settings });
    if (!snapshots) {
      throw new CommandFailed(
        'snapshots need SQLite and a folder for objects; leave out the database URL and the bucket',
      );
    }
    return await work(snapshots, driver);
  } finally {
    await driver.close();
    await release();
    objects.close();
  }
}
