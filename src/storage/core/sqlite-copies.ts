import { closeSync, openSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { elapsed_ms, pause } from '../../base/timers.ts';

/** All pages in one step, which is one transaction. */
const ALL_PAGES = 0x7fff_ffff;
/** Lock timeout, the same as that of connections. */
const LOCKED_MS = 5000;
const RETRY_MS = 20;

/** Copies a consistent snapshot of a database to a new file, which needs no write-ahead log. */
export async function copyDatabaseFile(from: string, to: string): Promise<void> {
  // SQLite accepts an existing empty file and keeps its mode.
  closeSync(openSync(to, 'wx', 0o600));
  await copyPages(from, to);
  const copy = new DatabaseSync(to);
  try {
    copy.exec('pragma journal_mode = delete');
  } finally {
    copy.close();
  }
}

/**
 * Copies all pages of `by` over those of a database that stays open, in one transaction: its connections see the old
 * contents or the new ones, and so does the next process if this one is killed meanwhile.
 * @source decision 878
 */
export async function replaceDatabase(file: string, by: string): Promise<void> {
  const startedAt_ms = elapsed_ms();
  for (;;) {
    try {
      await copyPages(by, file);
      return;
    } catch (error) {
      // While another process writes, the error has no code: SQLite sets it on the other connection.
      if (elapsed_ms() - startedAt_ms > LOCKED_MS) {
        throw new Error(`could not write to ${file}: another process uses it, or the disk is full`, { cause: error });
      }
      await pause(RETRY_MS);
    }
  }
}

/** Runs in another thread, so that requests are not blocked. */
async function copyPages(from: string, to: string): Promise<void> {
  const source = new DatabaseSync(from, { readOnly: true });
  try {
    await backup(source, to, { rate: ALL_PAGES });
  } finally {
    source.close();
  }
}
