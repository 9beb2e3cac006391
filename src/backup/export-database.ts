import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { migrationsNamed } from '../storage/core/migrate.ts';
import type { Session } from '../storage/core/session.ts';
import { readTable, type TableChecksum } from '../storage/transfer/read-rows.ts';
import { queryRaw, readTableSchemas } from '../storage/transfer/table-schema.ts';
import { type MediaSource, mediaIn } from './export-media.ts';
import { type BackupFile, type BackupHeader, type BackupSink, FORMAT_VERSION } from './format.ts';
import { ignoreMissing, listFolder } from './media-snapshot.ts';

/** The dependencies of an export. */
export interface ExportOptions {
  /** The release, the time and the keys. */
  readonly header: Pick<BackupHeader, 'release' | 'made_at' | 'keys' | 'snapshot'>;
  /** The data folder with its used nonces; undefined when they are not copied. */
  readonly folder: string | undefined;
  /** Undefined when media is not copied. */
  readonly media: MediaSource | undefined;
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
  { header, folder, media, progress }: ExportOptions,
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
  await media?.snapshot?.update();
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
  const send = async (file: BackupFile): Promise<void> => {
    await sink.file(file);
    count.count += 1;
    count.bytes += file.bytes;
  };
  if (media) {
    const onMissing = (id: string): void => void missing.push(id);
    for await (const file of mediaIn(session, tables, media, { now: header.made_at, onMissing })) await send(file);
  }
  if (folder !== undefined) {
    for (const [name, bytes] of await nonceFiles(join(folder, 'nonces'))) {
      await send({ path: `nonces/${name}`, bytes: bytes.length, content: wholly(bytes) });
    }
  }
  progress(`files: ${count.count} with ${count.bytes} bytes`);
  await sink.end({ tables: sums, files: count });
  return { rows, files: count, missing };
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
