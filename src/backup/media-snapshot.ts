import { constants } from 'node:fs';
import { copyFile, link, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The folders of a media store with the objects of uploads; earlier releases used the second one. */
const AREAS = ['parts', 'sealed', 'ready'] as const;
const HELD = 'held';

/** Keeps the objects of media in a folder for a copy, even if they are removed meanwhile. */
export interface MediaSnapshot {
  /** Holds the objects that exist now. Called before reading the rows, and again right after the snapshot began. */
  update(): Promise<void>;
  /** The path at which an object is held; undefined when it is not. */
  pathOf(key: string): Promise<string | undefined>;
  /** The keys of all held objects of an upload. */
  keysOf(uploadId: string): Promise<string[]>;
  remove(): Promise<void>;
}

/**
 * Holds objects by a hard link to each file, which takes no space and blocks no writer. On file systems without hard links,
 * files are copied. A folder has one holder at a time: the remains of an earlier one are removed.
 * @source decision 451
 */
export function mediaSnapshot(objectFolder: string): MediaSnapshot {
  const media = join(objectFolder, 'media');
  const held = join(media, HELD);

  async function holdFile(path: string): Promise<void> {
    const [from, to] = [join(media, path), join(held, path)];
    try {
      // Releases without keys of their own for each attempt replaced segments that were sent again.
      if (/^parts\/\w+\/\d+$/.test(path)) await rm(to, { force: true });
      await link(from, to);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'EEXIST') return;
      if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EMLINK' && code !== 'ENOSYS') throw error;
      await copyFile(from, to, constants.COPYFILE_EXCL).catch(ignoreMissing);
    }
  }

  return {
    async update() {
      for (const area of AREAS) {
        for (const id of await listFolder(join(media, area))) {
          await mkdir(join(held, area, id), { recursive: true, mode: 0o700 });
          for (const name of await listFolder(join(media, area, id))) await holdFile(`${area}/${id}/${name}`);
        }
      }
    },
    async pathOf(key) {
      const path = join(dirname(held), HELD, key.slice('media/'.length));
      return (await stat(path).catch(ignoreMissing)) && path;
    },
    async keysOf(id) {
      const found: string[] = [];
      for (const area of AREAS) {
        for (const name of await listFolder(join(held, area, id))) found.push(`media/${area}/${id}/${name}`);
      }
      return found;
    },
    remove: () => rm(held, { recursive: true, force: true }),
  };
}

/** The size of a file in bytes. */
export async function fileSize(place: string): Promise<number> {
  return (await stat(place)).size;
}

/** The names in a folder, sorted; none if it does not exist. */
export async function listFolder(folder: string): Promise<string[]> {
  return (await readdir(folder).catch((error) => ignoreMissing(error) ?? [])).sort();
}

/** Ignores errors of missing (or already existing) files and rethrows all others. */
export function ignoreMissing(error: unknown): undefined {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'EEXIST') throw error;
}
