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
  /** Makes it the image of a state, which is complete then and moves into its folder. */
  finish(state: DirectoryState, folder: string): void;
}

/** Writes an image into a temporary folder. */
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
        // Lookalikes need to know whom people follow.
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

/** Files elsewhere that are the image of a state. */
interface AdoptedImage {
  readonly making: string;
  readonly folder: string;
  readonly state: DirectoryState;
  readonly files: readonly { readonly name: string; readonly path: string }[];
}

/** Makes an image of files, which are not copied where that is possible; false when one of them has been removed. */
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

/** Moves an image into place. If another process was faster, its image is equivalent. */
function moveIntoPlace(making: string, folder: string): void {
  try {
    renameSync(making, folder);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes(String((error as NodeJS.ErrnoException).code))) throw error;
    rmSync(making, { recursive: true });
  }
}

/** The folder name of an image; starts with its version. */
export function imageName({ version, mark }: DirectoryState): string {
  return `${version}-${mark}`;
}

/** Keeps the previous image, which may still be read; removes older and unfinished ones. */
function removeOlder(folder: string, version: number): void {
  const parent = dirname(folder);
  const others = readdirSync(parent).filter((name) => name !== basename(folder));
  for (const name of others) {
    const theirs = Number.parseInt(name.replace(/^making-/, ''), 10);
    const isKept = theirs >= version || (theirs === version - 1 && !name.startsWith('making-'));
    if (!isKept) rmSync(join(parent, name), { recursive: true, force: true });
  }
}
