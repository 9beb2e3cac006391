import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Upload } from '../contract/store/uploads.ts';
import { migrationsNamed } from '../storage/core/migrate.ts';
import type { Session } from '../storage/core/session.ts';
import { readTable, type TableChecksum } from '../storage/transfer/read-rows.ts';
import { queryRaw, readTableSchemas, type TableSchema } from '../storage/transfer/table-schema.ts';
import { type BackupHeader, type BackupSink, FORMAT_VERSION } from './format.ts';
import { fileSize, ignoreMissing, listFolder, type MediaSnapshot, type UploadRow } from './media-snapshot.ts';

/** What an export needs beside the database. */
export interface ExportOptions {
  /** Names the program, the time and the keys. */
  readonly header: Pick<BackupHeader, 'release' | 'made_at' | 'keys'>;
  /** The data folder with its media; undefined when files are not copied. */
  readonly files: { readonly folder: string; readonly media: MediaSnapshot } | undefined;
  /** Receives progress messages for people. */
  readonly progress: (line: string) => void;
}

/** The totals, and the ids of uploads whose bytes are missing. @source decision 453 */
export interface ExportResult {
  readonly rows: number;
  readonly files: { readonly count: number; readonly bytes: number };
  readonly missing: readonly string[];
}

/**
 * Sends one consistent snapshot of a database, and the media that its rows name, to a sink. Derived files (indexes of
 * audiences and keywords) are left out: they are rebuilt.
 * @source decision 451
 */
export async function exportDatabase(
  session: Session,
  { header, files, progress }: ExportOptions,
  sink: BackupSink,
): Promise<ExportResult> {
  if (session.dialect === 'postgres') {
    await queryRaw(session, 'set local statement_timeout = 0');
    await queryRaw(session, 'set local idle_in_transaction_session_timeout = 0');
  }
  // The first statement fixes the snapshot.
  const tables = await readTableSchemas(session);
  if (tables.length === 0) throw new Error('the database has no tables; there is nothing to copy');
  const steps = (await queryRaw<{ name: string }>(session, 'select name from schema_steps order by name')).map(
    ({ name }) => name,
  );
  migrationsNamed(steps);
  await files?.media.update();
  await sink.header({ format: FORMAT_VERSION, ...header, engine: session.dialect, steps, tables });
  const sums: Record<string, TableChecksum> = {};
  let rows = 0;
  for (const table of tables) {
    const sum = await readTable(session, table, (lines, count) => sink.rows(table, lines, count));
    sums[table.name] = sum;
    rows += sum.rows;
  }
  progress(`rows: ${rows} of ${tables.length} tables`);
  const missing: string[] = [];
  const count = { count: 0, bytes: 0 };
  const send = async (path: string, source: string): Promise<void> => {
    const bytes = await fileSize(source);
    await sink.file({ path, bytes, content: contentOf(source, bytes) });
    count.count += 1;
    count.bytes += bytes;
  };
  if (files) {
    for await (const upload of uploadsIn(session, tables, header.made_at)) {
      const held = await files.media.filesOf(upload);
      if (upload.state === 'uploading') await sink.folder(`media/parts/${upload.id}`);
      if (!held && !upload.isEnding) missing.push(upload.id);
      for (const { path, source } of held ?? []) await send(path, source);
    }
    for (const [name, bytes] of await nonceFiles(join(files.folder, 'nonces'))) {
      await sink.file({ path: `nonces/${name}`, bytes: bytes.length, content: wholly(bytes) });
      count.count += 1;
      count.bytes += bytes.length;
    }
  }
  progress(`files: ${count.count} with ${count.bytes} bytes`);
  await sink.end({ tables: sums, files: count });
  return { rows, files: count, missing };
}

/** Reads a file up to the given length: later bytes were appended meanwhile. */
async function* contentOf(source: string, bytes: number): AsyncGenerator<Uint8Array> {
  if (bytes > 0) yield* createReadStream(source, { end: bytes - 1 });
}

/** Used nonces are small; a running service appends to their files and removes them. */
async function nonceFiles(folder: string): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>();
  for (const name of await listFolder(folder)) {
    if (name.endsWith('.new')) continue;
    const bytes = await readFile(join(folder, name)).catch(ignoreMissing);
    if (bytes) found.set(name, bytes);
  }
  return found;
}

async function* wholly(bytes: Buffer): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}

/** The number of uploads read at a time. */
const PAGE = 500;

async function* uploadsIn(
  session: Session,
  tables: readonly TableSchema[],
  now: string,
): AsyncGenerator<UploadRow & { readonly isEnding: boolean }> {
  if (!tables.some(({ name }) => name === 'uploads')) return;
  let last = '';
  for (;;) {
    const sql = `select id, state, expires_at from uploads where id > ? order by id limit ${PAGE}`;
    const rows = await queryRaw<Pick<Upload, 'id' | 'state' | 'expires_at'>>(session, sql, [last]);
    // An upload that had expired by then may be gone: any process removes such uploads.
    for (const { id, state, expires_at } of rows) {
      yield { id, state, isEnding: expires_at !== null && expires_at <= now };
    }
    if (rows.length < PAGE) return;
    last = rows.at(-1)!.id;
  }
}
