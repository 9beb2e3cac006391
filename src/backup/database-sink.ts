import { createWriteStream } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { contentOfFile, type ObjectStore } from '../contract/services/objects.ts';
import { writeAll } from '../storage/core/file-sink.ts';
import { syncFolder } from '../storage/core/files.ts';
import { applyMigrations, dropTables, migrationsNamed } from '../storage/core/migrate.ts';
import type { Session } from '../storage/core/session.ts';
import { dropIndexes, loadRows } from '../storage/transfer/load-rows.ts';
import { readTable } from '../storage/transfer/read-rows.ts';
import { parseRows } from '../storage/transfer/row-lines.ts';
import { execRaw, queryRaw, readTableSchemas, type TableSchema } from '../storage/transfer/table-schema.ts';
import type { BackupFile, BackupHeader, BackupSink } from './format.ts';

/** The dependencies of a sink. */
export interface DatabaseSinkOptions {
  /** The data folder for used nonces. */
  readonly folder: string;
  /** Stores media; undefined when it is not part of the copy. */
  readonly objects: ObjectStore | undefined;
  /** UTC text. */
  readonly now: string;
  /** Receives progress messages for people. */
  readonly progress: (line: string) => void;
}

/**
 * A sink that fills an empty database, in a transaction of the caller, and a data folder. It applies the migrations
 * that the copy has; after all rows are inserted, it reads them again and compares them with the source.
 */
export function databaseSink(session: Session, { folder, objects, now, progress }: DatabaseSinkOptions): BackupSink {
  let tables: readonly TableSchema[] = [];
  let restoreIndexes = async (): Promise<void> => {};
  let ownFolder = '';

  async function intoFolder(path: string): Promise<void> {
    if (path === ownFolder) return;
    if (ownFolder !== '') await syncFolder(ownFolder);
    ownFolder = path;
    await mkdir(path, { recursive: true, mode: 0o700 });
  }

  return {
    async header(head) {
      if (session.dialect === 'postgres') {
        await queryRaw(session, 'set local statement_timeout = 0');
        await queryRaw(session, 'set local idle_in_transaction_session_timeout = 0');
      }
      await dropTables(session);
      await applyMigrations(session, now, migrationsNamed(head.steps));
      tables = await readTableSchemas(session);
      compareShapes(head, tables);
      restoreIndexes = await dropIndexes(session, tables);
      // Migrations may have inserted rows of their own.
      for (const { name } of tables) await execRaw(session, `delete from ${name}`);
    },
    rows: (table, lines) => loadRows(session, table, parseRows(table.columns, lines)),
    async file({ path, bytes, content }) {
      if (objects && path.startsWith('media/')) return storeObject(objects, { path, bytes, content }, folder);
      const place = join(folder, path);
      await intoFolder(dirname(place));
      await rm(place, { force: true });
      const file = await open(place, 'wx', 0o600);
      try {
        for await (const bytes of content) await writeAll(file, [bytes]);
        await file.datasync();
      } finally {
        await file.close();
      }
    },
    async end(contents) {
      if (ownFolder !== '') await syncFolder(ownFolder);
      await restoreIndexes();
      progress('rows copied; comparing them with the source');
      for (const table of tables) {
        const found = await readTable(session, table, async () => {});
        const expected = contents.tables[table.name];
        if (found.rows !== expected?.rows || found.sha256 !== expected.sha256) {
          throw new Error(`${table.name} has ${found.rows} rows that differ from the ${expected?.rows} of the source`);
        }
      }
    },
  };
}

/** Stores an object; a remote store may have to read its bytes again, so that they go through a file. */
async function storeObject(objects: ObjectStore, { path, bytes, content }: BackupFile, folder: string): Promise<void> {
  if (objects.localPath(path) !== undefined) return objects.put(path, { bytes, open: () => content });
  const draft = join(folder, 'restored-object');
  await rm(draft, { force: true });
  await pipeline(content, createWriteStream(draft, { flags: 'wx', mode: 0o600 }));
  await objects.put(path, contentOfFile(draft, bytes));
  await rm(draft, { force: true });
}

/** A migration never changes once released, so the same migrations create the same tables on both databases. */
function compareShapes(head: BackupHeader, tables: readonly TableSchema[]): void {
  const namesOf = (list: readonly TableSchema[]): string =>
    list
      .map(({ name, columns }) => `${name}(${columns.map((column) => `${column.name} ${column.type}`).join(', ')})`)
      .sort()
      .join('\n');
  if (namesOf(head.tables) !== namesOf(tables)) {
    throw new Error('the tables of the backup are not those that its migrations create');
  }
}
