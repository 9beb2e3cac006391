import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Random, secureRandom } from '../../base/random.ts';
import { SNAPSHOT_NAME, type Snapshot } from '../../contract/services/snapshots.ts';
import { isAbsent } from '../../storage/core/files.ts';

/** The snapshots of a data folder. */
export interface Shelf {
  list(): Promise<Snapshot[]>;
  find(name: string): Promise<Snapshot | undefined>;
  /**
   * Adds a snapshot once `fill` has filled an empty folder; one of the same name is replaced. Without a name it gets the
   * one that `fill` knows.
   */
  add(name: string | undefined, fill: (folder: string) => Promise<Filled>): Promise<Snapshot>;
  /** Returns false when there is none. */
  remove(name: string): Promise<boolean>;
  /** Removes what a process left that was killed while it took or removed a snapshot. */
  sweep(): Promise<void>;
}

/** The description of a snapshot whose folder is complete. */
type Filled = Pick<Snapshot, 'at' | 'bytes' | 'notes'> & { readonly name?: string };

type Entry = Omit<Snapshot, 'name' | 'folder'> & { readonly folder: string };

/**
 * Snapshots in a folder: each is a folder with its contents, and a file `NAME.json` that names the folder. A snapshot is there
 * when its file is.
 */
export function openShelf(home: string, random: Random = secureRandom): Shelf {
  const entryOf = (name: string): string => join(home, `${name}.json`);
  const namesIn = async (): Promise<string[]> =>
    readdir(home).catch((error) => {
      if (isAbsent(error)) return [];
      throw error;
    });

  async function find(name: string): Promise<Snapshot | undefined> {
    try {
      const entry: Entry = JSON.parse(await readFile(entryOf(name), 'utf8'));
      return { ...entry, name, folder: join(home, entry.folder) };
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  }

  return {
    find,
    async list() {
      const names = (await namesIn()).filter((file) => file.endsWith('.json')).map((file) => file.slice(0, -5));
      const found = await Promise.all(names.filter((name) => SNAPSHOT_NAME.test(name)).map(find));
      return found.filter((each) => each !== undefined).sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    async add(chosen, fill) {
      const folder = `contents-${random.bytes(8).toString('hex')}`;
      const path = join(home, folder);
      await mkdir(path, { recursive: true, mode: 0o700 });
      try {
        const { name: own, ...filled } = await fill(path);
        const name = chosen ?? own!;
        const entry: Entry = { ...filled, folder };
        const former = await find(name);
        const draft = join(home, `${folder}.new`);
        await writeFile(draft, `${JSON.stringify(entry, null, 2)}\n`, { mode: 0o600 });
        await rename(draft, entryOf(name));
        if (former) await rm(former.folder, { recursive: true, force: true });
        return { ...entry, name, folder: path };
      } catch (error) {
        await rm(path, { recursive: true, force: true });
        throw error;
      }
    },
    async remove(name) {
      const found = await find(name);
      if (!found) return false;
      await rm(entryOf(name), { force: true });
      await rm(found.folder, { recursive: true, force: true });
      return true;
    },
    async sweep() {
      const files = await namesIn();
      const entries = files.filter((file) => file.endsWith('.json')).map((file) => find(file.slice(0, -5)));
      const used = new Set((await Promise.all(entries)).map((each) => each?.folder));
      for (const file of files.filter((each) => /^(contents|archive)-/.test(each))) {
        const path = join(home, file);
        if (!used.has(path)) await rm(path, { recursive: true, force: true });
      }
    },
  };
}
