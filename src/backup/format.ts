import type { SnapshotNotes } from '../contract/services/snapshots.ts';
import type { TableChecksum } from '../storage/transfer/read-rows.ts';
import type { TableSchema } from '../storage/transfer/table-schema.ts';

/** The header of a copy: what was copied, from where and when. */
export interface BackupHeader {
  /** The version of this format. */
  readonly format: number;
  /** The release of the program that read the database. */
  readonly release: string;
  /** The moment that the copy shows, as UTC text. */
  readonly made_at: string;
  readonly engine: 'sqlite' | 'postgres';
  /** The migrations of the schema. */
  readonly steps: readonly string[];
  /** Fingerprints of the configured master keys by key id. */
  readonly keys: Readonly<Record<string, string>>;
  readonly tables: readonly TableSchema[];
  /** Only in the archive of a snapshot. */
  readonly snapshot?: ArchivedSnapshot | undefined;
}

/** Notes in the archive of a snapshot. */
export interface ArchivedSnapshot {
  readonly name: string;
  readonly notes: SnapshotNotes;
  /** The keys of its secrets in hex digits, by key id. */
  readonly master_keys: Readonly<Record<string, string>>;
}

/** The totals of a copy. */
export interface BackupSummary {
  readonly tables: Readonly<Record<string, TableChecksum>>;
  readonly files: { readonly count: number; readonly bytes: number };
}

/** An object, or a file of used nonces. */
export interface BackupFile {
  /** The key of the object, or the path in the data folder. */
  readonly path: string;
  readonly bytes: number;
  readonly content: AsyncIterable<Uint8Array>;
}

/**
 * Receives a whole copy piece by piece, in this order: the header, the rows of each table, the files, the end. Archives
 * and databases can both be source and sink, so backup, restore, copy and verification share one path.
 * @source decision 450
 */
export interface BackupSink {
  header(head: BackupHeader): Promise<void>;
  /** Rows of a table as lines of JSON; `rows` is their number. */
  rows(table: TableSchema, lines: Buffer, rows: number): Promise<void>;
  file(piece: BackupFile): Promise<void>;
  end(contents: BackupSummary): Promise<void>;
}

/** The version of the format that this program writes, and the newest that it reads. */
export const FORMAT_VERSION = 1;

/** Whether a path of the data folder belongs to a copy; any other path in an archive is refused. */
export function isBackedUpPath(path: string): boolean {
  return /^(media\/(parts|sealed|ready)\/\w+(\/\w+)?|nonces\/[\w-]+(\.\w+)?)$/.test(path);
}
