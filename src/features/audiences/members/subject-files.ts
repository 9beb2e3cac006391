import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Thread } from '../../../base/threads.ts';
import { nextTurn } from '../../../base/timers.ts';
import type { DerivedObjects, FileToStore } from '../../../contract/services/derived-files.ts';
import type { AudienceUpload, Subject } from '../../../contract/store/audiences.ts';
import type { BuiltFiles, DerivedFile } from '../../../contract/store/derived-files.ts';
import type { Store } from '../../../storage/unit-of-work.ts';
import type { ImageReference, SubjectPaths } from './file-paths.ts';
import { chainOf, rangeOf, runName } from './member-runs.ts';
import type { MemberCalls, MergeState } from './members-worker.ts';

/** Dependencies of the files of subjects. */
interface SubjectFilesParts {
  readonly store: Store;
  readonly derived: DerivedObjects;
  /** The folder of the files that this node builds; created if missing. */
  readonly folder: string;
  readonly thread: Thread<MemberCalls>;
  readonly batch_bytes_max: number;
}

/** Local, current files of a subject. */
interface PreparedFiles {
  /** The last merged upload; 0 for none. */
  readonly merged: number;
  readonly paths: SubjectPaths;
}

/** Prefix of the names of derived files for runs. */
const RUN_PREFIX = 'members-';
/** The name of the derived file of matched users. */
export const MATCHED = 'matched';

/** A recorded, valid run. */
interface RecordedRun {
  readonly first: number;
  readonly last: number;
  readonly path: string;
  readonly state: MergeState;
}

/** The paths of a subject without members. */
export const NO_FILES: SubjectPaths = { members: '', matched: '' };

/** Size of one read of the log in bytes, about a large upload, because reads of SQLite block the process. */
const READ_BYTES_MAX = 1_400_000;

/**
 * The files of subjects that this node builds. They continue from those that any node has recorded, and are stored as objects
 * once they are complete. One subject at a time, so that each file has a single writer, and memory holds one batch.
 * @source decision 262, 792
 */
export class SubjectFiles {
  readonly #parts: SubjectFilesParts;
  #before: Promise<unknown> = Promise.resolve();

  constructor(parts: SubjectFilesParts) {
    this.#parts = parts;
  }

