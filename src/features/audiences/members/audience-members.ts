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
import type { ImageFiles, SubjectFiles } from './file-paths.ts';
import type { MembershipAnswers } from './members-worker.ts';

/** What memberships are made of. */
export interface MembershipParts {
  readonly store: Store;
  readonly directory: Pick<DirectoryIndex, 'files'>;
  /** Where the files are kept; made when it is not there. */
  readonly folder: string;
  /** How much of the log is merged at once; less only for trials. */
  readonly batch_bytes_max?: number;
}

/** More than three million identifiers: each batch rewrites the file, so that few and large ones cost least. */
const BATCH_BYTES_MAX = 60_000_000;
/** The log is read in such pieces, one large upload each: a read of the embedded database holds up everybody else. */
const READ_BYTES_MAX = 1_400_000;

/** Who is in audiences: files below a folder, merged and read in threads. */
export function openMemberships(parts: MembershipParts): AudienceMembers {
  const inside = new URL('./members-worker.ts', import.meta.url);
  const merging = openThread<MembershipAnswers>(inside, { niceness: 15 });
  // Reading does not wait for what is being merged: files are replaced, never changed.
  const reading = openThread<MembershipAnswers>(inside);
  const { store, folder, batch_bytes_max = BATCH_BYTES_MAX } = parts;
  const filesOf = (subject: Subject): SubjectFiles => {
    const path = join(folder, subject.replace(':', '-'));
    return { members: `${path}.members`, matched: `${path}.matched` };
  };
  const allFiles = (subjects: readonly Subject[]): Record<Subject, SubjectFiles> =>
    Object.fromEntries(subjects.map((subject) => [subject, filesOf(subject)]));
  const image = async (): Promise<ImageFiles> => {
    // Of nobody no image is needed, and no thread that makes one.
    const { people: all, ...state } = await store.read((tx) => tx.directory.findState());
    if (all === 0) return { folder: '', people: 0, version: state.version, mark: crc32(state.mark) };
    const { folder, version, mark, people } = await parts.directory.files();
    return { folder, version, people, mark: crc32(mark) };
  };

  /** Up to where a subject is merged; what does not fit its log is thrown away, and made anew. */
  async function stateOf(subject: Subject): Promise<number> {
    const files = filesOf(subject);
    const found = await merging.call('look', files);
    if (!found) return 0;
    const upload = await store.read((tx) => tx.audienceLog.find(subject, found.merged));
    if (upload?.accepted_at === found.accepted_at) return found.merged;
    await merging.call('remove', files);
    return 0;
  }

  async function readBatch(subject: Subject, after: number): Promise<AudienceUpload[]> {
    const batch: AudienceUpload[] = [];
    let bytes = 0;
    while (bytes < batch_bytes_max) {
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

  /** Merges what the log has; what comes in the meantime is merged another time. */
  async function catchUp(subject: Subject): Promise<number> {
    let merged = await stateOf(subject);
    const last = (await store.read((tx) => tx.audienceLog.find(subject)))?.number ?? 0;
    while (merged < last) {
      const read = await readBatch(subject, merged);
      const uploads = read.map(({ accepted_at, payload }) => ({ accepted_at, payload: ownBytes(payload) }));
      const batch = { uploads, last: read.at(-1)!.number };
      await merging.call(
        'merge',
        { files: filesOf(subject), batch },
        uploads.map(({ payload }) => payload.buffer),
      );
      merged = batch.last;
    }
    return merged;
  }

  // One subject at a time: of each there is one writer, and memory is needed for one batch.
  let before: Promise<unknown> = Promise.resolve();
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = before.then(work);
    before = done.catch(() => undefined);
    return done;
  }

  const bringUp = (subject: Subject, now_image: ImageFiles): Promise<number> =>
    inTurn(async () => {
      const kept = await store.read((tx) => tx.audiences.find(subject));
      if (kept?.deleted === 1) {
        // Its log goes piece by piece: what is left of it means nobody.
        await merging.call('remove', filesOf(subject));
        return 0;
      }
      const merged = await catchUp(subject);
      await merging.call('match', { files: filesOf(subject), image: now_image });
      return merged;
    });

  async function countOf(
    tree: AudienceTree,
    strategy: MatchingStrategy,
    now: number,
    shown: ImageFiles,
  ): Promise<Omit<AudienceSize, 'merged'>> {
    const files = allFiles(leavesOf(tree));
    const at = await notBeforeUploads(tree, now);
    const { size, change } = await reading.call('count', { tree, files, image: shown, strategy, now: at });
    return { size, next_change_at: Number.isFinite(change) ? change : undefined };
  }

  /**
   * The time to count at: never before the last upload was accepted, as a clock that was set back says.
   * @source decision 437
   */
  const notBeforeUploads = (tree: AudienceTree, now: number): Promise<number> =>
    store.read(async (tx) => {
      let latest = now;
      for (const leaf of leavesOf(tree)) {
        latest = Math.max(latest, (await tx.audienceLog.find(leaf))?.accepted_at ?? 0);
      }
      return latest;
    });

  const versionOf = (subject: Subject): Promise<string> => reading.call('version', filesOf(subject));

  return {
    async mergeAndCount(subject, strategy, now) {
      const shown = await image();
      const merged = await bringUp(subject, shown);
      return { merged, ...(await countOf({ leaf: subject, negate: false }, strategy, now, shown)) };
    },
    async countTree(tree, strategy, now) {
      const shown = await image();
      for (const leaf of leavesOf(tree)) await bringUp(leaf, shown);
      return { merged: 0, ...(await countOf(tree, strategy, now, shown)) };
    },
    async usersOf(tree, now) {
      const shown = await image();
      // Files that were lost are made anew before anybody is told that nobody is there.
      for (const leaf of leavesOf(tree)) if ((await versionOf(leaf)) === '') await bringUp(leaf, shown);
      const at = await notBeforeUploads(tree, now);
      return reading.call('list', { tree, files: allFiles(leavesOf(tree)), image: shown, now: at });
    },
    versionOf,
    forget: (subject) => inTurn(() => merging.call('remove', filesOf(subject))),
    async close() {
      await before;
      await Promise.all([merging.close(), reading.close()]);
    },
  };
}

/** Bytes that can be given away with their memory. */
function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
    ? new Uint8Array(buffer)
    : new Uint8Array(bytes);
}
