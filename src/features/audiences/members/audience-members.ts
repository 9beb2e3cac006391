import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { formatInstant } from '../../../base/instants.ts';
import { openThread } from '../../../base/threads.ts';
import { every } from '../../../base/timers.ts';
import { StoreUnavailable } from '../../../contract/problems/store-unavailable.ts';
import type { DerivedObjects } from '../../../contract/services/derived-files.ts';
import {
  AUDIENCE_PROCESSING,
  type AudienceMembers,
  type AudienceSize,
  type AudienceTree,
  type MatchingStrategy,
  type Subject,
} from '../../../contract/store/audiences.ts';
import { EVERYTHING } from '../../../contract/store/cache-changes.ts';
import type { BuiltFiles } from '../../../contract/store/derived-files.ts';
import type { DirectoryIndex } from '../../../contract/store/directory.ts';
import type { Store } from '../../../contract/store/store.ts';
import { leavesOf } from './audience-tree.ts';
import type { ImageReference, SubjectPaths } from './file-paths.ts';
import type { MemberCalls } from './members-worker.ts';
import { MATCHED, NO_FILES, subjectFiles } from './subject-files.ts';

/** Dependencies of audience members. */
export interface AudienceMembersDependencies {
  readonly store: Store;
  readonly directory: Pick<DirectoryIndex, 'files'>;
  readonly derived: DerivedObjects;
  /** The folder of the files that this node builds; created when missing. */
  readonly folder: string;
  /** Bytes of the log in one merge; smaller only in tests. */
  readonly batch_bytes_max?: number;
  /** After how long a copy is fetched again that could not be; shorter only in tests. */
  readonly refresh_ms?: number;
}

/** About 400,000 identifiers, which take some 50 MB while they are merged, and as many that are read meanwhile. */
const BATCH_BYTES_MAX = 7_000_000;
/** Attempts at a query: files may be replaced after they were found and before they are read. */
const TRIES = 3;
/** What could not be fetched or removed when it changed is tried again after this. */
const REFRESH_MS = 600_000;
/** Its threads end after so long without work: each takes some 30 MB. */
const IDLE_MS = 10_000;

/** The signal of work that nobody stops. */
const NEVER = new AbortController().signal;

