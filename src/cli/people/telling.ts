import { complain } from '../output.ts';
import type { Telling } from './take-in.ts';

/** How often progress is told, in records. */
const STEP = 10_000;

/** Tells of progress and of what was refused, of the first `most` only, on the error output. */
export function telling(most: number, what: 'people' | 'posts' = 'people'): Telling {
  let told = 0;
  let next = STEP;
  return {
    progress(done) {
      if (done < next) return;
      next = done - (done % STEP) + STEP;
      complain(`${done.toLocaleString('en')} ${what}\n`);
    },
    refused(number, wrong) {
      told += 1;
      if (told <= most) complain(`record ${number}: ${wrong.join('; ')}\n`);
      if (told === most + 1) complain('further records that are refused are only counted\n');
    },
  };
}
