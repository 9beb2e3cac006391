import { formatInstant, instantMs } from '../../base/instants.ts';
import { type BuiltFiles, type DerivedFiles, FETCHED_WITHIN_S } from '../../contract/store/derived-files.ts';
import { insertRows } from '../core/bulk-insert.ts';
import { inList, paddedSize } from '../core/in-lists.ts';
import type { Session } from '../core/session.ts';

/** An announced object that is due this soon may be removed already: clocks differ. */
const MARGIN_S = 600;

/** Files that were built from the database, and objects that are no file any more. @source decision 792, 793 */
export function derivedFilesOn(session: Session): DerivedFiles {
  const list: DerivedFiles['list'] = (owner) =>
    session.all('derived files list', { owner }, (db, param) =>
      db
        .selectFrom('derived_files')
        .select(['name', 'object_key', 'version', 'bytes', 'sha256'])
        .where('owner', '=', param('owner'))
        .orderBy('name'),
    );
  const announce: DerivedFiles['announce'] = (keys, remove_at) =>
    insertRows(
      session,
      'unused_objects',
      keys.map((object_key) => ({ object_key, remove_at })),
      { columns: ['object_key', 'remove_at'], onConflict: { key: ['object_key'], replace: ['remove_at'] } },
    );
  const forgetUnused: DerivedFiles['forgetUnused'] = async (keys) => {
    if (keys.length === 0) return;
    const size = paddedSize(keys.length);
    await session.run(`unused objects forget ${size}`, { keys }, (db, param) =>
      db.deleteFrom('unused_objects').where((eb) => inList(eb, 'object_key', param.list('keys', size))),
    );
  };
  const clear = (owner: string): Promise<number> =>
    session.run('derived files clear', { owner }, (db, param) =>
      db.deleteFrom('derived_files').where('owner', '=', param('owner')),
    );
  const countAnnounced = async (keys: readonly string[], after: string): Promise<number> => {
    const size = paddedSize(keys.length);
    const rows = await session.all(`unused objects announced ${size}`, { keys, after }, (db, param) =>
      db
        .selectFrom('unused_objects')
        .select('object_key')
        .where((eb) => inList(eb, 'object_key', param.list('keys', size)))
        .where('remove_at', '>', param('after')),
    );
    return rows.length;
  };
  const exchange: DerivedFiles['exchange'] = async (added, replaced, now) => {
    if (added.length > 0 && (await countAnnounced(added, plus(now, MARGIN_S))) !== added.length) return false;
    await forgetUnused(added);
    await announce(replaced, plus(now, FETCHED_WITHIN_S));
    return true;
  };
  /** Locks what units of work change that record files of the same owner. */
  const lock = async (owner: string): Promise<void> => {
    if (session.dialect === 'sqlite') return;
    await session.allRaw('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`derived files ${owner}`]);
  };

  return {
    list,
    announce,
    forgetUnused,
    exchange,
    async record({ owner, former, files }, now) {
      await lock(owner);
      const here = new Set((await list(owner)).map(({ object_key }) => object_key));
      if (here.size !== former.length || former.some(({ object_key }) => !here.has(object_key))) return 'refused';
      const added = files.map(({ object_key }) => object_key).filter((key) => !here.has(key));
      for (const { object_key } of files) here.delete(object_key);
      if (!(await exchange(added, [...here], now))) return 'refused';
      if (added.length === 0 && here.size === 0) return 'unchanged';
      await clear(owner);
      await insertRows(
        session,
        'derived_files',
        files.map(({ name, object_key, version, bytes, sha256 }) => ({
          ...{ owner, name, object_key, version, bytes, sha256 },
        })),
      );
      return 'recorded';
    },
    async remove(owner, built: BuiltFiles | undefined, now) {
      await lock(owner);
      const keys = new Set([...(await list(owner)), ...(built?.files ?? [])].map(({ object_key }) => object_key));
      if (keys.size === 0) return 0;
      await announce([...keys], now);
      await clear(owner);
      return keys.size;
    },
    async listUnused(now, max) {
      return (
        await session.all('unused objects due', { now, max }, (db, param) =>
          db
            .selectFrom('unused_objects')
            .select('object_key')
            .where('remove_at', '<=', param('now'))
            .orderBy('remove_at')
            .limit(param('max')),
        )
      ).map(({ object_key }) => object_key);
    },
    async findNextRemoval() {
      return (
        await session.first('unused objects next', {}, (db) =>
          db.selectFrom('unused_objects').select('remove_at').orderBy('remove_at').limit(1),
        )
      )?.remove_at;
    },
  };
}

const plus = (instant: string, seconds: number): string => formatInstant(instantMs(instant) + seconds * 1000);
