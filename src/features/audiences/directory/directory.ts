import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../base/clock.ts';
import { formatInstant } from '../../../base/instants.ts';
import type { Random } from '../../../base/random.ts';
import { openThread, type Thread } from '../../../base/threads.ts';
import { StoreUnavailable } from '../../../contract/problems/store-unavailable.ts';
import type { DerivedObjects } from '../../../contract/services/derived-files.ts';
import { type BuiltFiles, FETCHED_WITHIN_S, OBJECT_REMOVAL } from '../../../contract/store/derived-files.ts';
import type {
  DirectoryFiles,
  DirectoryIndex,
  DirectoryState,
  NewImage,
  NumberedPerson,
  PeopleHistogram,
  PeopleQuery,
  PersonWord,
} from '../../../contract/store/directory.ts';
import type { Store } from '../../../storage/unit-of-work.ts';
import type { DirectoryCalls } from './directory-worker.ts';
import { IMAGE_FILES } from './identifier-file.ts';
import { imageName } from './image-writer.ts';

/** Dependencies of the directory. */
interface DirectoryDependencies {
  readonly store: Pick<Store, 'read' | 'write'>;
  readonly clock: Clock;
  readonly derived: DerivedObjects;
  /** The folder of its images. */
  readonly folder: string;
  readonly random: Random;
}

/** Number of people in one read of the database. */
const PAGE = 1000;
/** The owner of the files of the recorded image. */
const OWNER = 'directory';
/** An idle thread with a small image ends after this long. @source decision 1034 */
const IDLE_MS = 10_000;
/** Size of an image, in people, that can be read again within about 50 ms. */
const READ_AGAIN_MAX = 100_000;
const NEVER = new AbortController().signal;

/** The folder of the images below the data folder. */
export function directoryFolder(dataFolder: string): string {
  return join(dataFolder, 'audiences', 'directory');
}

/** The directory. Its thread and image are created on first use. */
export class PeopleDirectory implements DirectoryIndex {
  readonly #deps: DirectoryDependencies;
  /** Builds under way, by name of the image. */
  readonly #building = new Map<string, Promise<void>>();
  #lastBuild: Promise<unknown> = Promise.resolve();
  readonly #drafts = new Set<ImageDraft>();
  /** Size of the image in the thread. */
  #loadedPeople = 0;
  readonly #thread = openThread<DirectoryCalls>(new URL('./directory-worker.ts', import.meta.url), {
    idle_ms: IDLE_MS,
    mayEnd: () => this.#drafts.size === 0 && this.#building.size === 0 && this.#loadedPeople <= READ_AGAIN_MAX,
  });

  constructor(deps: DirectoryDependencies) {
    this.#deps = deps;
  }

  #folderOf(state: DirectoryState): string {
    return join(this.#deps.folder, imageName(state));
  }

  #draftFolder(state: DirectoryState): string {
    const { folder, random } = this.#deps;
    return join(folder, `making-${imageName(state)}-${random.bytes(6).toString('hex')}`);
  }

  #newDraft(state: DirectoryState): ImageDraft {
    const parts = { thread: this.#thread, folderOf: (of: DirectoryState) => this.#folderOf(of), open: this.#drafts };
    return new ImageDraft(parts, this.#draftFolder(state));
  }

  async #build(state: DirectoryState): Promise<void> {
    const draft = this.#newDraft(state);
    try {
      for (let from = 0; from < state.people; ) {
        const page = await this.#deps.store.read((tx) => tx.directory.list(from, PAGE));
        const people = page.filter(({ number }) => number < state.people);
        if (people.length === 0) break;
        await draft.add(people);
        from = people.at(-1)!.number + 1;
      }
      await draft.finish(state);
    } finally {
      await draft.discard();
    }
  }

  begin(version: number): NewImage {
    return new FirstImage(this.#newDraft({ version, mark: 'new', people: 0 }), version);
  }

  /** Builds one image at a time, and each only once. */
  #once(state: DirectoryState, work: () => Promise<void>): Promise<void> {
    const name = imageName(state);
    let build = this.#building.get(name);
    if (!build) {
      build = this.#lastBuild.then(work).finally(() => this.#building.delete(name));
      this.#building.set(name, build);
      this.#lastBuild = build.catch(() => {});
    }
    return build;
  }

  /** Fetches the recorded image if it has this state; returns whether it did. */
  async #fetchImage(state: DirectoryState): Promise<boolean> {
    const { store, derived } = this.#deps;
    const recorded = await store.read((tx) => tx.derivedFiles.list(OWNER));
    if (!recorded.some(({ version }) => version === imageName(state))) return false;
    const files: { name: string; path: string }[] = [];
    for (const file of recorded) {
      const path = await derived.fetch(OWNER, file);
      if (path === undefined) return false;
      files.push({ name: file.name, path });
    }
    const image = { making: this.#draftFolder(state), folder: this.#folderOf(state), state, files };
    return this.#thread.call('adopt', image);
  }

  /** Stores a local image as objects. */
  async #storeImage(state: DirectoryState): Promise<BuiltFiles> {
    const { store, derived } = this.#deps;
    const former = await store.read((tx) => tx.derivedFiles.list(OWNER));
    const folder = this.#folderOf(state);
    const files = IMAGE_FILES.map((name) => ({ name, version: imageName(state), path: join(folder, name) }));
    return { owner: OWNER, former, files: await derived.store(OWNER, files, NEVER) };
  }

  /** Builds the image of the current state, and records it for other nodes unless one of them was faster. */
  async #buildAndRecord(state: DirectoryState): Promise<void> {
    const { store, clock } = this.#deps;
    await this.#build(state);
    try {
      const built = await this.#storeImage(state);
      const now = formatInstant(clock.now());
      await store.write(async (tx) => {
        if (imageName(await tx.directory.findState()) !== imageName(state)) return;
        if ((await tx.derivedFiles.record(built, now)) !== 'recorded') return;
        const run_at = formatInstant(clock.now() + FETCHED_WITHIN_S * 1000);
        await tx.jobs.planNoLaterThan({ kind: OBJECT_REMOVAL, key: 'all', run_at });
      });
    } catch (error) {
      // The local image suffices; other nodes build their own.
      if (!(error instanceof StoreUnavailable)) throw error;
    }
  }

  async files(): Promise<DirectoryFiles> {
    const state = await this.#deps.store.read((tx) => tx.directory.findState());
    const folder = this.#folderOf(state);
    if (!existsSync(folder)) {
      await this.#once(state, async () => {
        const isFetched = await this.#fetchImage(state).catch((error) => {
          if (error instanceof StoreUnavailable) return false;
          throw error;
        });
        if (!isFetched) await this.#buildAndRecord(state);
      });
    }
    return { ...state, folder };
  }

  /** Loads the current image into the thread; rebuilds it if it is damaged. */
  async #loaded(): Promise<DirectoryFiles> {
    const files = await this.files();
    const { folder, ...state } = files;
    this.#loadedPeople = state.people;
    try {
      await this.#thread.call('load', folder);
    } catch {
      await this.#once(state, async () => {
        await rm(folder, { recursive: true, force: true });
        await this.#buildAndRecord(state);
      });
      await this.#thread.call('load', folder);
    }
    return files;
  }

  async build(state: DirectoryState, begun?: NewImage): Promise<BuiltFiles> {
    await this.#once(state, async () => {
      if (!(await begun?.finish(state))) await this.#build(state);
    });
    return this.#storeImage(state);
  }

  async count(query: PeopleQuery, activeSince: number): Promise<number> {
    const { folder } = await this.#loaded();
    return this.#thread.call('count', { folder, query, activeSince });
  }

  async histogram(
    queries: readonly PeopleQuery[],
    activeSince: number,
    words: readonly PersonWord[],
  ): Promise<PeopleHistogram & { readonly mark: string }> {
    const { folder, mark } = await this.#loaded();
    const counted = await this.#thread.call('histogram', { folder, query: { queries, activeSince, words } });
    return { ...counted, mark };
  }

  async findUsers(identifiers: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const found = new Map<string, string[]>();
    if (identifiers.length === 0) return found;
    const { folder } = await this.#loaded();
    for (const { identifier, number } of await this.#thread.call('owners', { folder, identifiers })) {
      const [person] = await this.#deps.store.read((tx) => tx.directory.list(number, 1));
      if (person?.number === number) found.set(identifier, [...(found.get(identifier) ?? []), person.user_id]);
    }
    return found;
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}

