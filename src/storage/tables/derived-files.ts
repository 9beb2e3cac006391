import { addSeconds } from '../../base/instants.ts';
import { type BuiltFiles, FETCHED_WITHIN_S } from '../../contract/store/derived-files.ts';
import { insertRows } from '../core/bulk-insert.ts';
import { allListed, inList, paddedSize } from '../core/in-lists.ts';
import { Table } from '../core/table.ts';
import { deleteRows } from '../core/table-rows.ts';

/** An announced object due within this margin may be removed already, because clocks differ. */
const MARGIN_S = 600;

/** Files built from the database, and unused objects. @source decision 792, 793 */
export class DerivedFiles extends Table {
  /** The files of an owner, by name. */
  list(owner: string) {
    return this.session.all('derived files list', { owner }, (db, param) =>
      db
        .selectFrom('derived_files')
        .select(['name', 'object_key', 'version', 'bytes', 'sha256'])
        .where('owner', '=', param('owner'))
        .orderBy('name'),
    );
  }

  /** Announces objects before they are stored: they are removed at this time unless recorded before. */
  announce(keys: readonly string[], remove_at: string) {
    return insertRows(
      this.session,
      'unused_objects',
      keys.map((object_key) => ({ object_key, remove_at })),
      { columns: ['object_key', 'remove_at'], onConflict: { key: ['object_key'], replace: ['remove_at'] } },
    );
  }

  /**
   * Replaces the files of an owner and marks the former ones as unused. False, with nothing recorded, if the owner no
   * longer has the former ones, or an announced object may be removed already.
   */
  async record({ owner, former, files }: BuiltFiles, now: string): Promise<'recorded' | 'unchanged' | 'refused'> {
    await this.#lock(owner);
    const here = new Set((await this.list(owner)).map(({ object_key }) => object_key));
    if (here.size !== former.length || former.some(({ object_key }) => !here.has(object_key))) return 'refused';
    const added = files.map(({ object_key }) => object_key).filter((key) => !here.has(key));
    for (const { object_key } of files) here.delete(object_key);
    if (!(await this.exchange(added, [...here], now))) return 'refused';
    if (added.length === 0 && here.size === 0) return 'unchanged';
    await this.#clear(owner);
    await insertRows(
      this.session,
      'derived_files',
      files.map(({ name, object_key, version, bytes, sha256 }) => ({
        owner,
        name,
        object_key,
        version,
        bytes,
        sha256,
      })),
    );
    return 'recorded';
  }

  /**
   * For callers with their own list of objects, in the unit of work that changes it: marks added objects as used and
   * replaced ones as unused. False, with nothing changed, if an announced object may be removed already.
   */
  async exchange(added: readonly string[], replaced: readonly string[], now: string) {
    if (added.length > 0 && (await this.#countAnnounced(added, addSeconds(now, MARGIN_S))) !== added.length)
      return false;
    await this.forgetUnused(added);
    await this.announce(replaced, addSeconds(now, FETCHED_WITHIN_S));
    return true;
  }

  /**
   * Removes all files of an owner; their objects, and those of `built`, are removed as soon as possible. Returns their
   * number.
   */
  async remove(owner: string, built: BuiltFiles | undefined, now: string) {
    await this.#lock(owner);
    const keys = new Set([...(await this.list(owner)), ...(built?.files ?? [])].map(({ object_key }) => object_key));
    if (keys.size === 0) return 0;
    await this.announce([...keys], now);
    await this.#clear(owner);
    return keys.size;
  }

  /** Objects to remove by now. */
  async listUnused(now: string, max: number) {
    return (
      await this.session.all('unused objects due', { now, max }, (db, param) =>
        db
          .selectFrom('unused_objects')
          .select('object_key')
          .where('remove_at', '<=', param('now'))
          .orderBy('remove_at')
          .limit(param('max')),
      )
    ).map(({ object_key }) => object_key);
  }

  /** When the next object is to be removed. */
  async findNextRemoval() {
    return (
      await this.session.first('unused objects next', {}, (db) =>
        db.selectFrom('unused_objects').select('remove_at').orderBy('remove_at').limit(1),
      )
    )?.remove_at;
  }

  /** Forgets removed objects. */
  async forgetUnused(keys: readonly string[]) {
    if (keys.length === 0) return;
    const size = paddedSize(keys.length);
    await this.session.run(`unused objects forget ${size}`, { keys }, (db, param) =>
      db.deleteFrom('unused_objects').where((eb) => inList(eb, 'object_key', param.list('keys', size))),
    );
  }

  #clear(owner: string) {
    return deleteRows(this.session, 'derived_files', { owner });
  }

  async #countAnnounced(keys: readonly string[], after: string): Promise<number> {
    const rows = await allListed(this.session, 'unused objects announced', keys, { after }, (db, listed, param) =>
      db
        .selectFrom('unused_objects')
        .select('object_key')
        .where((eb) => inList(eb, 'object_key', listed))
        .where('remove_at', '>', param('after')),
    );
    return rows.length;
  }

  /** Serializes units of work that record files of the same owner. */
  async #lock(owner: string): Promise<void> {
    if (this.session.dialect === 'sqlite') return;
    await this.session.allRaw('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`derived files ${owner}`]);
  }
}
