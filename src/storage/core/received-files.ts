import { mkdirSync } from 'node:fs';
import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import { type ReceivedFiles, SourceFailed } from '../../contract/services/received-files.ts';
import { FileSink } from './file-sink.ts';
import { digestOf } from './files.ts';

/** Younger files may still be in use by other processes. */
const SHARED_AGE_MS = 3_600_000;

/** Options for receiving files. */
interface ReceivingOptions {
  /** Whether to compute the SHA-256. */
  readonly isHashed: boolean;
  /** The system clock, if other servers share the folder. */
  readonly sharedBy: Clock | undefined;
}

/** Received files in a folder. */
export function receivedFiles(folder: string, random: Random, { isHashed, sharedBy }: ReceivingOptions): ReceivedFiles {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const newPlace = (): string => join(folder, random.bytes(12).toString('hex'));
  return {
    async sweep() {
      for (const name of await readdir(folder)) {
        const path = join(folder, name);
        const found = sharedBy && (await stat(path).catch(() => undefined));
        if (found && sharedBy.now() - found.mtimeMs < SHARED_AGE_MS) continue;
        await rm(path, { force: true });
      }
    },
    async receive(source, bytes_max) {
      const place = newPlace();
      const sink = new FileSink(place, { bytes_max, isHashed });
      try {
        await pipeline(source, sink);
        return { place, bytes: sink.bytes, sha256: sink.sha256() };
      } catch (error) {
        await rm(place, { force: true });
        throw sink.failure ?? new SourceFailed(String(error), { cause: error });
      }
    },
    async write(work) {
      const place = newPlace();
      try {
        await writeFile(place, '', { flag: 'wx', mode: 0o600 });
        if (await work(place)) {
          return { place, bytes: (await stat(place)).size, sha256: isHashed ? await digestOf(place) : undefined };
        }
      } catch (error) {
        await rm(place, { force: true });
        throw error;
      }
      await rm(place, { force: true });
      return undefined;
    },
    discard: ({ place }) => rm(place, { force: true }),
  };
}