/** Dependencies of drafts. */
interface DraftParts {
  readonly thread: Thread<DirectoryCalls>;
  readonly folderOf: (state: DirectoryState) => string;
  /** Unfinished drafts, which the thread keeps in memory. */
  readonly open: Set<ImageDraft>;
}

/** An unfinished image in a temporary folder. */
class ImageDraft {
  readonly #parts: DraftParts;
  readonly #folder: string;
  /** The call under way, so that people are added while the next ones are read. */
  #adding: Promise<unknown>;

  constructor(parts: DraftParts, folder: string) {
    this.#parts = parts;
    this.#folder = folder;
    parts.open.add(this);
    this.#adding = parts.thread.call('begin', folder);
    this.#adding.catch(() => undefined);
  }

  async #next(call: () => Promise<unknown>): Promise<void> {
    await this.#adding;
    this.#adding = call();
    // Awaited by the next call, if there is one.
    this.#adding.catch(() => undefined);
  }

  add(people: readonly NumberedPerson[]): Promise<void> {
    return this.#next(() => this.#parts.thread.call('add', { making: this.#folder, people }));
  }

  /** Completes the image of a state. */
  async finish(state: DirectoryState): Promise<void> {
    const { thread, folderOf, open } = this.#parts;
    await this.#next(() => thread.call('finish', { making: this.#folder, folder: folderOf(state), state }));
    await this.#adding;
    open.delete(this);
  }

  /** Removes the draft if it is unfinished. */
  async discard(): Promise<void> {
    const { thread, open } = this.#parts;
    if (open.delete(this)) await thread.call('discard', this.#folder).catch(() => undefined);
  }
}

/** The first image of a directory, which is written while its people are stored. */
class FirstImage implements NewImage {
  readonly #draft: ImageDraft;
  readonly #version: number;
  #people = 0;
  #isComplete = true;

  constructor(draft: ImageDraft, version: number) {
    this.#draft = draft;
    this.#version = version;
  }

  async add(people: readonly NumberedPerson[]): Promise<void> {
    this.#isComplete &&= people.every(({ number }, index) => number === this.#people + index);
    this.#people += people.length;
    if (!this.#isComplete) return;
    await this.#draft.add(people).catch(() => {
      this.#isComplete = false;
    });
  }

  async finish(state: DirectoryState): Promise<boolean> {
    if (!this.#isComplete || state.version !== this.#version || state.people !== this.#people) return false;
    return this.#draft.finish(state).then(
      () => true,
      () => false,
    );
  }

  discard(): Promise<void> {
    return this.#draft.discard();
  }
}
