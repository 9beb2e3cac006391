import { readFileSync, writeFileSync } from 'node:fs';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { RawCall } from '../rig/raw.ts';

/** A filled service of a release, and what it answered. */
export interface Fixture {
  /** Milliseconds since 1970 at which it was asked. */
  readonly now: number;
  /** Its data folder with the SQLite database: paths, and bytes as base64. */
  readonly files: Readonly<Record<string, string>>;
  /** Statements that make the same database on PostgreSQL, by the schema steps of that release. */
  readonly postgres: readonly string[];
  /** How many rows each table has. */
  readonly rows: Readonly<Record<string, number>>;
  /** Calls of all operations that read, and the replies, by operation. */
  readonly calls: Readonly<Record<string, RawCall>>;
  readonly answers: Readonly<Record<string, string>>;
  readonly media: Readonly<Record<string, { readonly status: number; readonly bytes: string }>>;
}

/** Reads a fixture. */
export function readFixture(path: string | URL): Fixture {
  return JSON.parse(zstdDecompressSync(readFileSync(path)).toString());
}

/** Writes a fixture, as small as it gets. */
export function writeFixture(path: string, fixture: Fixture): void {
  const params = { [constants.ZSTD_c_compressionLevel]: 19 };
  writeFileSync(path, zstdCompressSync(JSON.stringify(fixture), { params }));
}
