import { sql } from 'kysely';
import type { Upload, Uploads } from '../../contract/store/uploads.ts';
import { addValues, among, sizeFor } from '../core/lists.ts';
import { rowsOn } from '../core/rows.ts';
import type { Session } from '../core/session.ts';
import type { Value } from '../core/statements.ts';

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
  const table = rowsOn(session, 'uploads');
  const findBy = async (column: string, value: string): Promise<Upload | undefined> => {
    const row = await table.find(column, value);
    return row && uploadOf(row);
  };
  return {
    find: (id) => findBy('id', id),
    findByFileName: (fileName) => findBy('file_name', fileName),
    async list(ids) {
      if (ids.length === 0) return [];
      const size = sizeFor(ids.length);
      const statement = statements.of(`uploads list ${size}`, (queries, argument) =>
        among(queries.selectFrom('uploads').selectAll(), 'id', size, argument),
      );
      const args: Record<string, Value> = {};
      addValues(args, 'id', ids, size);
      return (await session.all(statement, args)).map(uploadOf);
    },
    async add(upload) {
      const { additional_owners, is_categorized, ...others } = upload;
      await table.add({
        ...others,
        additional_owners: JSON.stringify(additional_owners),
        is_categorized: is_categorized ? 1 : 0,
      });
    },
    async change(id, from, changes) {
      const columns = Object.keys(changes);
      const statement = statements.of(`uploads change ${columns}`, (queries, argument) =>
        queries
          .updateTable('uploads')
          .set(Object.fromEntries(columns.map((name) => [name, argument(name)])))
          .where('id', '=', argument('key_id'))
          .where('state', '=', argument('key_state')),
      );
      return (await session.run(statement, { ...changes, key_id: id, key_state: from })) === 1;
    },
    async keep(ids) {
      if (ids.length === 0) return;
      const size = sizeFor(ids.length);
      const statement = statements.of(`uploads keep ${size}`, (queries, argument) =>
        among(queries.updateTable('uploads').set({ expires_at: sql.lit(null) }), 'id', size, argument),
      );
      const args: Record<string, Value> = {};
      addValues(args, 'id', ids, size);
      await session.run(statement, args);
    },
    async removeExpired(id, now) {
      const statement = statements.of('uploads remove expired', (queries, argument) =>
        queries.deleteFrom('uploads').where('id', '=', argument('id')).where('expires_at', '<=', argument('now')),
      );
      return (await session.run(statement, { id, now })) === 1;
    },
  };
}
