import { type Selectable, sql } from 'kysely';
import type { Upload, UploadChanges, UploadSegment, UploadState } from '../../contract/store/uploads.ts';
import { insertRows } from '../core/bulk-insert.ts';
import type { Database } from '../core/database.ts';
import { allListed, inList, paddedSize } from '../core/in-lists.ts';
import { Table } from '../core/table.ts';
import { deleteRows, findRow, listRows, lockRow, updateRows } from '../core/table-rows.ts';

/** An upload as the port declares it. */
function uploadOf(row: Selectable<Database['uploads']>): Upload {
  return {
    ...row,
    additional_owners: JSON.parse(row.additional_owners) as string[],
    is_categorized: row.is_categorized === 1,
  };
}

/** Stored metadata of uploaded media; the bytes are elsewhere. */
export class Uploads extends Table {
  async find(id: string): Promise<Upload | undefined> {
    const row = await findRow(this.session, 'uploads', { id });
    return row && uploadOf(row);
  }

  /** `find` with a lock on the upload and its segments until the unit of work ends. */
  async lock(id: string): Promise<Upload | undefined> {
    const row = await lockRow(this.session, 'uploads', { id });
    return row && uploadOf(row);
  }

  /** The uploads with these ids that exist, unordered. */
  async list(ids: readonly string[]): Promise<Upload[]> {
    return (
      await allListed(this.session, 'uploads list', ids, {}, (db, ids) =>
        db
          .selectFrom('uploads')
          .selectAll()
          .where((eb) => inList(eb, 'id', ids)),
      )
    ).map(uploadOf);
  }

  async findByFileName(fileName: string): Promise<Upload | undefined> {
    const row = await findRow(this.session, 'uploads', { file_name: fileName });
    return row && uploadOf(row);
  }

  /** The ids of all uploads that have neither succeeded nor failed. */
  async listUnfinished() {
    const rows = await this.session.all('uploads unfinished', {}, (db) =>
      db.selectFrom('uploads').select('id').where('state', 'not in', ['succeeded', 'failed']),
    );
    return rows.map(({ id }) => id);
  }

  async add(upload: Upload) {
    const { additional_owners, is_categorized, ...others } = upload;
    await insertRows(this.session, 'uploads', [
      {
        ...others,
        additional_owners: JSON.stringify(additional_owners),
        is_categorized: is_categorized ? 1 : 0,
      },
    ]);
  }

  /** Changes an upload in the state `from`; returns false when it is in another. */
  async change(id: string, from: UploadState, changes: UploadChanges) {
    return (await updateRows(this.session, 'uploads', changes, { id, state: from })) === 1;
  }

  /** The segments of an upload, in order. */
  listSegments(id: string) {
    return listRows(this.session, 'upload_segments', { upload_id: id }, ['segment_index']);
  }

  findSegment(id: string, index: number) {
    return findRow(this.session, 'upload_segments', { upload_id: id, segment_index: index });
  }

  /** Total bytes of the segments of an upload. */
  async sumSegments(id: string) {
    const found = await this.session.first('upload segments sum', { id }, (db, param) =>
      db
        .selectFrom('upload_segments')
        .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('bytes'), sql.lit(0)).as('bytes'))
        .where('upload_id', '=', param('id')),
    );
    return Number(found!.bytes);
  }

  /** Adds a segment, or replaces the one with its number. */
  putSegment(segment: UploadSegment) {
    return insertRows(this.session, 'upload_segments', [segment], {
      onConflict: { key: ['upload_id', 'segment_index'], replace: ['object_key', 'bytes', 'sha256'] },
    });
  }

  async removeSegments(id: string) {
    await deleteRows(this.session, 'upload_segments', { upload_id: id });
  }

  /** Marks media as used, so that they no longer expire. Unknown ids are ignored. */
  async markUsed(ids: readonly string[]) {
    if (ids.length === 0) return;
    const size = paddedSize(ids.length);
    await this.session.run(`uploads keep ${size}`, { ids }, (db, param) =>
      db
        .updateTable('uploads')
        .set({ expires_at: sql.lit(null) })
        .where((eb) => inList(eb, 'id', param.list('ids', size))),
    );
  }

  /** Removes an upload that has expired, with its segments; returns false when it does not expire, or expires later. */
  async removeExpired(id: string, now: string) {
    const removed = await this.session.run('uploads remove expired', { id, now }, (db, param) =>
      db.deleteFrom('uploads').where('id', '=', param('id')).where('expires_at', '<=', param('now')),
    );
    if (removed === 1) await this.removeSegments(id);
    return removed === 1;
  }
}
