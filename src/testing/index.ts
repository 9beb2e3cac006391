import { fileURLToPath } from 'node:url';
import { startProgram } from './start.ts';
import type { Barker, StartOptions } from './types.ts';

export type * from './events.ts';
export { NotStarted } from './process.ts';
export type * from './tools.ts';
export { Refused } from './tools.ts';
export type * from './types.ts';

/**
 * Starts a development server of its own in a child process, with a new demo world, and resolves when it is ready. It
 * ends with `close()`, or with this process, and leaves nothing behind.
 * @throws NotStarted with what the server wrote
 */
export function start(options: StartOptions = {}): Promise<Barker> {
  return startProgram(fileURLToPath(new URL('../../bin/barker.js', import.meta.url)), options);
}
