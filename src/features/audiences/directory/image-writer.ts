import {
  closeSync,
  copyFileSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Sections, writeSections, writeWhole } from '../../../base/columns-file.ts';
import {
  type DirectoryState,
  type NumberedPerson,
  PERSON_LISTS,
  PERSON_WORDS,
  splitMembers,
} from '../../../contract/store/directory.ts';
import { growingBytes, growingNumbers } from './growing-numbers.ts';
import { activityPath, columnsPath, identifiersPath, writeHeader } from './identifier-file.ts';
import { identifierSorter } from './sorted-identifiers.ts';
import { idSections, pushId } from './user-ids.ts';
import { listWriter, wordWriter } from './word-columns.ts';

/** Writes an image from people in the order of their numbers. */
export interface ImageWriter {
  add(people: readonly NumberedPerson[]): void;
  /** Completes the image of a state, and moves it into its folder. */
  finish(state: DirectoryState, folder: string): void;
}

/** Creates a writer into a temporary folder. */
export function imageWriter(making: string): ImageWriter {
  mkdirSync(making, { recursive: true, mode: 0o700 });
  const identifiers = identifierSorter(making);
  const words = PERSON_WORDS.map((name) => ({ name, writer: wordWriter() }));
  const lists = PERSON_LISTS.map((name) => ({ name, writer: listWriter() }));
  const ages = growingBytes();
  const activated = growingNumbers();
  const active = growingNumbers();
  const ids = growingNumbers();
  return {
    add(people) {
      for (const person of people) {
        identifiers.add(person.identifiers, person.number);
        for (const { name, writer } of words) writer.push(person[name]);
        for (const { name, writer } of lists) writer.push(splitMembers(person[name]));
        ages.push(person.age ?? 0);
        activated.push(person.activated_at ?? 0);
        active.push(person.last_active_at);
        pushId(ids, person.user_id);
      }
    },
    finish(state, folder) {
      const headers = { version: state.version, people: state.people };
      writeFile(identifiersPath(making), { ...headers, entries: identifiers.count() }, identifiers.drain);
      writeFile(activityPath(making), { ...headers, entries: active.length }, (write) =>
        write(new Uint8Array(active.view().buffer, 0, active.length * 4)),
      );
      const columns: Sections = Object.assign(
        { age: ages.view(), activated_at: activated.view() },
        ...words.map(({ name, writer }) => writer.sections(name)),
        // Lookalikes need the users that each person follows.
        ...lists.map(({ name, writer }) =>
          name === 'follows' ? writer.sectionsBothWays(name) : writer.sections(name),
        ),
        idSections(ids.view()),
      );
      writeSections(columnsPath(making), columns);
      for (const run of readdirSync(making).filter((name) => name.startsWith('run-'))) rmSync(join(making, run));
      moveIntoPlace(making, folder);
      removeOlder(folder, state.version);
    },
  };
}

/** The files of an image to adopt. */
interface AdoptedImage {
  readonly making: string;
  readonly folder: string;
  readonly state: DirectoryState;
  readonly files: readonly { readonly name: string; readonly path: string }[];
}

/** Creates an image from files, by links if possible; false if one of them has been removed. */
export function adoptImage({ making, folder, state, files }: AdoptedImage): boolean {
  mkdirSync(making, { recursive: true, mode: 0o700 });
  try {
    for (const { name, path } of files) linkOrCopy(path, join(making, name));
  } catch (error) {
    rmSync(making, { recursive: true, force: true });
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
  moveIntoPlace(making, folder);
  removeOlder(folder, state.version);
  return true;
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    copyFileSync(from, to);
  }
}

function writeFile(
  path: string,
  header: Parameters<typeof writeHeader>[1],
  drain: (write: (block: Uint8Array) => void) => void,
): void {
  const file = openSync(path, 'w', 0o600);
  writeHeader(file, header);
  drain((block) => writeWhole(file, block));
  fsyncSync(file);
  closeSync(file);
}

/** Moves an image into place, unless another process has already stored an equivalent one. */
function moveIntoPlace(making: string, folder: string): void {
  try {
    renameSync(making, folder);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes(String((error as NodeJS.ErrnoException).code))) throw error;
    rmSync(making, { recursive: true });
  }
}

/** Returns the folder name of an image, which starts with its version. */
export function imageName({ version, mark }: DirectoryState): string {
  return `${version}-${mark}`;
}

/** Removes older and unfinished images, except the previous one, which may still be read. */
function removeOlder(folder: string, version: number): void {
  const parent = dirname(folder);
  const others = readdirSync(parent).filter((name) => name !== basename(folder));
  for (const name of others) {
    const theirs = Number.parseInt(name.replace(/^making-/, ''), 10);
    const isKept = theirs >= version || (theirs === version - 1 && !name.startsWith('making-'));
    if (!isKept) rmSync(join(parent, name), { recursive: true, force: true });
  }
}
