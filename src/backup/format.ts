import type { TableChecksum } from '../storage/transfer/read-rows.ts';
import type { TableSchema } from '../storage/transfer/table-schema.ts';

/** What is known before anything is read: what was copied, from where and when. */
export interface BackupHeader {
  /** The version of this format. */
  readonly format: number;
  /** The release of the program that read the database. */
  readonly release: string;
  /** UTC text of the moment that the copy shows. */
  readonly made_at: string;
  readonly engine: 'sqlite' | 'postgres';
  /** The steps that the schema has. */
  readonly steps: readonly string[];
  /** Fingerprints of the configured master keys by their ids. */
  readonly keys: Readonly<Record<string, string>>;
  readonly tables: readonly TableSchema[];
}

/** What the pieces amount to. */
export interface BackupSummary {
  readonly tables: Readonly<Record<string, TableChecksum>>;
  readonly files: { readonly count: number; readonly bytes: number };
}

/** A file of the data folder. */
export interface BackupFile {
  /** Its path in the data folder. */
  readonly path: string;
  readonly bytes: number;
  readonly content: AsyncIterable<Uint8Array>;
}

/**
 * Takes a copy of everything, piece by piece and in this order: the head, the rows of one table after the other, the
 * files, the end. An archive and a database both take one and give one, so that backup, restore, copy and verify are the
 * same way with other ends.
 */
export interface BackupSink {
  header(head: BackupHeader): Promise<void>;
  /** Lines of rows of a table, as many as `rows` says. */
  rows(table: TableSchema, lines: Buffer, rows: number): Promise<void>;
  /** A folder that has to be there, even when it is empty. */
  folder(path: string): Promise<void>;
  file(piece: BackupFile): Promise<void>;
  end(contents: BackupSummary): Promise<void>;
}

/** The version of the format that this program writes, and the newest that it reads. */
export const FORMAT_VERSION = 1;

/** Paths of the data folder that belong to a copy; anything else in an archive is refused. */
export function isBackedUpPath(path: string): boolean {
  return /^(media\/(parts|sealed|ready)\/\w+(\/\w+)?|nonces\/[\w-]+(\.\w+)?)$/.test(path);
}
