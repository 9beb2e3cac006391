import { rmSync } from 'node:fs';
import { answerCalls } from '../../../base/threads.ts';
import type {
  DirectoryState,
  NumberedPerson,
  PeopleHistogram,
  PeopleQuery,
} from '../../../contract/store/directory.ts';
import { countPeople, histogramOf, type PeopleToCount } from './count-people.ts';
import { IDENTIFIER_BYTES, type IdentifierLookup, openIdentifierLookup } from './identifier-file.ts';
import { type Image, readImage } from './image.ts';
import { adoptImage, type ImageWriter, imageWriter } from './image-writer.ts';

/** A person with an identifier. */
interface Owner {
  /** 32 hexadecimal digits. */
  readonly identifier: string;
  /** The number of the person. */
  readonly number: number;
}

/** Maximum number of reported owners of an identifier; more would be an error in the directory. */
const OWNERS_MAX = 10;

/** Finds the people with these identifiers by binary searches in the file of an image. */
function findOwners(folder: string, identifiers: readonly string[]): Owner[] {
  const lookup = openIdentifierLookup(folder);
  try {
    return identifiers.flatMap((identifier) =>
      ownersOf(lookup, Buffer.from(identifier, 'hex')).map((number) => ({ identifier, number })),
    );
  } finally {
    lookup.close();
  }
}

function ownersOf(lookup: IdentifierLookup, identifier: Buffer): number[] {
  let first = 0;
  let end = lookup.entries;
  while (first < end) {
    const middle = (first + end) >>> 1;
    if (identifier.compare(lookup.entry(middle), 0, IDENTIFIER_BYTES) > 0) first = middle + 1;
    else end = middle;
  }
  const numbers: number[] = [];
  for (let at = first; at < lookup.entries && numbers.length < OWNERS_MAX; at++) {
    const entry = lookup.entry(at);
    if (identifier.compare(entry, 0, IDENTIFIER_BYTES) !== 0) break;
    numbers.push(new DataView(entry.buffer).getUint32(IDENTIFIER_BYTES, true));
  }
  return numbers;
}

/** The calls of the directory thread, which keeps one image in memory. */
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
  /** Removes an unfinished image. */
  discard(making: string): void {
    writers.delete(making);
    rmSync(making, { recursive: true, force: true });
  },
  /** Creates an image from files; false if one of them has been removed. */
  adopt: adoptImage,
  /** @throws if the image is incomplete */
  load(folder: string): void {
    imageOf(folder);
  },
  count({ folder, query, activeSince }: { folder: string; query: PeopleQuery; activeSince: number }): number {
    return countPeople(imageOf(folder), query, activeSince);
  },
  histogram({ folder, query }: { folder: string; query: PeopleToCount }): PeopleHistogram {
    return histogramOf(imageOf(folder), query);
  },
  /** Finds the people with these identifiers, of 32 hexadecimal digits each. */
  owners({ folder, identifiers }: { folder: string; identifiers: readonly string[] }): Owner[] {
    return findOwners(folder, identifiers);
  },
};

/** Writers of unfinished images by temporary folder. */
const writers = new Map<string, ImageWriter>();
let loaded: { readonly folder: string; readonly image: Image } | undefined;

function imageOf(folder: string): Image {
  if (loaded?.folder !== folder) {
    // The old image is released first, because two may not fit into memory.
    loaded = undefined;
    loaded = { folder, image: readImage(folder) };
  }
  return loaded.image;
}

/** The type of these calls, for the main thread. */
export type DirectoryCalls = typeof calls;

answerCalls(calls);
