import { answerCalls } from '../../../base/threads.ts';
import type {
  DirectoryState,
  NumberedPerson,
  PeopleHistogram,
  PeopleQuery,
} from '../../../contract/store/directory.ts';
import { countPeople } from './count-people.ts';
import { type Image, readImage } from './image.ts';
import { type AdoptedImage, adoptImage, type ImageWriter, imageWriter } from './image-writer.ts';
import { histogramOf, type PeopleToCount } from './people-histogram.ts';

/** The calls of the directory thread. It writes one image at a time and keeps one in memory. */
const calls = {
  begin({ making, folder, state }: { making: string; folder: string; state: DirectoryState }): void {
    writer = imageWriter(making, folder, state);
  },
  add(people: readonly NumberedPerson[]): void {
    writer!.add(people);
  },
  finish(): void {
    writer!.finish();
    writer = undefined;
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
};

let writer: ImageWriter | undefined;
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
