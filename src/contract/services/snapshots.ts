import type { ClockState } from '../../base/clock.ts';

/** Notes stored with a snapshot, for restoring it. */
export interface SnapshotNotes {
  /** What the clock of the service showed, as UTC text. */
  readonly clock: string;
  /** What it shows after a restore. @source decision 869 */
  readonly clock_state: ClockState;
  /** What ids are derived from that are issued after a restore, so that they are the same each time. */
  readonly mark: string;
  /** The keys of the world, as in `dev.json`. */
  readonly keys: Readonly<Record<string, string>>;
}

/** A stored snapshot. */
export interface Snapshot {
  readonly name: string;
  /** When it was taken, by the clock of the machine, as UTC text. */
  readonly at: string;
  readonly bytes: number;
  readonly notes: SnapshotNotes;
  /** The path of the folder with its contents. */
  readonly folder: string;
}

/** Names that may be chosen; those of the program begin with a dot. */
export const SNAPSHOT_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** An archive is not that of a snapshot which this release can read. */
export class SnapshotUnreadable extends Error {
  override readonly name = 'SnapshotUnreadable';
}

/** Copies of the whole contents of a service, which can be restored in place. */
export interface Snapshots {
  /** Those with chosen names, by name. */
  list(): Promise<Snapshot[]>;
  find(name: string): Promise<Snapshot | undefined>;
  /** Takes a snapshot while the service goes on; one of the same name is replaced. */
  take(name: string, notes: SnapshotNotes): Promise<Snapshot>;
  /** Replaces the contents of the service, which keeps still meanwhile. */
  restore(snapshot: Snapshot): Promise<void>;
  /** Returns false when there is none. */
  remove(name: string): Promise<boolean>;
  /** Brings the schema of a snapshot of an earlier release up to date. @throws SchemaTooNew */
  prepare(snapshot: Snapshot): Promise<void>;
  /** Adds a snapshot that `fill` makes: a database under a path. */
  build(name: string, notes: SnapshotNotes, fill: (file: string) => Promise<void>): Promise<Snapshot>;
  /** Writes a snapshot to an archive. */
  exportTo(snapshot: Snapshot, path: string): Promise<void>;
  /** Adds the snapshot of an archive, under the name that it had unless there is another. @throws SnapshotUnreadable */
  importFrom(path: string, name?: string): Promise<Snapshot>;
  /** Removes what a killed process left. */
  sweep(): Promise<void>;
}
