import { answerCalls } from '../../../base/threads.ts';
import type { DirectoryState, NumberedPerson, PeopleQuery } from '../../../contract/store/directory.ts';
import { countPeople } from './count-people.ts';
import { type Image, readImage } from './image.ts';
import { type ImageWriter, imageWriter } from './image-writer.ts';

/** What the thread of the directory can be asked. One image is made at a time, and one is kept in memory. */
const answers = {
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
  /** Rejects when the image is not whole. */
  load(folder: string): void {
    imageOf(folder);
  },
  count({ folder, question, activeSince }: { folder: string; question: PeopleQuery; activeSince: number }): number {
    return countPeople(imageOf(folder), question, activeSince);
  },
};

let writer: ImageWriter | undefined;
let loaded: { readonly folder: string; readonly image: Image } | undefined;

function imageOf(folder: string): Image {
  if (loaded?.folder !== folder) {
    // The old one goes first: two do not have to fit into memory.
    loaded = undefined;
    loaded = { folder, image: readImage(folder) };
  }
  return loaded.image;
}

/** The functions that the thread of the directory answers. */
export type DirectoryAnswers = typeof answers;

answerCalls(answers);