/** Opens the members of audiences: files that are merged and read in threads. */
export function openAudienceMembers(parts: AudienceMembersDependencies): AudienceMembers {
  const inside = new URL('./members-worker.ts', import.meta.url);
  const merging = openThread<MemberCalls>(inside, { niceness: 15, idle_ms: IDLE_MS });
  // Reads do not wait for merges: files are replaced, never changed.
  const reading = openThread<MemberCalls>(inside, { idle_ms: IDLE_MS });
  const { store, derived, folder, batch_bytes_max = BATCH_BYTES_MAX } = parts;
  const subjects = subjectFiles({ store, derived, folder, thread: merging, batch_bytes_max });
  void removeFormerFiles(folder).catch(() => undefined);

  const image = async (): Promise<ImageReference> => {
    // An empty directory needs no image, and no thread to make one.
    const { people: all, ...state } = await store.read((tx) => tx.directory.findState());
    if (all === 0) return { folder: '', people: 0, version: state.version, mark: crc32(state.mark) };
    const files = await parts.directory.files();
    return { folder: files.folder, version: files.version, people: files.people, mark: crc32(files.mark) };
  };

  let refreshing: Promise<unknown> = Promise.resolve();
  let failed = new Set<Subject>();
  const refresh = (find: () => Iterable<Subject> | Promise<Iterable<Subject>>): void => {
    const work = async (): Promise<void> => {
      for (const subject of await find()) await subjects.refresh(subject).catch(() => failed.add(subject));
    };
    refreshing = refreshing.then(work).catch(() => undefined);
  };
  store.onInvalidate(['files'], (changes) => {
    if (changes !== EVERYTHING) refresh(() => changedSubjects(changes));
    // On SQLite there are no other nodes: what is here is what this process has recorded.
    else if (store.fence) refresh(subjects.listSubjects);
  });
  const stopRefreshing = every(parts.refresh_ms ?? REFRESH_MS, () => {
    const again = failed;
    failed = new Set();
    refresh(() => again);
  });

  async function countMembers(
    tree: AudienceTree,
    strategy: MatchingStrategy,
    now: number,
    on: { readonly image: ImageReference; readonly files: Readonly<Record<Subject, SubjectPaths>> },
  ): Promise<Omit<AudienceSize, 'merged'>> {
    const at = await countingTime(tree, now);
    const counted = await reading.call('count', { tree, ...on, strategy, now: at });
    if (!counted) throw new Error('the files of an audience were removed while it was counted');
    const { size, nextChangeAt } = counted;
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

  /** The recorded matched users of a subject; the newest copy while the object store is away. @source decision 794 */
  async function findRecorded(subject: Subject): Promise<string | undefined> {
    const recorded = await store.read((tx) => tx.derivedFiles.list(subject));
    const file = recorded.find(({ name }) => name === MATCHED);
    try {
      return file && (await derived.fetch(subject, file));
    } catch (error) {
      const copy = error instanceof StoreUnavailable ? await derived.findCopy(subject, MATCHED) : undefined;
      if (copy === undefined) throw error;
      return copy;
    }
  }

  /** The files of a subject that are not recorded or were lost are built here; a job stores them again. */
  async function rebuild(subject: Subject, currentImage: ImageReference, now: number): Promise<SubjectPaths> {
    const { paths } = await subjects.prepare(subject, currentImage, NEVER, false);
    if (paths === NO_FILES) return NO_FILES;
    const run_at = formatInstant(now * 1000);
    await store.write((tx) => tx.jobs.planNoLaterThan({ kind: AUDIENCE_PROCESSING, key: subject, run_at }));
    return paths;
  }

  return {
    async mergeAndCount(subject, strategy, now, signal = NEVER) {
      const nobody = await subjects.buildOfNobody(subject);
      if (nobody) return { merged: 0, built: [nobody], size: 0, next_change_at: undefined };
      const currentImage = await image();
      const { merged, paths, built } = await subjects.prepare(subject, currentImage, signal, true);
      const on = { image: currentImage, files: { [subject]: paths } };
      return { merged, built: [built], ...(await countMembers({ leaf: subject, negate: false }, strategy, now, on)) };
    },
    async countTree(tree, strategy, now, signal = NEVER) {
      const currentImage = await image();
      const files: Record<Subject, SubjectPaths> = {};
      const built: BuiltFiles[] = [];
      for (const leaf of leavesOf(tree)) {
        const prepared = await subjects.prepare(leaf, currentImage, signal, true);
        files[leaf] = prepared.paths;
        built.push(prepared.built);
      }
      return { merged: 0, built, ...(await countMembers(tree, strategy, now, { image: currentImage, files })) };
    },
    async usersOf(tree, now) {
      const currentImage = await image();
      const at = await countingTime(tree, now);
      for (let tries = 1; ; tries++) {
        const files: Record<Subject, SubjectPaths> = {};
        for (const leaf of leavesOf(tree)) {
          // A recorded file that is damaged is never found.
          const matched = tries < TRIES ? await findRecorded(leaf) : undefined;
          files[leaf] = matched === undefined ? await rebuild(leaf, currentImage, now) : { members: '', matched };
        }
        const users = await reading.call('list', { tree, files, image: currentImage, now: at });
        if (users) return users;
        if (tries === TRIES) throw new Error('the files of an audience were removed while they were read');
      }
    },
    async versionOf(subject) {
      const recorded = await store.read((tx) => tx.derivedFiles.list(subject));
      const file = recorded.find(({ name }) => name === MATCHED);
      return file?.version ?? reading.call('version', subjects.workOf(subject).matched);
    },
    forget: (subject) => subjects.forget(subject),
    async close() {
      stopRefreshing();
      await refreshing;
      await subjects.settled();
      await Promise.all([merging.close(), reading.close()]);
    },
  };
}

/** Versions before runs had a file of members for each subject, which is of no use any more. */
async function removeFormerFiles(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (name.endsWith('.members')) await rm(join(folder, name), { force: true });
}

/** The subjects whose files have changed, by the tags of the changes. */
function changedSubjects(tags: ReadonlySet<string>): Subject[] {
  const owners = [...tags].filter((tag) => tag.startsWith('files:')).map((tag) => tag.slice('files:'.length));
  return owners.filter((owner): owner is Subject => /^(audience|list):/.test(owner));
}
