import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { formatInstant } from '../../base/instants.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import { type Snapshots, SnapshotUnreadable } from '../../contract/services/snapshots.ts';
import { SchemaTooNew } from '../../contract/store/errors.ts';
import { migrate, pendingMigrations } from '../../storage/core/migrate.ts';
import { openSqlite } from '../../storage/core/sqlite.ts';
import { contentsSize, copyContents, databaseOf, replaceContents, type SnapshotSource } from './contents.ts';
import { openShelf } from './shelf.ts';
import type { SnapshotExport } from './snapshot-archive.ts';

/** The folder of snapshots below the data folder. */
export function snapshotsFolder(dataFolder: string): string {
  return join(dataFolder, 'snapshots');
}

/** The dependencies of snapshots. */
export interface SnapshotsParts extends SnapshotSource, SnapshotExport {
  readonly box: SecretBox;
  /** The clock of the machine. */
  readonly machineClock: Clock;
}

/** Opens the snapshots of a service. */
export function openSnapshots(parts: SnapshotsParts): Snapshots {
  const { machineClock, box } = parts;
  const source: SnapshotSource = parts;
  const now = (): string => formatInstant(machineClock.now());
  const shelf = openShelf(snapshotsFolder(source.dataFolder));
  return {
    ...shelf,
    take: (name, notes) =>
      shelf.add(name, async (folder) => ({
        at: now(),
        bytes: await copyContents(source, folder),
        notes,
      })),
    restore: ({ folder }) => replaceContents(source, folder),
    // The code for archives is loaded with the first one.
    async exportTo(snapshot, path) {
      const { writeSnapshot } = await import('./snapshot-archive.ts');
      await writeSnapshot(snapshot, path, parts);
    },
    async prepare({ folder }) {
      const driver = openSqlite({ file: databaseOf(folder) });
      try {
        if ((await pendingMigrations(driver)).length > 0) await migrate(driver, now());
      } finally {
        await driver.close();
      }
    },
    build: (name, notes, fill) =>
      shelf.add(name, async (folder) => {
        await fill(databaseOf(folder));
        return { at: now(), bytes: await contentsSize(folder), notes };
      }),
    async importFrom(path, name) {
      const { ArchiveDamaged } = await import('../archive-reader.ts');
      const { NoSnapshot, readSnapshot } = await import('./snapshot-archive.ts');
      try {
        return await shelf.add(name, (folder) => readSnapshot(path, folder, { box, now: now() }));
      } catch (error) {
        const isOther = [ArchiveDamaged, NoSnapshot, SchemaTooNew].some((kind) => error instanceof kind);
        throw isOther ? new SnapshotUnreadable((error as Error).message, { cause: error }) : error;
      }
    },
  };
}
