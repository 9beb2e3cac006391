import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the young generation of the heap small until a server is ready. It would otherwise double several times while
 * modules load, and V8 does not return that memory, 20 MB, while the process is idle.
 * @source decision 909
 */
export function keepYoungSpaceSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** Restores the default growth of the young generation. */
export function letYoungSpaceGrow(): void {
  // The default of V8.
  setFlagsFromString('--semi-space-growth-factor=2');
}
