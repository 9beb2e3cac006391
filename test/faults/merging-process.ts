import { openMembers } from '../../src/features/audiences/members/member-runs.ts';
import { mergeUploads } from '../../src/features/audiences/members/merge-uploads.ts';
import { longLog, packed } from '../laws/membership-model.ts';

/** Merges a log into runs, upload by upload, from where they are; tells each number that is merged. */
const [folder, seed] = process.argv.slice(2) as [string, string];
const log = packed(longLog(Number(seed)));
const members = openMembers(folder);
members?.close();
for (let last = (members?.merged ?? 0) + 1; last <= log.length; last++) {
  mergeUploads(folder, { uploads: [log[last - 1]!], last });
  process.stdout.write(`${last}\n`);
}
