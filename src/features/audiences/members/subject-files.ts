import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Thread } from '../../../base/threads.ts';
import { nextTurn } from '../../../base/timers.ts';
import type { DerivedObjects, FileToStore } from '../../../contract/services/derived-files.ts';
import type { AudienceUpload, Subject } from '../../../contract/store/audiences.ts';
import type { BuiltFiles, DerivedFile } from '../../../contract/store/derived-files.ts';
import type { Store } from '../../../contract/store/store.ts';
import type { ImageReference, SubjectPaths } from './file-paths.ts';
import { chainOf, rangeOf, runName } from './member-runs.ts';
import type { MemberCalls } from './members-worker.ts';

/** Dependencies of the files of subjects. */
export interface SubjectFilesParts {
  readonly store: Store;
  readonly derived: DerivedObjects;
  /** The folder of the files that this node builds; created when missing. */
  readonly folder: string;
  readonly thread: Thread<MemberCalls>;
  readonly batch_bytes_max: number;
}

/** Files of a subject that are up to date on this node. */
export interface PreparedFiles {
  /** The last merged upload; 0 for none. */
  readonly merged: number;
  readonly paths: SubjectPaths;
}

/** What the names of derived files that are runs begin with. */
const RUN_PREFIX = 'members-';
/** The name of the derived file of matched users. */
export const MATCHED = 'matched';

const isRun = ({ name }: DerivedFile): boolean => name.startsWith(RUN_PREFIX);

/** A run that is recorded and sound. */
interface RecordedRun {
  readonly first: number;
  readonly last: number;
  readonly path: string;
  /** Its last upload, and when that was accepted. */
  readonly state: { readonly merged: number; readonly accepted_at: number };
}

/** The paths of a subject without members. */
export const NO_FILES: SubjectPaths = { members: '', matched: '' };

/** Bytes in one read of the log, about one large upload: reads of SQLite block the process. */
const READ_BYTES_MAX = 1_400_000;

/**
 * The files of subjects that this node builds: they continue from what any node has recorded, and are stored as objects
 * when they are complete. One subject at a time: each file has a single writer, and memory holds one batch.
 * @source decision 262, 792
 */
