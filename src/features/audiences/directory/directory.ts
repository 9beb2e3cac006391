import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../base/clock.ts';
import { formatInstant } from '../../../base/instants.ts';
import type { Random } from '../../../base/random.ts';
import { openThread } from '../../../base/threads.ts';
import { StoreUnavailable } from '../../../contract/problems/store-unavailable.ts';
import type { DerivedObjects } from '../../../contract/services/derived-files.ts';
import { type BuiltFiles, FETCHED_WITHIN_S, OBJECT_REMOVAL } from '../../../contract/store/derived-files.ts';
import type {
  DirectoryFiles,
  DirectoryIndex,
  DirectoryState,
  NewImage,
  NumberedPerson,
} from '../../../contract/store/directory.ts';
import type { Store } from '../../../contract/store/store.ts';
import type { DirectoryCalls } from './directory-worker.ts';
import { IMAGE_FILES } from './identifier-file.ts';
import { imageName } from './image-writer.ts';

/** Dependencies of the directory: `folder` holds its images, `random` makes unique names. */
export interface DirectoryDependencies {
  readonly store: Pick<Store, 'read' | 'write'>;
  readonly clock: Clock;
  readonly derived: DerivedObjects;
  readonly folder: string;
  readonly random: Random;
}

/** People in one read of the database. */
const PAGE = 1000;
/** The owner of the files of the recorded image. */
const OWNER = 'directory';
/** How long the thread stays without work where its image is small. @source decision 1034 */
const IDLE_MS = 10_000;
/** The people of an image that is read again within some 50 ms. */
const READ_AGAIN_MAX = 100_000;
const NEVER = new AbortController().signal;

/** The folder of the images below the data folder. */
export function directoryFolder(dataFolder: string): string {
  return join(dataFolder, 'audiences', 'directory');
}

