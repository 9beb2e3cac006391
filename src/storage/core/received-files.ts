import { mkdirSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Random } from '../../base/random.ts';
import { type ReceivedFiles, SourceFailed } from '../../contract/services/received-files.ts';
import { FileSink } from './file-sink.ts';

/** Received files in a folder. With `isHashed`, their SHA-256 is computed. */
export function receivedFiles(folder: string, random: Random, { isHashed }: { isHashed: boolean }): ReceivedFiles {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return {
    async sweep() {
      for (const name of await readdir(folder)) await rm(join(folder, name), { force: true });
    },
    async receive(source, bytes_max) {
      const place = join(folder, random.bytes(12).toString('hex'));
      const sink = new FileSink(place, { bytes_max, isHashed });
      try {
        await pipeline(source, sink);
        return { place, bytes: sink.bytes, sha256: sink.sha256() };
      } catch (error) {
        await rm(place, { force: true });
        throw sink.failure ?? new SourceFailed(String(error), { cause: error });
      }
    },
    discard: ({ place }) => rm(place, { force: true }),
  };
}
