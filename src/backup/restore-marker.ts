import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const MARK = 'restore-incomplete';

/** A data folder holds the remains of an interrupted restore. */
export class RestoreIncomplete extends Error {
  override readonly name = 'RestoreIncomplete';
}

/** Marks a data folder as incomplete until its restore is done: commands refuse to open it. @source decision 457 */
export function markRestoreIncomplete(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, MARK), 'A restore into this folder has not been completed.\n', {
    mode: 0o600,
    flush: true,
  });
}

/** Whether an earlier restore into this folder was interrupted. */
export function isRestoreIncomplete(folder: string): boolean {
  return existsSync(join(folder, MARK));
}

/** Removes the mark of an incomplete restore. */
export function markRestoreComplete(folder: string): void {
  rmSync(join(folder, MARK), { force: true });
}

/** Refuses a data folder that was restored only in part. @throws RestoreIncomplete */
export function refuseIncompleteRestore(folder: string): void {
  if (!isRestoreIncomplete(folder)) return;
  throw new RestoreIncomplete(`a restore into ${folder} was interrupted; run barker restore again`);
}