/** Opens the directory; its thread and its image are made on first use. */
export function openDirectory(parts: DirectoryDependencies): DirectoryIndex {
  const { store, clock, derived, folder: parent, random } = parts;
  const making = new Map<string, Promise<void>>();
  /** Images that have been begun. */
  let drafts = 0;
  /** Of the image that the thread has loaded. */
  let loadedPeople = 0;
  const thread = openThread<DirectoryCalls>(new URL('./directory-worker.ts', import.meta.url), {
    idle_ms: IDLE_MS,
    mayEnd: () => drafts === 0 && making.size === 0 && loadedPeople <= READ_AGAIN_MAX,
  });
  let lastMade: Promise<unknown> = Promise.resolve();
  const folderOf = (state: DirectoryState): string => join(parent, imageName(state));
  const draftOf = (state: DirectoryState): string =>
    join(parent, `making-${imageName(state)}-${random.bytes(6).toString('hex')}`);

  async function make(state: DirectoryState): Promise<void> {
    const draft = beginDraft(draftOf(state));
    try {
      for (let from = 0; from < state.people; ) {
        const page = await store.read((tx) => tx.directory.list(from, PAGE));
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

  /** An image in a temporary folder. */
  function beginDraft(making: string) {
    let isOpen = true;
    drafts += 1;
    /** People are added while the next ones are read. */
    let adding: Promise<unknown> = thread.call('begin', making);
    const next = async (call: () => Promise<unknown>): Promise<void> => {
      await adding;
      adding = call();
      // Awaited with the next call, which may not come.
      adding.catch(() => undefined);
    };
    adding.catch(() => undefined);
    return {
      add: (people: readonly NumberedPerson[]) => next(() => thread.call('add', { making, people })),
      async finish(state: DirectoryState): Promise<void> {
        await next(() => thread.call('finish', { making, folder: folderOf(state), state }));
        await adding;
        close();
      },
      /** Removes what is not finished. */
      async discard(): Promise<void> {
        if (!isOpen) return;
        close();
        await thread.call('discard', making).catch(() => undefined);
      },
    };
    function close(): void {
      isOpen = false;
      drafts -= 1;
    }
  }

  /** The image of a directory that was empty, which is written while its people are stored. */
  function begin(version: number): NewImage {
    const draft = beginDraft(draftOf({ version, mark: 'new', people: 0 }));
    let people = 0;
    let isWhole = true;
    return {
      async add(more) {
        isWhole &&= more.every(({ number }, index) => number === people + index);
        people += more.length;
        if (isWhole) await draft.add(more).catch(() => (isWhole = false));
      },
      async finish(state) {
        if (isWhole && state.version === version && state.people === people) {
          return draft.finish(state).then(
            () => true,
            () => false,
          );
        }
        return false;
      },
      discard: draft.discard,
    };
  }

  /** One image at a time: each takes memory. */
  function once(state: DirectoryState, work: () => Promise<void>): Promise<void> {
    const name = imageName(state);
    let made = making.get(name);
    if (!made) {
      made = lastMade.then(work).finally(() => making.delete(name));
      making.set(name, made);
      lastMade = made.catch(() => {});
    }
    return made;
  }

  /** Takes the recorded image over, if it is that of a state; returns whether it is here now. */
  async function fetchImage(state: DirectoryState): Promise<boolean> {
    const recorded = await store.read((tx) => tx.derivedFiles.list(OWNER));
    if (!recorded.some(({ version }) => version === imageName(state))) return false;
    const files: { name: string; path: string }[] = [];
    for (const file of recorded) {
      const path = await derived.fetch(OWNER, file);
      if (path === undefined) return false;
      files.push({ name: file.name, path });
    }
    return thread.call('adopt', { making: draftOf(state), folder: folderOf(state), state, files });
  }

  /** Stores an image that is here as objects. */
  async function storeImage(state: DirectoryState): Promise<BuiltFiles> {
    const former = await store.read((tx) => tx.derivedFiles.list(OWNER));
    const files = IMAGE_FILES.map((name) => ({
      name,
      version: imageName(state),
      path: join(folderOf(state), name),
    }));
    return { owner: OWNER, former, files: await derived.store(OWNER, files, NEVER) };
  }

  /** Makes the image of the present state, and records it for other nodes unless one of them was faster. */
  async function makeAndRecord(state: DirectoryState): Promise<void> {
    await make(state);
    try {
      const built = await storeImage(state);
      const now = formatInstant(clock.now());
      await store.write(async (tx) => {
        if (imageName(await tx.directory.findState()) !== imageName(state)) return;
        if ((await tx.derivedFiles.record(built, now)) !== 'recorded') return;
        const run_at = formatInstant(clock.now() + FETCHED_WITHIN_S * 1000);
        await tx.jobs.planNoLaterThan({ kind: OBJECT_REMOVAL, key: 'all', run_at });
      });
    } catch (error) {
      // The image that is here will do; other nodes make theirs.
      if (!(error instanceof StoreUnavailable)) throw error;
    }
  }

  async function image(): Promise<DirectoryFiles> {
    const state = await store.read((tx) => tx.directory.findState());
    const folder = folderOf(state);
    if (!existsSync(folder)) {
      await once(state, async () => {
        const isHere = await fetchImage(state).catch((error) => {
          if (error instanceof StoreUnavailable) return false;
          throw error;
        });
        if (!isHere) await makeAndRecord(state);
      });
    }
    return { ...state, folder };
  }

  /** The image that the thread has loaded. A damaged image is rebuilt: it is derived data. */
  async function loaded(): Promise<DirectoryFiles> {
    const files = await image();
    const { folder, ...state } = files;
    loadedPeople = state.people;
    try {
      await thread.call('load', folder);
    } catch {
      await once(state, async () => {
        await rm(folder, { recursive: true, force: true });
        await makeAndRecord(state);
      });
      await thread.call('load', folder);
    }
    return files;
  }

  return {
    files: image,
    begin,
    async build(state, begun) {
      await once(state, async () => {
        if (!(await begun?.finish(state))) await make(state);
      });
      return storeImage(state);
    },
    async count(question, activeSince) {
      const { folder } = await loaded();
      return thread.call('count', { folder, question, activeSince });
    },
    async histogram(questions, activeSince, words) {
      const { folder, mark } = await loaded();
      const asked = { questions, activeSince, words };
      return { ...(await thread.call('histogram', { folder, asked })), mark };
    },
    async findUsers(identifiers) {
      const found = new Map<string, string[]>();
      if (identifiers.length === 0) return found;
      const { folder } = await loaded();
      for (const { identifier, number } of await thread.call('owners', { folder, identifiers })) {
        const [person] = await store.read((tx) => tx.directory.list(number, 1));
        if (person?.number === number) found.set(identifier, [...(found.get(identifier) ?? []), person.user_id]);
      }
      return found;
    },
    close: () => thread.close(),
  };
}
