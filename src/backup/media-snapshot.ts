import { constants } from 'node:fs';
import { copyFile, link, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { UploadState } from '../contract/store/uploads.ts';

/** An upload as its row in the copy describes it. */
export interface UploadRow {
  readonly id: string;
  readonly state: UploadState;
}

/** A file of an upload: where it is held, and its path in the data folder. */
export interface SnapshotFile {
  readonly path: string;
  readonly source: string;
}

/** The folders with segments and files of uploads; see `blobFiles`. */
const AREAS = ['parts', 'sealed', 'ready'] as const;
type Area = (typeof AREAS)[number];
const HELD = 'held';

/** Keeps the bytes of media for a copy, even if they are moved or removed meanwhile. */
export interface MediaSnapshot {
  /** Holds the files that exist now. Called before reading the rows, and again right after the snapshot began. */
  update(): Promise<void>;
  /**
   * The files of a row, at the paths that its state requires; undefined when they are missing. A running process may
   * have moved them since.
   * @source decision 452
   */
  filesOf(upload: UploadRow): Promise<readonly SnapshotFile[] | undefined>;
  remove(): Promise<void>;
}

/**
 * Holds media by a hard link to each file, which takes no space and blocks nobody. On file systems without hard links,
 * files are copied. A folder has one holder at a time: the remains of an earlier one are removed.
 * @source decision 451
 */
export function mediaSnapshot(dataFolder: string): MediaSnapshot {
  const media = join(dataFolder, 'media');
  const held = join(media, HELD);

  async function holdFile(area: Area, id: string, name: string): Promise<void> {
    const [from, to] = [join(media, area, id, name), join(held, area, id, name)];
    try {
      // A segment may have been sent again: the later one was acknowledged.
      if (area === 'parts') await rm(to, { force: true });
      await link(from, to);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'EEXIST') return;
      if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EMLINK' && code !== 'ENOSYS') throw error;
      await copyFile(from, to, constants.COPYFILE_EXCL).catch(ignoreMissing);
    }
  }

  async function holdFolder(area: Area, id: string): Promise<void> {
    await mkdir(join(held, area, id), { recursive: true, mode: 0o700 });
    for (const name of await listFolder(join(media, area, id))) await holdFile(area, id, name);
  }

  const heldIn = (area: Area, id: string): Promise<string[]> => listFolder(join(held, area, id));
  const filesAt = (id: string, names: ReadonlyMap<string, Area>, area: Area): SnapshotFile[] =>
    [...names].map(([name, from]) => ({ path: `media/${area}/${id}/${name}`, source: join(held, from, id, name) }));

  /** Segments may be in both folders, if the upload was sealed between two updates. */
  async function segmentsOf(id: string): Promise<Map<string, Area>> {
    const found = new Map<string, Area>();
    for (const area of ['parts', 'sealed'] as const) {
      for (const name of await heldIn(area, id)) found.set(name, area);
    }
    return found;
  }

  return {
    async update() {
      for (const area of AREAS) {
        for (const id of await listFolder(join(media, area))) await holdFolder(area, id);
      }
    },
    async filesOf({ id, state }) {
      const ready = new Map((await heldIn('ready', id)).map((name) => [name, 'ready' as Area]));
      const isWhole = ready.has('whole');
      if (state === 'uploading') {
        // An upload that was assembled meanwhile becomes a single segment.
        if (isWhole) return [{ path: `media/parts/${id}/0`, source: join(held, 'ready', id, 'whole') }];
        return filesAt(id, await segmentsOf(id), 'parts');
      }
      if (isWhole || state === 'failed') return filesAt(id, ready, 'ready');
      const segments = await segmentsOf(id);
      return segments.size > 0 && state !== 'succeeded' ? filesAt(id, segments, 'sealed') : undefined;
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
