import { openMembers } from '../../src/features/audiences/members/member-file.ts';
import { mergeUploads } from '../../src/features/audiences/members/merge-uploads.ts';
import { longLog, packed } from '../laws/membership-model.ts';

/** Merges a log into a file, upload by upload, from where the file is; tells each number that is merged. */
const [path, seed] = process.argv.slice(2) as [string, string];
const log = packed(longLog(Number(seed)));
const file = openMembers(path);
file?.close();
for (let last = (file?.merged ?? 0) + 1; last <= log.length; last++) {
  mergeUploads(path, { uploads: [log[last - 1]!], last });
  process.stdout.write(`${last}\n`);
}
