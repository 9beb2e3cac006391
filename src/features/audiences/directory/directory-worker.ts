import { rmSync } from 'node:fs';
import { answerCalls } from '../../../base/threads.ts';
import type {
  DirectoryState,
  NumberedPerson,
  PeopleHistogram,
  PeopleQuery,
} from '../../../contract/store/directory.ts';
import { countPeople } from './count-people.ts';
import { findOwners, type Owner } from './identifier-owners.ts';
import { type Image, readImage } from './image.ts';
import { type AdoptedImage, adoptImage, type ImageWriter, imageWriter } from './image-writer.ts';
import { histogramOf, type PeopleToCount } from './people-histogram.ts';

/** The calls of the directory thread. It keeps one image in memory. */
const calls = {
  begin(making: string): void {
    writers.set(making, imageWriter(making));
  },
  add({ making, people }: { making: string; people: readonly NumberedPerson[] }): void {
    writers.get(making)!.add(people);
  },
  finish({ making, folder, state }: { making: string; folder: string; state: DirectoryState }): void {
    writers.get(making)!.finish(state, folder);
    writers.delete(making);
  },
  /** Removes an image that was begun. */
  discard(making: string): void {
    writers.delete(making);
    rmSync(making, { recursive: true, force: true });
  },
  /** Makes an image of the files of another one; false when one of them has been removed. */
  adopt(image: AdoptedImage): boolean {
    return adoptImage(image);
  },
  /** @throws when the image is incomplete */
  load(folder: string): void {
    imageOf(folder);
  },
  count({ folder, question, activeSince }: { folder: string; question: PeopleQuery; activeSince: number }): number {
    return countPeople(imageOf(folder), question, activeSince);
  },
  histogram({ folder, asked }: { folder: string; asked: PeopleToCount }): PeopleHistogram {
    return histogramOf(imageOf(folder), asked);
  },
  /** The people who have some identifiers, which are 32 hexadecimal digits each. */
  owners({ folder, identifiers }: { folder: string; identifiers: readonly string[] }): Owner[] {
    return findOwners(folder, identifiers);
  },
};

/** The images that are being written, by their temporary folders. */
const writers = new Map<string, ImageWriter>();
let loaded: { readonly folder: string; readonly image: Image } | undefined;

function imageOf(folder: string): Image {
  if (loaded?.folder !== folder) {
    // The old image is released first: two need not fit into memory.
    loaded = undefined;
    loaded = { folder, image: readImage(folder) };
  }
  return loaded.image;
}

/** The type of these calls, for the main thread. */
export type DirectoryCalls = typeof calls;

answerCalls(calls);
