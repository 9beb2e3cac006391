import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** A file system in memory: writes wait for no disk. */
const MEMORY = '/dev/shm';
/** With fewer free bytes than this the disk is used: containers have little memory here. */
const MEMORY_MIN = 3e9;

/** The folder for temporary files of tests that do not test the disk: in memory where there is enough. */
export function memoryFolder(): string {
  if (!existsSync(MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize < MEMORY_MIN ? tmpdir() : MEMORY;
}
