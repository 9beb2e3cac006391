import { copyFileSync, linkSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { answerCalls, transferring } from '../../../base/threads.ts';
import type { AudienceTree, MatchingStrategy, Subject } from '../../../contract/store/audiences.ts';
import { readActivity } from '../directory/identifier-file.ts';
import { evaluateBits, leavesOf } from './audience-tree.ts';
import { countRecords } from './count-records.ts';
import { FileGone, type ImageReference, type SubjectPaths } from './file-paths.ts';
import { matchDirectory } from './match-directory.ts';
import { countActive, matchedMetadataNumbers, openMatched, readMatchedUsers, setBitNumbers } from './matched-users.ts';
import { type MemberMetadata, openRun } from './member-run.ts';
import { openMembers } from './member-runs.ts';
import { countOpen } from './membership-windows.ts';
import { type Batch, mergeUploads } from './merge-uploads.ts';

/** Users are active if they were last seen within this many seconds. @source creatives 18.3; decision 285 */
const ACTIVE_S = 90 * 86_400;

interface CountInput {
  readonly tree: AudienceTree;
  readonly files: Readonly<Record<Subject, SubjectPaths>>;
  readonly image: ImageReference;
  readonly strategy: MatchingStrategy;
  readonly now: number;
}

/** A count, and the time when it may change without an upload; Infinity for never. */
interface CountResult {
  readonly size: number;
  readonly nextChangeAt: number;
}

/** The last merged upload, and the time it was accepted. */
export type MergeState = Pick<MemberMetadata, 'merged' | 'accepted_at'>;

function mergeState({ merged, accepted_at }: MemberMetadata): MergeState {
  return { merged, accepted_at };
}

function remove({ members, matched }: SubjectPaths): void {
  for (const path of [members, matched, `${matched}.new`]) rmSync(path, { recursive: true, force: true });
}

/** Copies a file into place, by a link if possible. */
function adopt({ from, to }: { readonly from: string; readonly to: string }): void {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  const beside = `${to}.new`;
  rmSync(beside, { force: true });
  try {
    linkSync(from, beside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    copyFileSync(from, beside);
  }
  renameSync(beside, to);
}

/** Replaces the members in a folder by copies of runs, the oldest first. */
function adoptRuns({ from, to }: { readonly from: readonly NamedRun[]; readonly to: string }): void {
  rmSync(to, { recursive: true, force: true });
  for (const { name, path } of from) adopt({ from: path, to: join(to, name) });
}

/** Reads the last merged upload of a subject; undefined without members. */
function readMergeState(members: string): MergeState | undefined {
  const file = openMembers(members);
  file?.close();
  return file && mergeState(file);
}

/** The file name and path of a run. */
interface NamedRun {
  readonly name: string;
  readonly path: string;
}

/** Lists the runs of a subject with the last merged upload of each, the oldest first. */
function listRuns(members: string): (NamedRun & { readonly state: MergeState })[] {
  const file = openMembers(members);
  file?.close();
  return (file?.runs ?? []).map((run) => ({ name: basename(run.path), path: run.path, state: mergeState(run) }));
}

/** Reads the last merged upload of a run; undefined without a valid file. */
function readRunState(path: string): MergeState | undefined {
  const run = openRun(path);
  run?.close();
  return run && mergeState(run);
}

function merge({ files, batch }: { readonly files: SubjectPaths; readonly batch: Batch }): MergeState {
  return mergeState(mergeUploads(files.members, batch));
}

/** Reads the version of a file of matched users; empty without one. */
function matchedVersion(matched: string): string {
  const file = openMatched(matched);
  file?.records.close();
  return file ? matchedMetadataNumbers(file).join('.') : '';
}

/** Matches the members of a subject with the directory, unless the file is up to date. */
function match({ files, image }: { readonly files: SubjectPaths; readonly image: ImageReference }): void {
  const file = openMembers(files.members);
  if (!file) return;
  try {
    const { merged, accepted_at } = file;
    const notes = { merged, accepted_at, version: image.version, mark: image.mark };
    if (matchedVersion(files.matched) !== matchedMetadataNumbers(notes).join('.'))
      matchDirectory(files.matched, file, image, notes);
  } finally {
    file.close();
  }
}

function evaluateUsers({ tree, files, image, now }: Omit<CountInput, 'strategy'>): {
  bits: Uint32Array;
  nextChangeAt: number;
} {
  let nextChangeAt = Number.POSITIVE_INFINITY;
  const found = new Map<Subject, Uint32Array>();
  for (const leaf of leavesOf(tree)) {
    const users = readMatchedUsers(files[leaf]!.matched, image.people, now);
    found.set(leaf, users.bits);
    nextChangeAt = Math.min(nextChangeAt, users.nextChangeAt);
  }
  return { bits: evaluateBits(tree, (leaf) => found.get(leaf)!), nextChangeAt };
}

/** Counts a tree: active users of the directory, or uploaded records, by strategy. @source decision 284 */
function count(counting: CountInput): CountResult | undefined {
  return unlessGone(() => countTree(counting));
}

function countTree(counting: CountInput): CountResult {
  const { tree, files, image, strategy, now } = counting;
  if (strategy === 'directory') {
    const { bits, nextChangeAt } = evaluateUsers(counting);
    const since = Math.max(1, now - ACTIVE_S);
    return {
      size: image.people === 0 ? 0 : countActive(bits, readActivity(image.folder).lastActiveAt, since),
      nextChangeAt,
    };
  }
  if (!('leaf' in tree)) return countRecords(tree, (leaf) => files[leaf]!.members, now);
  const { members } = files[tree.leaf]!;
  const file = openMembers(members);
  if (!file && members !== '') throw new FileGone(members);
  file?.close();
  return file ? countOpen(file.windows, now) : { size: 0, nextChangeAt: Number.POSITIVE_INFINITY };
}

function listUsers(counting: Omit<CountInput, 'strategy'>): Uint32Array | undefined {
  return unlessGone(() => {
    const numbers = setBitNumbers(evaluateUsers(counting).bits, counting.image.people);
    return transferring(numbers, [numbers.buffer]);
  });
}

/** Returns undefined if a file was removed in the meantime, and so replaced. */
function unlessGone<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof FileGone) return undefined;
    throw error;
  }
}

/** The type of these calls, for the main thread. */
export type MemberCalls = typeof calls;

const calls = {
  adopt,
  adoptRuns,
  readMergeState,
  readRunState,
  listRuns,
  merge,
  match,
  matchedVersion,
  count,
  listUsers,
  remove,
};

answerCalls(calls);
