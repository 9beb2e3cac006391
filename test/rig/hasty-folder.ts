import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** Files of the memory, which wait for no disk. */
const MEMORY = '/dev/shm';
/** Where there is less of it, in bytes, the disk is taken: containers have little. */
const MEMORY_MIN = 3e9;

/** Where files lie that are not about the disk: in memory, where the machine has some to spare. */
export function hastyFolder(): string {
  if (!existsSync(MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize < MEMORY_MIN ? tmpdir() : MEMORY;
}
