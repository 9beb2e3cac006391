import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Copies to keep; older ones are removed. */
const KEPT = 3;
const NAME = /^before-.+-(\d{8}T\d{6}Z)\.db$/;

/** The source and the naming of a copy. */
export interface PreUpgradeCopy {
  /** The SQLite database; it may be in use. */
  readonly file: string;
  /** Where copies are kept. */
  readonly folder: string;
  /** The version that changes the database next. */
  readonly version: string;
  /** UTC text. */
  readonly now: string;
}

/**
 * Copies a consistent snapshot of a SQLite database, to allow a downgrade; returns the path of the copy. It is renamed
 * to that path once it is complete and synced.
 * @source decision 610
 */
export function copyBeforeUpgrade({ file, folder, version, now }: PreUpgradeCopy): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `before-${version}-${now.replace(/[-:]/g, '')}.db`);
  const partial = `${path}.partial`;
  for (const name of readdirSync(folder)) if (/^before-.*\.partial/.test(name)) rmSync(join(folder, name));
  // SQLite accepts an existing empty file and keeps its mode.
  closeSync(openSync(partial, 'wx', 0o600));
  try {
    const database = new DatabaseSync(file);
    try {
      database.prepare('vacuum into ?').run(partial);
    } finally {
      database.close();
    }
    sync(partial);
    renameSync(partial, path);
    sync(folder);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
  const timeOf = (name: string): string => NAME.exec(name)![1]!;
  const copies = readdirSync(folder).filter((name) => NAME.test(name));
  copies.sort((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1));
  for (const name of copies.slice(0, -KEPT)) rmSync(join(folder, name), { force: true });
  return path;
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
