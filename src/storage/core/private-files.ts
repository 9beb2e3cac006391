import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs';

/** Suffixes of the files that SQLite keeps beside a database. */
const BESIDE = ['-wal', '-shm', '-journal'];

/**
 * Makes a database file, and what lies beside it, readable for its owner alone: a new one from its first byte, one that is
 * there by taking rights away. What SQLite adds later has the mode of the file.
 */
export function restrictToOwner(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
  for (const path of [file, ...BESIDE.map((ending) => file + ending)]) {
    if (!existsSync(path)) continue;
    const { mode, uid } = statSync(path);
    // Whoever owns it has decided who else may use it.
    if (mode & 0o077 && uid === process.getuid?.()) chmodSync(path, 0o600);
  }
}
