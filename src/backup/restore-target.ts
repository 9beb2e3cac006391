import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { open, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { ObjectStore } from '../contract/services/objects.ts';
import type { Driver } from '../storage/core/driver.ts';
import { syncFolder } from '../storage/core/files.ts';
import { openPostgres } from '../storage/core/postgres.ts';
import { lockServerFile } from '../storage/core/server-lock.ts';
import type { Session } from '../storage/core/session.ts';
import { openBulkSqlite, openSqlite } from '../storage/core/sqlite.ts';
import { queryRaw, readTableSchemas } from '../storage/transfer/table-schema.ts';
import { isRestoreIncomplete, markRestoreComplete, markRestoreIncomplete } from './restore-marker.ts';

/** The target of a copy. */
export interface RestoreTarget {
  readonly folder: string;
  /** Empty for SQLite in the folder. */
  readonly databaseUrl: string;
  /** Whether the folder gets used nonces; otherwise they are not part of the copy, or already there. */
  readonly includesFiles: boolean;
  /** The store that gets the media; undefined when it is not part of the copy, or already there. */
  readonly objects: ObjectStore | undefined;
}

/** The target database or data folder is not empty. @source decision 456 */
export class TargetNotEmpty extends Error {
  override readonly name = 'TargetNotEmpty';
}

const DATABASE = 'barker.db';
const DRAFT = 'barker.db.restoring';
/** The subfolders of a data folder. */
const FOLDERS = ['media', 'nonces', 'audiences', 'keywords'];

/**
 * Fills an empty target, all or nothing. On PostgreSQL all rows are one transaction; SQLite is written to a draft file
 * and renamed. A mark in the data folder prevents use until the files are complete too. The next attempt cleans up
 * after an interrupted one.
 * @throws TargetNotEmpty ServerAlreadyRunning
 * @source decision 457
 */
export async function fillTarget<T>(target: RestoreTarget, fill: (session: Session) => Promise<T>): Promise<T> {
  const { folder, includesFiles, objects, databaseUrl } = target;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (databaseUrl === '') return fillSqlite(target, fill);
  const options = { url: databaseUrl, connectionsMax: 2 };
  const driver = openPostgres(options);
  // Connections of a driver that holds the server lock read it from the schema, which does not exist yet, so another
  // driver holds the lock.
  const claimant = openPostgres(options);
  try {
    const release = await claimant.acquireServerLock({ isShared: false });
    try {
      if (includesFiles) await prepareFolder(folder, objects);
      await refuseRows(driver, 'the database');
      if (includesFiles) markRestoreIncomplete(folder);
      const result = await driver.write(fill);
      if (includesFiles) await completeFolder(folder);
      return result;
    } finally {
      await release();
    }
  } finally {
    await claimant.close();
    await driver.close();
  }
}

async function fillSqlite<T>(
  { folder, includesFiles, objects }: RestoreTarget,
  fill: (session: Session) => Promise<T>,
): Promise<T> {
  const release = lockServerFile(join(folder, `${DATABASE}.lock`));
  try {
    if (includesFiles) await prepareFolder(folder, objects);
    await refuseFile(folder);
    markRestoreIncomplete(folder);
    const draft = join(folder, DRAFT);
    for (const behind of BEHIND) rmSync(draft + behind, { force: true });
    const database = openBulkSqlite(draft);
    try {
      const result = await database.fill(fill);
      database.close();
      await settle(folder, draft);
      await completeFolder(folder);
      return result;
    } catch (error) {
      database.close();
      throw error;
    }
  } finally {
    await release();
  }
}

const BEHIND = ['', '-wal', '-shm', '-journal'];

async function settle(folder: string, draft: string): Promise<void> {
  const file = await open(draft, 'r+');
  await file.sync();
  await file.close();
  for (const behind of BEHIND.slice(1)) rmSync(join(folder, DATABASE) + behind, { force: true });
  await rename(draft, join(folder, DATABASE));
  await syncFolder(folder);
}

async function completeFolder(folder: string): Promise<void> {
  await syncFolder(folder);
  markRestoreComplete(folder);
  await syncFolder(folder);
}

/** The remains of an interrupted attempt may be removed: the folder was empty before it. */
async function prepareFolder(folder: string, objects: ObjectStore | undefined): Promise<void> {
  const isIncomplete = isRestoreIncomplete(folder);
  if (isIncomplete) {
    for (const name of FOLDERS) rmSync(join(folder, name), { recursive: true, force: true });
    for (const behind of BEHIND) rmSync(join(folder, DATABASE) + behind, { force: true });
  } else await refuseFiles(folder);
  if (objects) await prepareObjects(objects, isIncomplete);
}

async function refuseFiles(folder: string): Promise<void> {
  for (const name of FOLDERS) {
    const own = join(folder, name);
    if (!existsSync(own)) continue;
    const entries = await readdir(own, { recursive: true, withFileTypes: true });
    const file = entries.find((entry) => !entry.isDirectory());
    if (file)
      throw new TargetNotEmpty(`the data folder is not empty (${join(file.parentPath, file.name)}); name another`);
  }
}

async function prepareObjects(objects: ObjectStore, isIncomplete: boolean): Promise<void> {
  const remains: string[] = [];
  for (const prefix of ['media/parts/', 'media/sealed/', 'media/ready/']) {
    for await (const { key } of objects.list(prefix)) {
      if (!isIncomplete) throw new TargetNotEmpty(`the object store is not empty (${key}); name another`);
      remains.push(key);
    }
  }
  await objects.remove(remains);
}

async function refuseFile(folder: string): Promise<void> {
  const file = join(folder, DATABASE);
  if (!existsSync(file)) return;
  const driver = openSqlite({ file });
  try {
    await refuseRows(driver, file);
  } finally {
    await driver.close();
  }
}

/** Refuses a database with rows; a schema without rows has nothing to lose. @source decision 456 */
async function refuseRows(driver: Driver, name: string): Promise<void> {
  await driver.read(async (session) => {
    for (const table of await readTableSchemas(session)) {
      if (table.name === 'schema_steps') continue;
      const rows = await queryRaw(session, `select 1 as found from ${table.name} limit 1`);
      if (rows.length > 0)
        throw new TargetNotEmpty(`${name} is not empty (there are rows in ${table.name}); name another`);
    }
  });
}
