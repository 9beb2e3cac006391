import { sql } from 'kysely';
import type { AudienceUpload, Subject } from '../../contract/store/audiences.ts';
import { insertRows } from '../core/bulk-insert.ts';
import type { Db, Param } from '../core/statements.ts';
import { Table } from '../core/table.ts';
import { deleteRows } from '../core/table-rows.ts';

/** Number of uploads whose sizes are read in one statement. */
const LOOKED_AT = 1000;

/**
 * The uploads of subjects. Numbering an upload updates the row of its subject, which locks it until the unit of work
 * ends.
 */
export class AudienceLog extends Table {
  /**
   * Stores the payload of an upload that is appended later in the same unit. Takes far longer than the rest, and does
   * not block other units that do the same.
   * @param key unique to this upload within its subject.
   */
  storePayload(subject: Subject, key: string, payload: Uint8Array) {
    return insertRows(this.session, 'audience_payloads', [{ subject, payload_key: key, payload }]);
  }

  /** Appends an upload under the next number. Its payload of `bytes` bytes was stored under `key`. */
  async append(
    subject: Subject,
    {
      accepted_at,
      records,
      key,
      bytes,
    }: Pick<AudienceUpload, 'accepted_at' | 'records'> & { readonly key: string; readonly bytes: number },
  ): Promise<Pick<AudienceUpload, 'number' | 'accepted_at'>> {
    const row = await this.session.first('audience log take', { subject, accepted_at }, (db, param) =>
      db
        .insertInto('audience_logs')
        .values({ subject: param('subject'), uploads: sql.lit(1), accepted_at: param('accepted_at') })
        .onConflict((conflict) =>
          conflict.column('subject').doUpdateSet({
            uploads: sql<number>`audience_logs.uploads + 1`,
            // A clock that was set back must not make an upload older than the one before it. @source decision 437
            accepted_at: sql<number>`case when excluded.accepted_at > audience_logs.accepted_at
                then excluded.accepted_at else audience_logs.accepted_at end`,
          }),
        )
        .returning(['uploads', 'accepted_at']),
    );
    if (!row) throw new Error(`no upload of ${subject} was numbered`);
    const taken = { number: row.uploads, accepted_at: row.accepted_at };
    await insertRows(this.session, 'audience_uploads', [{ subject, ...taken, records, bytes, payload_key: key }]);
    return taken;
  }

  /** Uploads after a number, in order: as many as fit into `bytes_max` of payload, but at least one if there is any. */
  async findAfter(subject: Subject, number: number, bytes_max: number): Promise<AudienceUpload[]> {
    const sizes = await this.session.all('audience log sizes', { subject, number, max: LOOKED_AT }, (db, param) =>
      uploadsOf(db, param)
        .where('number', '>', param('number'))
        .select(['number', 'bytes'])
        .orderBy('number')
        .limit(param('max')),
    );
    let last = number;
    let bytes = 0;
    for (const size of sizes) {
      bytes += size.bytes;
      if (last > number && bytes > bytes_max) break;
      last = size.number;
    }
    return last === number
      ? []
      : this.session.all('audience log read', { subject, number, last }, (db, param) =>
          db
            .selectFrom('audience_uploads as u')
            .innerJoin('audience_payloads as p', (join) =>
              join.onRef('p.subject', '=', 'u.subject').onRef('p.payload_key', '=', 'u.payload_key'),
            )
            .where('u.subject', '=', param('subject'))
            .where('u.number', '>', param('number'))
            .where('u.number', '<=', param('last'))
            .select(['u.number', 'u.accepted_at', 'u.records', 'p.payload'])
            .orderBy('u.number'),
        );
  }

  /** The upload with this number, or the last one; undefined when there is none. */
  find(subject: Subject, number?: number) {
    return this.session.first(
      `audience log find ${number === undefined ? 'last' : 'number'}`,
      { subject, number },
      (db, param) => {
        const found = uploadsOf(db, param).select(['number', 'accepted_at']).orderBy('number', 'desc').limit(1);
        return number === undefined ? found : found.where('number', '=', param('number'));
      },
    );
  }

  /** Removes up to `max` uploads of a subject, and the subject once none is left; returns false when more remain. */
  async remove(subject: Subject, max: number) {
    const findOldest = () =>
      this.session.first('audience log oldest', { subject }, (db, param) =>
        uploadsOf(db, param).select('number').orderBy('number').limit(1),
      );
    const oldest = await findOldest();
    if (oldest) {
      const of = { subject, end: oldest.number + max };
      await this.session.run('audience log clear', of, (db, param) =>
        db
          .deleteFrom('audience_payloads')
          .where('subject', '=', param('subject'))
          .where('payload_key', 'in', (eb) =>
            eb
              .selectFrom('audience_uploads')
              .select('payload_key')
              .where('subject', '=', param('subject'))
              .where('number', '<', param('end')),
          ),
      );
      await this.session.run('audience log remove', of, (db, param) =>
        db.deleteFrom('audience_uploads').where('subject', '=', param('subject')).where('number', '<', param('end')),
      );
    }
    if (oldest && (await findOldest())) return false;
    await deleteRows(this.session, 'audience_logs', { subject });
    return true;
  }
}

function uploadsOf(db: Db, param: Param<{ readonly subject: string }>) {
  return db.selectFrom('audience_uploads').where('subject', '=', param('subject'));
}
