import { sql } from 'kysely';
import type { Upload, Uploads } from '../../contract/store/uploads.ts';
import { bindList, paddedSize, whereIn } from '../core/in-lists.ts';
import type { Session } from '../core/session.ts';
import type { Value } from '../core/statements.ts';
import { tableRows } from '../core/table-rows.ts';

// biome-ignore lint/suspicious/noExplicitAny: a row as the databases have it
function uploadOf(row: any): Upload {
  return {
    ...row,
    additional_owners: JSON.parse(row.additional_owners) as string[],
    is_categorized: row.is_categorized === 1,
  };
}

/** Uploaded media. */
export function uploadsOn(session: Session): Uploads {
  const { statements } = session;
  const table = tableRows(session, 'uploads');
  const findBy = async (column: string, value: string): Promise<Upload | undefined> => {
    const row = await table.find(column, value);
    return row && uploadOf(row);
  };
  return {
    find: (id) => findBy('id', id),
    findByFileName: (fileName) => findBy('file_name', fileName),
    async list(ids) {
      if (ids.length === 0) return [];
      const size = paddedSize(ids.length);
      const statement = statements.cached(`uploads list ${size}`, (db, param) =>
        whereIn(db.selectFrom('uploads').selectAll(), 'id', size, param),
      );
      const args: Record<string, Value> = {};
      bindList(args, 'id', ids, size);
      return (await session.all(statement, args)).map(uploadOf);
    },
    async add(upload) {
      const { additional_owners, is_categorized, ...others } = upload;
      await table.insert({
        ...others,
        additional_owners: JSON.stringify(additional_owners),
        is_categorized: is_categorized ? 1 : 0,
      });
    },
    async change(id, from, changes) {
      const columns = Object.keys(changes);
      const statement = statements.cached(`uploads change ${columns}`, (db, param) =>
        db
          .updateTable('uploads')
          .set(Object.fromEntries(columns.map((name) => [name, param(name)])))
          .where('id', '=', param('key_id'))
          .where('state', '=', param('key_state')),
      );
      return (await session.run(statement, { ...changes, key_id: id, key_state: from })) === 1;
    },
    async markUsed(ids) {
      if (ids.length === 0) return;
      const size = paddedSize(ids.length);
      const statement = statements.cached(`uploads keep ${size}`, (db, param) =>
        whereIn(db.updateTable('uploads').set({ expires_at: sql.lit(null) }), 'id', size, param),
      );
      const args: Record<string, Value> = {};
      bindList(args, 'id', ids, size);
      await session.run(statement, args);
    },
    async removeExpired(id, now) {
      const statement = statements.cached('uploads remove expired', (db, param) =>
        db.deleteFrom('uploads').where('id', '=', param('id')).where('expires_at', '<=', param('now')),
      );
      return (await session.run(statement, { id, now })) === 1;
    },
  };
}