export function subjectFiles({ store, derived, folder, thread, batch_bytes_max }: SubjectFilesParts) {
  const workOf = (subject: Subject): SubjectPaths => {
    const path = join(folder, subject.replace(':', '-'));
    return { members: `${path}.runs`, matched: `${path}.matched` };
  };
  let before: Promise<unknown> = Promise.resolve();
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = before.then(work);
    before = done.catch(() => undefined);
    return done;
  }

  /** The number of the last merged upload; 0 for none. Files that do not match the log are deleted and rebuilt. */
  async function findMerged(subject: Subject): Promise<number> {
    const work = workOf(subject);
    const found = await thread.call('look', work.members);
    if (!found) return 0;
    if (await matchesLog(subject, found)) return found.merged;
    await thread.call('remove', work);
    return 0;
  }

  async function matchesLog(
    subject: Subject,
    { merged, accepted_at }: { readonly merged: number; readonly accepted_at: number },
  ): Promise<boolean> {
    const upload = await store.read((tx) => tx.audienceLog.find(subject, merged));
    return upload?.accepted_at === accepted_at;
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

  /**
   * Merges the uploads that the log has now, reading each batch while the one before is merged; later ones are merged
   * next time. Returns the last merged upload.
   */
  async function catchUp(subject: Subject, signal: AbortSignal): Promise<number> {
    let merged = await findMerged(subject);
    const last = (await store.read((tx) => tx.audienceLog.find(subject)))?.number ?? 0;
    if (merged >= last) return merged;
    let reading = readBatch(subject, merged, signal);
    while (merged < last) {
      const read = await reading;
      signal.throwIfAborted();
      const uploads = read.map(({ accepted_at, payload }) => ({ accepted_at, payload: transferableBytes(payload) }));
      const batch = { uploads, last: read.at(-1)!.number };
      const transferred = uploads.map(({ payload }) => payload.buffer);
      const merging = thread.call('merge', { files: workOf(subject), batch }, transferred);
      reading = batch.last < last ? readBatch(subject, batch.last, signal) : reading;
      await Promise.allSettled([merging, reading]);
      await merging;
      merged = batch.last;
    }
    return merged;
  }

  const fetch = async (subject: Subject, file: DerivedFile | undefined): Promise<string> =>
    (file && (await derived.fetch(subject, file))) ?? '';

  /**
   * Continues from the runs that are recorded, if they are ahead of what this node has. Returns those whose objects are
   * sound.
   */
  async function adoptMembers(subject: Subject, recorded: readonly DerivedFile[]): Promise<ReadonlySet<DerivedFile>> {
    const sound = new Map<DerivedFile, RecordedRun>();
    for (const file of recorded) {
      const range = rangeOf(file.name.slice(RUN_PREFIX.length));
      const path = range && (await fetch(subject, file));
      const state = path ? await thread.call('lookAtRun', path) : undefined;
      if (state && versionOf(state) === file.version) sound.set(file, { ...range!, path: path!, state });
    }
    const chain = chainOf([...sound.values()], (run) => run);
    const state = chain.at(-1)?.state;
    if (state && state.merged > (await findMerged(subject)) && (await matchesLog(subject, state))) {
      const from = chain.map(({ first, last, path }) => ({ name: runName(first, last), path }));
      await thread.call('adoptRuns', { from, to: workOf(subject).members });
    }
    return new Set(sound.keys());
  }

  /** The same for the matched users, which fit only what they were made from. Returns their version. */
  async function adoptMatched(subject: Subject, recorded: DerivedFile | undefined, wanted: string): Promise<string> {
    const from = await fetch(subject, recorded);
    const version = from === '' ? '' : await thread.call('version', from);
    const { matched } = workOf(subject);
    if (version === wanted && (await thread.call('version', matched)) !== wanted) {
      await thread.call('adopt', { from, to: matched });
    }
    return version;
  }

  /**
   * Merges and matches the uploads that the log has now; a deleted subject has no members. `isToBeStored`: stores files
   * that are newer than those that are recorded, as objects.
   */
  const prepare = (
    subject: Subject,
    image: ImageReference,
    signal: AbortSignal,
    isToBeStored: boolean,
  ): Promise<PreparedFiles & { readonly built: BuiltFiles }> =>
    inTurn(async () => {
      signal.throwIfAborted();
      const { kept, former } = await store.read(async (tx) => ({
        kept: await tx.audiences.find(subject),
        former: await tx.derivedFiles.list(subject),
      }));
      const nothing = { merged: 0, paths: NO_FILES, built: { owner: subject, former, files: [] } };
      const work = workOf(subject);
      if (kept?.deleted === 1) {
        // Its log is removed in steps, and is not read any more.
        await thread.call('remove', work);
        return nothing;
      }
      const formerRuns = former.filter(isRun);
      const formerMatched = former.find(({ name }) => name === MATCHED);
      const sound = new Set(await adoptMembers(subject, formerRuns));
      const merged = await catchUp(subject, signal);
      const state = await thread.call('look', work.members);
      if (!state) return nothing;
      const wanted = `${versionOf(state)}.${image.version}.${image.mark}`;
      if ((await adoptMatched(subject, formerMatched, wanted)) === wanted) sound.add(formerMatched!);
      signal.throwIfAborted();
      await thread.call('match', { files: work, image });
      if (!isToBeStored) return { merged, paths: work, built: { owner: subject, former, files: former } };
      const runs = await thread.call('listRuns', work.members);
      const current: FileToStore[] = [
        ...runs.map(({ name, path, state }) => ({ name: `${RUN_PREFIX}${name}`, path, version: versionOf(state) })),
        { name: MATCHED, version: wanted, path: work.matched },
      ];
      const recorded = ({ name, version }: FileToStore): DerivedFile | undefined =>
        [...sound].find((file) => file.name === name && file.version === version);
      const unrecorded = current.filter((file) => recorded(file) === undefined);
      const stored = await derived.store(subject, unrecorded, signal);
      const files = current.map((file) => recorded(file) ?? stored[unrecorded.indexOf(file)]!);
      return { merged, paths: work, built: { owner: subject, former, files } };
    });

  return {
    workOf,
    prepare,
    /** What is built for a subject to which nobody was ever uploaded, without a thread; undefined for others. */
    async buildOfNobody(subject: Subject): Promise<BuiltFiles | undefined> {
      const { last, former } = await store.read(async (tx) => ({
        last: await tx.audienceLog.find(subject),
        former: await tx.derivedFiles.list(subject),
      }));
      return last === undefined && former.length === 0 ? { owner: subject, former, files: [] } : undefined;
    },
    /** Removes everything of a subject from this machine. */
    forget: (subject: Subject): Promise<void> =>
      inTurn(async () => {
        await thread.call('remove', workOf(subject));
        await derived.refresh(subject, async () => [], 'all');
      }),
    /** Brings what is on this machine in line with what is recorded, by whichever node. */
    async refresh(subject: Subject): Promise<void> {
      const { kept, files } = await store.read(async (tx) => ({
        kept: await tx.audiences.find(subject),
        files: await tx.derivedFiles.list(subject),
      }));
      if (kept?.deleted !== 0) return this.forget(subject);
      await derived.refresh(subject, async () => files, 'those here');
      const recorded = Math.max(0, ...files.filter(isRun).map(({ version }) => Number.parseInt(version, 10)));
      await inTurn(async () => {
        const own = await thread.call('look', workOf(subject).members);
        if (own && own.merged < recorded) await thread.call('remove', workOf(subject));
      });
    },
    /** The subjects of which anything is on this machine. */
    async listSubjects(): Promise<Subject[]> {
      const names = await readdir(folder).catch(() => []);
      const own = names.map((name) => name.replace(/\..*/, '').replace('-', ':'));
      return [...new Set([...own, ...(await derived.listOwners())])] as Subject[];
    },
    /** Waits for what is being done. */
    settled: (): Promise<unknown> => before,
  };
}

const versionOf = ({ merged, accepted_at }: { readonly merged: number; readonly accepted_at: number }): string =>
  `${merged}.${accepted_at}`;

/** Bytes that own their buffer, so that it can be transferred to a thread. */
function transferableBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
    ? new Uint8Array(buffer)
    : new Uint8Array(bytes);
}
