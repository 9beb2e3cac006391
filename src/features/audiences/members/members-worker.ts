import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { answerCalls, transferring } from '../../../base/threads.ts';
import type { AudienceTree, MatchingStrategy, Subject } from '../../../contract/store/audiences.ts';
import { readActivity } from '../directory/identifier-file.ts';
import { bitsOf, leavesOf } from './audience-tree.ts';
import { countRecords } from './count-records.ts';
import type { ImageFiles, SubjectFiles } from './file-paths.ts';
import { matchInto } from './match-directory.ts';
import { matchedOwn, openMatched } from './matched-file.ts';
import { countActive, numbersOf, usersIn } from './matched-users.ts';
import { type MemberNotes, openMembers } from './member-file.ts';
import { openNow } from './membership-windows.ts';
import { type Batch, mergeInto } from './merge-uploads.ts';

/** Somebody is active who was seen so short a time ago. @source creatives 18.3 */
const ACTIVE_S = 90 * 86_400;

interface Counting {
  readonly tree: AudienceTree;
  readonly files: Readonly<Record<Subject, SubjectFiles>>;
  readonly image: ImageFiles;
  readonly strategy: MatchingStrategy;
  readonly now: number;
}

/** How many are meant, and when that may change; infinity for never. */
export interface Counted {
  readonly size: number;
  readonly change: number;
}

function told({ merged, accepted_at }: MemberNotes): Pick<MemberNotes, 'merged' | 'accepted_at'> {
  return { merged, accepted_at };
}

function remove({ members, matched }: SubjectFiles): void {
  for (const path of [members, matched]) {
    rmSync(path, { force: true });
    rmSync(`${path}.new`, { force: true });
  }
}

/** Up to where the members of a subject are merged; undefined when there are none. */
function look({ members }: SubjectFiles): Pick<MemberNotes, 'merged' | 'accepted_at'> | undefined {
  const file = openMembers(members);
  file?.close();
  return file && told(file);
}

function merge({ files, batch }: { readonly files: SubjectFiles; readonly batch: Batch }) {
  mkdirSync(dirname(files.members), { recursive: true, mode: 0o700 });
  return told(mergeInto(files.members, batch));
}

/** Of what the matched users of a subject were made, as text; empty when there are none. */
function version({ matched }: SubjectFiles): string {
  const file = openMatched(matched);
  file?.records.close();
  return file ? matchedOwn(file).join('.') : '';
}

/** Matches the members of a subject with the directory, unless they are. */
function match({ files, image }: { readonly files: SubjectFiles; readonly image: ImageFiles }): void {
  const file = openMembers(files.members);
  if (!file) return;
  try {
    const { merged, accepted_at } = file;
    const notes = { merged, accepted_at, version: image.version, mark: image.mark };
    if (version(files) !== matchedOwn(notes).join('.')) matchInto(files.matched, file, image, notes);
  } finally {
    file.close();
  }
}

function usersOf({ tree, files, image, now }: Omit<Counting, 'strategy'>): { bits: Uint32Array; change: number } {
  let change = Number.POSITIVE_INFINITY;
  const found = new Map<Subject, Uint32Array>();
  for (const leaf of leavesOf(tree)) {
    const users = usersIn(files[leaf]!.matched, image.people, now);
    found.set(leaf, users.bits);
    change = Math.min(change, users.change);
  }
  return { bits: bitsOf(tree, (leaf) => found.get(leaf)!), change };
}

function count(counting: Counting): Counted {
  const { tree, files, image, strategy, now } = counting;
  if (strategy === 'directory') {
    const { bits, change } = usersOf(counting);
    const since = Math.max(1, now - ACTIVE_S);
    return { size: image.people === 0 ? 0 : countActive(bits, readActivity(image.folder).lastActiveAt, since), change };
  }
  if (!('leaf' in tree)) return countRecords(tree, (leaf) => files[leaf]!.members, now);
  const file = openMembers(files[tree.leaf]!.members);
  file?.close();
  return file ? openNow(file.windows, now) : { size: 0, change: Number.POSITIVE_INFINITY };
}

function list(counting: Omit<Counting, 'strategy'>): Uint32Array {
  const numbers = numbersOf(usersOf(counting).bits, counting.image.people);
  return transferring(numbers, [numbers.buffer]);
}

/** What the thread of memberships can be asked. */
export type MembershipAnswers = typeof answers;

const answers = { look, merge, match, version, count, list, remove };

answerCalls(answers);
