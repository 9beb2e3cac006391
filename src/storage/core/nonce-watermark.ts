import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The Unix second up to which nonces were removed. It only grows, also across restarts. @source decision 430 */
export interface NonceWatermark {
  value(): number;
  raise(second: number): void;
}

/** Stores the watermark in a small file of the folder. */
export function nonceWatermark(folder: string): NonceWatermark {
  const path = join(folder, 'forgotten-until');
  let value = readNumber(path);
  return {
    value: () => value,
    raise(second) {
      if (second <= value) return;
      writeFileSync(`${path}.new`, `${second}\n`, { mode: 0o600 });
      renameSync(`${path}.new`, path);
      value = second;
    },
  };
}

/** The number in a file; 0 if the file does not exist. */
function readNumber(path: string): number {
  try {
    return Number.parseInt(readFileSync(path, 'latin1'), 10) || 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}
