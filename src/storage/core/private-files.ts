import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs';

/** Suffixes of the files that SQLite keeps beside a database. */
const BESIDE = ['-wal', '-shm', '-journal'];

/**
 * Makes a database file and its companions readable for their owner only: creates a new file with that mode, and
 * removes permissions from existing ones. SQLite gives companions that it creates later the mode of the file.
 */
export function restrictToOwner(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
  for (const path of [file, ...BESIDE.map((ending) => file + ending)]) {
    if (!existsSync(path)) continue;
    const { mode, uid } = statSync(path);
    // Permissions of files of other owners are left alone.
    if (mode & 0o077 && uid === process.getuid?.()) chmodSync(path, 0o600);
  }
}