  /** Returns the paths of the local files of a subject. */
  pathsOf(subject: Subject): SubjectPaths {
    const path = join(this.#parts.folder, subject.replace(':', '-'));
    return { members: `${path}.runs`, matched: `${path}.matched` };
  }

  /**
   * Merges and matches the uploads in the log; a deleted subject has no members. `isToBeStored`: stores files as objects if
   * they are newer than the recorded ones.
   */
  prepare(
    subject: Subject,
    image: ImageReference,
    signal: AbortSignal,
    isToBeStored: boolean,
  ): Promise<PreparedFiles & { readonly built: BuiltFiles }> {
    return this.#inTurn(async () => {
      signal.throwIfAborted();
      const { store, thread } = this.#parts;
      const { audience, former } = await store.read(async (tx) => ({
        audience: await tx.audiences.find(subject),
        former: await tx.derivedFiles.list(subject),
      }));
      const nothing = { merged: 0, paths: NO_FILES, built: { owner: subject, former, files: [] } };
      const paths = this.pathsOf(subject);
      if (audience?.deleted === 1) {
        // Its log is being removed in steps.
        await thread.call('remove', paths);
        return nothing;
      }
      const formerMatched = former.find(({ name }) => name === MATCHED);
      const sound = new Set(await this.#adoptMembers(subject, former.filter(isRun)));
      const merged = await this.#catchUp(subject, signal);
      const state = await thread.call('readMergeState', paths.members);
      if (!state) return nothing;
      const version = `${versionOf(state)}.${image.version}.${image.mark}`;
      if ((await this.#adoptMatched(subject, formerMatched, version)) === version) sound.add(formerMatched!);
      signal.throwIfAborted();
      await thread.call('match', { files: paths, image });
      const files = isToBeStored ? await this.#store(subject, version, sound, signal) : former;
      return { merged, paths, built: { owner: subject, former, files } };
    });
  }

  /** Stores the files of a subject as objects, except those that are recorded and valid. */
  async #store(
    subject: Subject,
    matchedVersion: string,
    sound: ReadonlySet<DerivedFile>,
    signal: AbortSignal,
  ): Promise<DerivedFile[]> {
    const { thread, derived } = this.#parts;
    const { members, matched } = this.pathsOf(subject);
    const runs = await thread.call('listRuns', members);
    const current: FileToStore[] = [
      ...runs.map(({ name, path, state }) => ({ name: `${RUN_PREFIX}${name}`, path, version: versionOf(state) })),
      { name: MATCHED, version: matchedVersion, path: matched },
    ];
    const recorded = ({ name, version }: FileToStore): DerivedFile | undefined =>
      [...sound].find((file) => file.name === name && file.version === version);
    const unrecorded = current.filter((file) => recorded(file) === undefined);
    const stored = await derived.store(subject, unrecorded, signal);
    return current.map((file) => recorded(file) ?? stored[unrecorded.indexOf(file)]!);
  }

  /** Returns the empty files of a subject without uploads, without a thread; undefined for others. */
  async buildEmpty(subject: Subject): Promise<BuiltFiles | undefined> {
    const { last, former } = await this.#parts.store.read(async (tx) => ({
      last: await tx.audienceLog.find(subject),
      former: await tx.derivedFiles.list(subject),
    }));
    return last === undefined && former.length === 0 ? { owner: subject, former, files: [] } : undefined;
  }

  /** Removes all local files of a subject. */
  forget(subject: Subject): Promise<void> {
    return this.#inTurn(async () => {
      await this.#parts.thread.call('remove', this.pathsOf(subject));
      await this.#parts.derived.refresh(subject, async () => [], 'all');
    });
  }

  /** Updates local files to those that any node has recorded. */
  async refresh(subject: Subject): Promise<void> {
    const { store, derived, thread } = this.#parts;
    const { audience, files } = await store.read(async (tx) => ({
      audience: await tx.audiences.find(subject),
      files: await tx.derivedFiles.list(subject),
    }));
    if (audience?.deleted !== 0) return this.forget(subject);
    await derived.refresh(subject, async () => files, 'those here');
    const recorded = Math.max(0, ...files.filter(isRun).map(({ version }) => Number.parseInt(version, 10)));
    await this.#inTurn(async () => {
      const paths = this.pathsOf(subject);
      const own = await thread.call('readMergeState', paths.members);
      if (own && own.merged < recorded) await thread.call('remove', paths);
    });
  }

  /** Lists the subjects with local files. */
  async listSubjects(): Promise<Subject[]> {
    const names = await readdir(this.#parts.folder).catch(() => []);
    const own = names.map((name) => name.replace(/\..*/, '').replace('-', ':'));
    return [...new Set([...own, ...(await this.#parts.derived.listOwners())])] as Subject[];
  }

  /** Waits for the work under way. */
  async settled(): Promise<void> {
    await this.#before;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#before.then(work);
    this.#before = done.catch(() => undefined);
    return done;
  }

  /** Returns the number of the last merged upload, 0 for none. Removes files that do not match the log. */
  async #findMerged(subject: Subject): Promise<number> {
    const { thread } = this.#parts;
    const paths = this.pathsOf(subject);
    const state = await thread.call('readMergeState', paths.members);
    if (!state) return 0;
    if (await this.#matchesLog(subject, state)) return state.merged;
    await thread.call('remove', paths);
    return 0;
  }

  async #matchesLog(subject: Subject, { merged, accepted_at }: MergeState): Promise<boolean> {
    const upload = await this.#parts.store.read((tx) => tx.audienceLog.find(subject, merged));
    return upload?.accepted_at === accepted_at;
  }

  async #readBatch(subject: Subject, after: number, signal: AbortSignal): Promise<AudienceUpload[]> {
    const { store, batch_bytes_max } = this.#parts;
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

  /** Merges the uploads in the log, reading each batch while the previous one is merged. Returns the last merged upload. */
  async #catchUp(subject: Subject, signal: AbortSignal): Promise<number> {
    const { store, thread } = this.#parts;
    let merged = await this.#findMerged(subject);
    const last = (await store.read((tx) => tx.audienceLog.find(subject)))?.number ?? 0;
    if (merged >= last) return merged;
    let reading = this.#readBatch(subject, merged, signal);
    while (merged < last) {
      const read = await reading;
      signal.throwIfAborted();
      const uploads = read.map(({ accepted_at, payload }) => ({ accepted_at, payload: transferableBytes(payload) }));
      const batch = { uploads, last: read.at(-1)!.number };
      const transferred = uploads.map(({ payload }) => payload.buffer);
      const merging = thread.call('merge', { files: this.pathsOf(subject), batch }, transferred);
      reading = batch.last < last ? this.#readBatch(subject, batch.last, signal) : reading;
      await Promise.allSettled([merging, reading]);
      await merging;
      merged = batch.last;
    }
    return merged;
  }

  async #fetch(subject: Subject, file: DerivedFile | undefined): Promise<string> {
    return (file && (await this.#parts.derived.fetch(subject, file))) ?? '';
  }

  /** Adopts the recorded runs if they are ahead of the local ones. Returns the valid ones. */
  async #adoptMembers(subject: Subject, recorded: readonly DerivedFile[]): Promise<Iterable<DerivedFile>> {
    const { thread } = this.#parts;
    const sound = new Map<DerivedFile, RecordedRun>();
    for (const file of recorded) {
      const range = rangeOf(file.name.slice(RUN_PREFIX.length));
      const path = range && (await this.#fetch(subject, file));
      const state = path ? await thread.call('readRunState', path) : undefined;
      if (state && versionOf(state) === file.version) sound.set(file, { ...range!, path: path!, state });
    }
    const chain = chainOf([...sound.values()], (run) => run);
    const state = chain.at(-1)?.state;
    if (state && state.merged > (await this.#findMerged(subject)) && (await this.#matchesLog(subject, state))) {
      const from = chain.map(({ first, last, path }) => ({ name: runName(first, last), path }));
      await thread.call('adoptRuns', { from, to: this.pathsOf(subject).members });
    }
    return sound.keys();
  }

  /** Adopts the recorded matched users if they have the wanted version. Returns their version. */
  async #adoptMatched(subject: Subject, recorded: DerivedFile | undefined, wanted: string): Promise<string> {
    const { thread } = this.#parts;
    const from = await this.#fetch(subject, recorded);
    const version = from === '' ? '' : await thread.call('matchedVersion', from);
    const { matched } = this.pathsOf(subject);
    if (version === wanted && (await thread.call('matchedVersion', matched)) !== wanted) {
      await thread.call('adopt', { from, to: matched });
    }
    return version;
  }
}

function isRun({ name }: DerivedFile): boolean {
  return name.startsWith(RUN_PREFIX);
}

function versionOf({ merged, accepted_at }: MergeState): string {
  return `${merged}.${accepted_at}`;
}

/** Returns bytes that own their buffer, so that it can be transferred to a thread. */
function transferableBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
    ? new Uint8Array(buffer)
    : new Uint8Array(bytes);
}
