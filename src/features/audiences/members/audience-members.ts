import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { openThread } from '../../../base/threads.ts';
import { nextTurn } from '../../../base/timers.ts';
import type {
  AudienceMembers,
  AudienceSize,
  AudienceTree,
  AudienceUpload,
  MatchingStrategy,
  Subject,
} from '../../../contract/store/audiences.ts';
import type { DirectoryIndex } from '../../../contract/store/directory.ts';
import type { Store } from '../../../contract/store/store.ts';
import { leavesOf } from './audience-tree.ts';
import type { ImageReference, SubjectPaths } from './file-paths.ts';
import type { MemberCalls } from './members-worker.ts';

/** Dependencies of audience members. */
export interface AudienceMembersDependencies {
  readonly store: Store;
  readonly directory: Pick<DirectoryIndex, 'files'>;
  /** The folder of the files; created when missing. */
  readonly folder: string;
  /** Bytes of the log in one merge; smaller only in tests. */
  readonly batch_bytes_max?: number;
}

/** More than three million identifiers. Each batch rewrites the file, so few large ones are cheapest. */
const BATCH_BYTES_MAX = 60_000_000;
/** Bytes in one read of the log, about one large upload: reads of SQLite block the process. */
const READ_BYTES_MAX = 1_400_000;

/** The signal of work that nobody stops. */
const NEVER = new AbortController().signal;

