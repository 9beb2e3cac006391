import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { formatInstant } from '../../base/instants.ts';

const DATED = /^barker-\d{8}T\d{6}Z\.tar\.zst$/;

/** The path of a new archive; names sort by time. */
export function datedArchivePath(folder: string, now: number): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return join(folder, `barker-${formatInstant(now).replace(/[-:]/g, '')}.tar.zst`);
}

/** Deletes all but the newest archives of a folder, and returns their paths. Other files stay. */
export function removeOldArchives(folder: string, keep: number): string[] {
  const dated = readdirSync(folder)
    .filter((name) => DATED.test(name))
    .sort();
  const old = dated.slice(0, -keep).map((name) => join(folder, name));
  for (const path of old) rmSync(path, { force: true });
  return old;
}
