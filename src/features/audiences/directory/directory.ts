import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '../../../base/random.ts';
import { openThread } from '../../../base/threads.ts';
import type { DirectoryFiles, DirectoryIndex, DirectoryState } from '../../../contract/store/directory.ts';
import type { Store } from '../../../contract/store/store.ts';
import type { DirectoryAnswers } from './directory-worker.ts';
import { imageName } from './image-writer.ts';

/** What the directory works with: where its images lie, and what makes names that nobody else uses. */
export interface DirectoryParts {
  readonly store: Pick<Store, 'read'>;
  readonly folder: string;
  readonly random: Random;
}

/** People that are read from the database and handed over at a time. */
const PAGE = 1000;

/** The folder of the images in a data folder. */
export function directoryFolder(dataFolder: string): string {
  return join(dataFolder, 'audiences', 'directory');
}

/** Opens the directory: a thread that starts when it is first needed, and an image that is made when there is none. */
export function openDirectory({ store, folder: parent, random }: DirectoryParts): DirectoryIndex {
  const thread = openThread<DirectoryAnswers>(new URL('./directory-worker.ts', import.meta.url));
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

  /** One after the other: the thread makes one at a time. */
  function madeOnce(state: DirectoryState, folder: string): Promise<void> {
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
    if (!existsSync(folder)) await madeOnce(state, folder);
    return { ...state, folder };
  }

  /** The folder of an image that the thread has in memory. What is broken is made again: it is derived. */
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
