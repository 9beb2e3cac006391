import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '../../../base/random.ts';
import { openThread } from '../../../base/threads.ts';
import type { DirectoryFiles, DirectoryIndex, DirectoryState } from '../../../contract/store/directory.ts';
import type { Store } from '../../../contract/store/store.ts';
import type { DirectoryCalls } from './directory-worker.ts';
import { imageName } from './image-writer.ts';

/** Dependencies of the directory: `folder` holds its images, `random` makes unique names. */
export interface DirectoryDependencies {
  readonly store: Pick<Store, 'read'>;
  readonly folder: string;
  readonly random: Random;
}

/** People in one read of the database. */
const PAGE = 1000;

/** The folder of the images below the data folder. */
export function directoryFolder(dataFolder: string): string {
  return join(dataFolder, 'audiences', 'directory');
}

/** Opens the directory; its thread and its image are made on first use. */
export function openDirectory({ store, folder: parent, random }: DirectoryDependencies): DirectoryIndex {
  const thread = openThread<DirectoryCalls>(new URL('./directory-worker.ts', import.meta.url));
  const making = new Map<string, Promise<void>>();
  let lastMade: Promise<unknown> = Promise.resolve();

  async function make(state: DirectoryState, folder: string): Promise<void> {
    const suffix = random.bytes(6).toString('hex');
    await thread.call('begin', { making: join(parent, `making-${imageName(state)}-${suffix}`), folder, state });
    for (let from = 0; from < state.people; ) {
      const page = await store.read((tx) => tx.directory.list(from, PAGE));
      const people = page.filter(({ number }) => number < state.people);
      if (people.length === 0) break;
      await thread.call('add', people);
      from = people.at(-1)!.number + 1;
    }
    await thread.call('finish', undefined);
  }

  /** One image at a time: the thread has a single writer. */
  function makeOnce(state: DirectoryState, folder: string): Promise<void> {
    const name = imageName(state);
    let made = making.get(name);
    if (!made) {
      made = lastMade.then(() => make(state, folder)).finally(() => making.delete(name));
      making.set(name, made);
      lastMade = made.catch(() => {});
    }
    return made;
  }

  async function image(): Promise<DirectoryFiles> {
    const state = await store.read((tx) => tx.directory.findState());
    const folder = join(parent, imageName(state));
    if (!existsSync(folder)) await makeOnce(state, folder);
    return { ...state, folder };
  }

  /** The folder of the image that the thread has loaded. A damaged image is rebuilt: it is derived data. */
  async function loaded(): Promise<string> {
    const { folder } = await image();
    try {
      await thread.call('load', folder);
      return folder;
    } catch {
      await rm(folder, { recursive: true, force: true });
      const again = (await image()).folder;
      await thread.call('load', again);
      return again;
    }
  }

  return {
    files: image,
    async count(question, activeSince) {
      const folder = await loaded();
      return thread.call('count', { folder, question, activeSince });
    },
    close: () => thread.close(),
  };
}
