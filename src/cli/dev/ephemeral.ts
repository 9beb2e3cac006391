import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { secureRandom } from '../../base/random.ts';
import { type DevFile, ensureOperatorToken } from '../../dev/dev-folder.ts';
import type { Settings } from '../../settings.ts';

/** A temporary development server for a parent program, usually a test. */
export interface EphemeralRun {
  readonly defaults: Partial<Settings>;
  /** Ends with the parent program. */
  readonly lifeline: Readable;
  /** Called before anything is written. @returns whether the data folder is removed at the end */
  begin(settings: Settings): boolean;
  /** Returns the line that tells the parent that the server is ready. */
  announce(file: DevFile): string;
}

/** Creates an ephemeral run in this process. A data folder from the options is kept. @source decision 894 */
export function ephemeralRun(): EphemeralRun {
  const temporary = join(tmpdir(), `barker-${secureRandom.bytes(12).toString('hex')}`);
  let folder = temporary;
  return {
    defaults: {
      data_folder: temporary,
      port: 0,
      sandbox_port: 0,
      // Tests that need people ask for them.
      sample_people: 0,
      // No client waits for replies.
      shutdown_timeout_s: 1,
    },
    lifeline: process.stdin,
    begin(settings) {
      folder = resolve(settings.data_folder);
      if (folder !== temporary) return false;
      // Also after a failed start, and after a second signal.
      process.on('exit', () => rmSync(temporary, { recursive: true, force: true, maxRetries: 3 }));
      return true;
    },
    announce: (file) =>
      `${JSON.stringify({ ...file, operator_token: ensureOperatorToken(folder), data_folder: folder })}\n`,
  };
}
