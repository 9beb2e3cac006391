import { fileURLToPath } from 'node:url';
import { startProgram } from './start.ts';
import type { Barker, StartOptions } from './types.ts';

export type * from './events.ts';
export { NotStarted } from './process.ts';
export type * from './tools.ts';
export { Refused } from './tools.ts';
export type * from './types.ts';

/**
 * Starts a development server with a new demo world in a child process, and resolves when it is ready. It ends with
 * `close()` or with this process, and leaves nothing behind.
 * @throws NotStarted with the log of the server
 */
export function start(options: StartOptions = {}): Promise<Barker> {
  return startProgram(fileURLToPath(new URL('../../bin/barker.js', import.meta.url)), options);
}
