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
  type ProcessedAudience,
  type Subject,
} from '../../../contract/store/audiences.ts';
import { EVERYTHING } from '../../../contract/store/cache-changes.ts';
import type { BuiltFiles, DerivedFile } from '../../../contract/store/derived-files.ts';
import type { DirectoryIndex } from '../../../contract/store/directory.ts';
import type { Store } from '../../../storage/unit-of-work.ts';
import { leavesOf } from './audience-tree.ts';
import type { ImageReference, SubjectPaths } from './file-paths.ts';
import type { MemberCalls } from './members-worker.ts';
import { MATCHED, NO_FILES, SubjectFiles } from './subject-files.ts';

/** Dependencies of audience members. */
interface AudienceMembersDependencies {
  readonly store: Store;
  readonly directory: Pick<DirectoryIndex, 'files'>;
  readonly derived: DerivedObjects;
  /** The folder of the files that this node builds; created if missing. */
  readonly folder: string;
  /** Size of a merge batch in bytes; smaller only in tests. */
  readonly batch_bytes_max?: number;
  /** Retry interval of failed fetches; shorter only in tests. */
  readonly refresh_ms?: number;
}

/** Size of a merge batch: about 400,000 identifiers, which take 50 MB, in addition to those of the next batch. */
const BATCH_BYTES_MAX = 7_000_000;
/** Attempts at a query, because files may be replaced before they are read. */
const TRIES = 3;
/** Retry interval of failed fetches and removals. */
const REFRESH_MS = 600_000;
/** Idle threads end after this long, because each takes about 30 MB. */
const IDLE_MS = 10_000;

const NEVER = new AbortController().signal;
const WORKER = new URL('./members-worker.ts', import.meta.url);

/** The members of audiences, in files that threads merge and read. */
export class AudienceMemberIndex implements AudienceMembers {
  readonly #deps: AudienceMembersDependencies;
  readonly #merging = openThread<MemberCalls>(WORKER, { niceness: 15, idle_ms: IDLE_MS });
  /** Reads do not wait for merges, because files are replaced, never changed. */
  readonly #reading = openThread<MemberCalls>(WORKER, { idle_ms: IDLE_MS });
  readonly #subjects: SubjectFiles;
  #refreshing: Promise<unknown> = Promise.resolve();
  #failed = new Set<Subject>();
  readonly #stopRefreshing: () => void;

