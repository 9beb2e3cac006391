import { type Selectable, sql } from 'kysely';
import type { Upload, Uploads } from '../../contract/store/uploads.ts';
import { insertRows } from '../core/bulk-insert.ts';
import type { Database } from '../core/database.ts';
import { inList, paddedSize } from '../core/in-lists.ts';
import type { Session } from '../core/session.ts';
import { tableRows, updateRows } from '../core/table-rows.ts';

/** An upload as the port declares it. */
function uploadOf(row: Selectable<Database['uploads']>): Upload {
  return {
    ...row,
    additional_owners: JSON.parse(row.additional_owners) as string[],
    is_categorized: row.is_categorized === 1,
  };
}

/** Uploaded media. */
export function uploadsOn(session: Session): Uploads {
  const table = tableRows(session, 'uploads');
  return {
    async find(id) {
      const row = await table.find('id', id);
      return row && uploadOf(row);
    },
    async lock(id) {
      const row = await table.lock('id', id);
      return row && uploadOf(row);
    },
    async findByFileName(fileName) {
      const row = await table.find('file_name', fileName);
      return row && uploadOf(row);
    },
    async list(ids) {
      if (ids.length === 0) return [];
      const size = paddedSize(ids.length);
      return (
        await session.all(`uploads list ${size}`, { ids }, (db, param) =>
          db
            .selectFrom('uploads')
            .selectAll()
            .where((eb) => inList(eb, 'id', param.list('ids', size))),
        )
      ).map(uploadOf);
    },
    async listUnfinished() {
      const rows = await session.all('uploads unfinished', {}, (db) =>
        db.selectFrom('uploads').select('id').where('state', 'not in', ['succeeded', 'failed']),
      );
      return rows.map(({ id }) => id);
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
      return (await updateRows(session, 'uploads', changes, { id, state: from })) === 1;
    },
    async markUsed(ids) {
      if (ids.length === 0) return;
      const size = paddedSize(ids.length);
      await session.run(`uploads keep ${size}`, { ids }, (db, param) =>
        db
          .updateTable('uploads')
          .set({ expires_at: sql.lit(null) })
          .where((eb) => inList(eb, 'id', param.list('ids', size))),
      );
    },
    async removeExpired(id, now) {
      const removed = await session.run('uploads remove expired', { id, now }, (db, param) =>
        db.deleteFrom('uploads').where('id', '=', param('id')).where('expires_at', '<=', param('now')),
      );
      if (removed === 1) await removeSegments(session, id);
      return removed === 1;
    },
    listSegments: (id) =>
      session.all('upload segments', { id }, (db, param) =>
        db.selectFrom('upload_segments').selectAll().where('upload_id', '=', param('id')).orderBy('segment_index'),
      ),
    findSegment: (id, index) =>
      session.first('upload segment', { id, index }, (db, param) =>
        db
          .selectFrom('upload_segments')
          .selectAll()
          .where('upload_id', '=', param('id'))
          .where('segment_index', '=', param('index')),
      ),
    async sumSegments(id) {
      const found = await session.first('upload segments sum', { id }, (db, param) =>
        db
          .selectFrom('upload_segments')
          .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('bytes'), sql.lit(0)).as('bytes'))
          .where('upload_id', '=', param('id')),
      );
      return Number(found!.bytes);
    },
    putSegment: (segment) =>
      insertRows(session, 'upload_segments', [segment], {
        onConflict: { key: ['upload_id', 'segment_index'], replace: ['object_key', 'bytes', 'sha256'] },
      }),
    removeSegments: (id) => removeSegments(session, id),
  };
}

async function removeSegments(session: Session, id: string): Promise<void> {
  await session.run('upload segments remove', { id }, (db, param) =>
    db.deleteFrom('upload_segments').where('upload_id', '=', param('id')),
  );
}