/** Opens the members of audiences: files in a folder, merged and read in threads. */
export function openAudienceMembers(parts: AudienceMembersDependencies): AudienceMembers {
  const inside = new URL('./members-worker.ts', import.meta.url);
  const merging = openThread<MemberCalls>(inside, { niceness: 15 });
  // Reads do not wait for merges: files are replaced, never changed.
  const reading = openThread<MemberCalls>(inside);
  const { store, folder, batch_bytes_max = BATCH_BYTES_MAX } = parts;
  const filesOf = (subject: Subject): SubjectPaths => {
    const path = join(folder, subject.replace(':', '-'));
    return { members: `${path}.members`, matched: `${path}.matched` };
  };
  const allFiles = (subjects: readonly Subject[]): Record<Subject, SubjectPaths> =>
    Object.fromEntries(subjects.map((subject) => [subject, filesOf(subject)]));
  const image = async (): Promise<ImageReference> => {
    // An empty directory needs no image, and no thread to make one.
    const { people: all, ...state } = await store.read((tx) => tx.directory.findState());
    if (all === 0) return { folder: '', people: 0, version: state.version, mark: crc32(state.mark) };
    const { folder, version, mark, people } = await parts.directory.files();
    return { folder, version, people, mark: crc32(mark) };
  };

  /** The number of the last merged upload; 0 for none. Files that do not match the log are deleted and rebuilt. */
  async function findMerged(subject: Subject): Promise<number> {
    const files = filesOf(subject);
    const found = await merging.call('look', files);
    if (!found) return 0;
    const upload = await store.read((tx) => tx.audienceLog.find(subject, found.merged));
    if (upload?.accepted_at === found.accepted_at) return found.merged;
    await merging.call('remove', files);
    return 0;
  }

  async function readBatch(subject: Subject, after: number, signal: AbortSignal): Promise<AudienceUpload[]> {
    const batch: AudienceUpload[] = [];
    let bytes = 0;
    while (bytes < batch_bytes_max) {
      signal.throwIfAborted();
      const from = batch.at(-1)?.number ?? after;
      const bytes_max = Math.min(READ_BYTES_MAX, batch_bytes_max - bytes);
      const more = await store.read((tx) => tx.audienceLog.findAfter(subject, from, bytes_max));
      if (more.length === 0) break;
      for (const { payload } of more) bytes += payload.length;
      batch.push(...more);
      await new Promise<void>(nextTurn);
    }
    return batch;
  }

  /** Merges the uploads that the log has now; later ones are merged next time. Returns the last merged upload. */
  async function catchUp(subject: Subject, signal: AbortSignal): Promise<number> {
    let merged = await findMerged(subject);
    const last = (await store.read((tx) => tx.audienceLog.find(subject)))?.number ?? 0;
    while (merged < last) {
      const read = await readBatch(subject, merged, signal);
      const uploads = read.map(({ accepted_at, payload }) => ({ accepted_at, payload: transferableBytes(payload) }));
      const batch = { uploads, last: read.at(-1)!.number };
      signal.throwIfAborted();
      await merging.call(
        'merge',
        { files: filesOf(subject), batch },
        uploads.map(({ payload }) => payload.buffer),
      );
      merged = batch.last;
    }
    return merged;
  }

  // One subject at a time: each file has a single writer, and memory holds one batch.
  let before: Promise<unknown> = Promise.resolve();
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = before.then(work);
    before = done.catch(() => undefined);
    return done;
  }

  /**
   * Merges and matches the uploads that the log has now; a deleted subject has no members. Returns the last merged
   * upload.
   * @source decision 262
   */
  const bringUpToDate = (subject: Subject, now_image: ImageReference, signal: AbortSignal): Promise<number> =>
    inTurn(async () => {
      signal.throwIfAborted();
      const kept = await store.read((tx) => tx.audiences.find(subject));
      if (kept?.deleted === 1) {
        // Its log is removed in steps, and is not read any more.
        await merging.call('remove', filesOf(subject));
        return 0;
      }
      const merged = await catchUp(subject, signal);
      signal.throwIfAborted();
      await merging.call('match', { files: filesOf(subject), image: now_image });
      return merged;
    });

  async function countMembers(
    tree: AudienceTree,
    strategy: MatchingStrategy,
    now: number,
    currentImage: ImageReference,
  ): Promise<Omit<AudienceSize, 'merged'>> {
    const files = allFiles(leavesOf(tree));
    const at = await countingTime(tree, now);
    const { size, nextChangeAt } = await reading.call('count', {
      tree,
      files,
      image: currentImage,
      strategy,
      now: at,
    });
    return { size, next_change_at: Number.isFinite(nextChangeAt) ? nextChangeAt : undefined };
  }

  /**
   * The time to count at: not before the last upload was accepted, in case the clock was set back.
   * @source decision 437
   */
  const countingTime = (tree: AudienceTree, now: number): Promise<number> =>
    store.read(async (tx) => {
      let latest = now;
      for (const leaf of leavesOf(tree)) {
        latest = Math.max(latest, (await tx.audienceLog.find(leaf))?.accepted_at ?? 0);
      }
      return latest;
    });

  const versionOf = (subject: Subject): Promise<string> => reading.call('version', filesOf(subject));

  return {
    async mergeAndCount(subject, strategy, now, signal = NEVER) {
      const currentImage = await image();
      const merged = await bringUpToDate(subject, currentImage, signal);
      return { merged, ...(await countMembers({ leaf: subject, negate: false }, strategy, now, currentImage)) };
    },
    async countTree(tree, strategy, now, signal = NEVER) {
      const currentImage = await image();
      for (const leaf of leavesOf(tree)) await bringUpToDate(leaf, currentImage, signal);
      return { merged: 0, ...(await countMembers(tree, strategy, now, currentImage)) };
    },
    async usersOf(tree, now) {
      const currentImage = await image();
      // Lost files are rebuilt before an empty audience is reported.
      for (const leaf of leavesOf(tree))
        if ((await versionOf(leaf)) === '') await bringUpToDate(leaf, currentImage, NEVER);
      const at = await countingTime(tree, now);
      return reading.call('list', { tree, files: allFiles(leavesOf(tree)), image: currentImage, now: at });
    },
    versionOf,
    forget: (subject) => inTurn(() => merging.call('remove', filesOf(subject))),
    async close() {
      await before;
      await Promise.all([merging.close(), reading.close()]);
    },
  };
}

/** Bytes that own their buffer, so that it can be transferred to a thread. */
function transferableBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
    ? new Uint8Array(buffer)
    : new Uint8Array(bytes);
}
