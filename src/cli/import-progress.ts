import { hash } from 'node:crypto';
import { realpathSync, statSync } from 'node:fs';
import type { ImportProgress } from '../base/import-progress.ts';
import { printError } from './output.ts';

/** How often progress is printed, in records. */
const STEP = 10_000;

/**
 * Prints the progress of an import on stderr, and the errors of the first `errorsMax` rejected records.
 * @source decision 302
 */
export function printProgress(errorsMax: number, what: 'people' | 'posts'): ImportProgress {
  let rejected = 0;
  let next = STEP;
  return {
    stored(records) {
      if (records < next) return;
      next = records - (records % STEP) + STEP;
      printError(`${records.toLocaleString('en')} ${what}\n`);
    },
    rejected(place, errors) {
      rejected += 1;
      if (rejected <= errorsMax)
        printError(`${what === 'people' ? 'line' : 'record'} ${place}: ${errors.join('; ')}\n`);
      if (rejected === errorsMax + 1) printError('further rejected records are only counted\n');
    },
  };
}

/** The name under which the progress of a file is stored; it changes when the file does. */
export function sourceNameOf(path: string): string {
  const { size, mtimeMs } = statSync(path);
  return `file:${hash('sha256', `${realpathSync(path)}\n${size}\n${mtimeMs}`).slice(0, 32)}`;
}