  constructor(deps: AudienceMembersDependencies) {
    const { store, derived, folder, batch_bytes_max = BATCH_BYTES_MAX, refresh_ms = REFRESH_MS } = deps;
    this.#deps = deps;
    this.#subjects = new SubjectFiles({ store, derived, folder, thread: this.#merging, batch_bytes_max });
    void removeFormerFiles(folder).catch(() => undefined);
    store.onInvalidate(['files'], (changes) => {
      if (changes !== EVERYTHING) this.#refresh(() => changedSubjects(changes));
      // Not on SQLite, which has no other nodes that could have recorded files.
      else if (store.fence) this.#refresh(() => this.#subjects.listSubjects());
    });
    this.#stopRefreshing = every(refresh_ms, () => {
      const again = this.#failed;
      this.#failed = new Set();
      this.#refresh(() => again);
    });
  }

  #refresh(find: () => Iterable<Subject> | Promise<Iterable<Subject>>): void {
    const work = async (): Promise<void> => {
      for (const subject of await find()) await this.#subjects.refresh(subject).catch(() => this.#failed.add(subject));
    };
    this.#refreshing = this.#refreshing.then(work).catch(() => undefined);
  }

  async #image(): Promise<ImageReference> {
    const { store, directory } = this.#deps;
    const { people: all, ...state } = await store.read((tx) => tx.directory.findState());
    // An empty directory needs no image, nor a thread to build it.
    const { folder, version, people, mark } = all === 0 ? { ...state, folder: '', people: 0 } : await directory.files();
    return { folder, version, people, mark: crc32(mark) };
  }

  async #countMembers(
    tree: AudienceTree,
    strategy: MatchingStrategy,
    now: number,
    on: { readonly image: ImageReference; readonly files: Readonly<Record<Subject, SubjectPaths>> },
  ): Promise<Omit<AudienceSize, 'merged'>> {
    const at = await this.#countingTime(tree, now);
    const counted = await this.#reading.call('count', { tree, ...on, strategy, now: at });
    if (!counted) throw new Error('the files of an audience were removed while it was counted');
    const { size, nextChangeAt } = counted;
    return { size, next_change_at: Number.isFinite(nextChangeAt) ? nextChangeAt : undefined };
  }

  /** Returns the time to count at: not before the last upload was accepted, in case the clock was set back. @source decision 437 */
  #countingTime(tree: AudienceTree, now: number): Promise<number> {
    return this.#deps.store.read(async (tx) => {
      let latest = now;
      for (const leaf of leavesOf(tree)) {
        latest = Math.max(latest, (await tx.audienceLog.find(leaf))?.accepted_at ?? 0);
      }
      return latest;
    });
  }

  /** Finds the record of the file of matched users of a subject. */
  async #findRecord(subject: Subject): Promise<DerivedFile | undefined> {
    const recorded = await this.#deps.store.read((tx) => tx.derivedFiles.list(subject));
    return recorded.find(({ name }) => name === MATCHED);
  }

  /** Finds the recorded matched users of a subject; the newest copy while the object store is unreachable. @source decision 794 */
  async #findRecorded(subject: Subject): Promise<string | undefined> {
    const { derived } = this.#deps;
    const file = await this.#findRecord(subject);
    try {
      return file && (await derived.fetch(subject, file));
    } catch (error) {
      const copy = error instanceof StoreUnavailable ? await derived.findCopy(subject, MATCHED) : undefined;
      if (copy === undefined) throw error;
      return copy;
    }
  }

  /** Builds local files that are not recorded or were lost; a job stores them again. */
  async #rebuild(subject: Subject, image: ImageReference, now: number): Promise<SubjectPaths> {
    const { paths } = await this.#subjects.prepare(subject, image, NEVER, false);
    if (paths === NO_FILES) return NO_FILES;
    const run_at = formatInstant(now * 1000);
    await this.#deps.store.write((tx) => tx.jobs.planNoLaterThan({ kind: AUDIENCE_PROCESSING, key: subject, run_at }));
    return paths;
  }

  async mergeAndCount(
    subject: Subject,
    strategy: MatchingStrategy,
    now: number,
    signal = NEVER,
  ): Promise<ProcessedAudience> {
    const empty = await this.#subjects.buildEmpty(subject);
    if (empty) return { merged: 0, built: [empty], size: 0, next_change_at: undefined };
    const image = await this.#image();
    const { merged, paths, built } = await this.#subjects.prepare(subject, image, signal, true);
    const on = { image, files: { [subject]: paths } };
    return {
      merged,
      built: [built],
      ...(await this.#countMembers({ leaf: subject, negate: false }, strategy, now, on)),
    };
  }

  async countTree(
    tree: AudienceTree,
    strategy: MatchingStrategy,
    now: number,
    signal = NEVER,
  ): Promise<ProcessedAudience> {
    const image = await this.#image();
    const files: Record<Subject, SubjectPaths> = {};
    const built: BuiltFiles[] = [];
    for (const leaf of leavesOf(tree)) {
      const prepared = await this.#subjects.prepare(leaf, image, signal, true);
      files[leaf] = prepared.paths;
      built.push(prepared.built);
    }
    return { merged: 0, built, ...(await this.#countMembers(tree, strategy, now, { image, files })) };
  }

  async usersOf(tree: AudienceTree, now: number): Promise<Uint32Array> {
    const image = await this.#image();
    const at = await this.#countingTime(tree, now);
    for (let tries = 1; ; tries++) {
      const files: Record<Subject, SubjectPaths> = {};
      for (const leaf of leavesOf(tree)) {
        // The last attempt rebuilds, because a damaged recorded file would never be found.
        const matched = tries < TRIES ? await this.#findRecorded(leaf) : undefined;
        files[leaf] = matched === undefined ? await this.#rebuild(leaf, image, now) : { members: '', matched };
      }
      const users = await this.#reading.call('listUsers', { tree, files, image, now: at });
      if (users) return users;
      if (tries === TRIES) throw new Error('the files of an audience were removed while they were read');
    }
  }

  async versionOf(subject: Subject): Promise<string> {
    const file = await this.#findRecord(subject);
    return file?.version ?? this.#reading.call('matchedVersion', this.#subjects.pathsOf(subject).matched);
  }

  forget(subject: Subject): Promise<void> {
    return this.#subjects.forget(subject);
  }

  async close(): Promise<void> {
    this.#stopRefreshing();
    await this.#refreshing;
    await this.#subjects.settled();
    await Promise.all([this.#merging.close(), this.#reading.close()]);
  }
}

/** Removes the files of former releases, which had a file of members for each subject instead of runs. */
async function removeFormerFiles(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.endsWith('.members')) await rm(join(folder, name), { force: true });
  }
}

/** Returns the subjects whose files have changed, from invalidation tags. */
function changedSubjects(tags: ReadonlySet<string>): Subject[] {
  const owners = [...tags].filter((tag) => tag.startsWith('files:')).map((tag) => tag.slice('files:'.length));
  return owners.filter((owner): owner is Subject => /^(audience|list):/.test(owner));
}
