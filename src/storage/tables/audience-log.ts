import { sql } from 'kysely';
import type { AudienceLog } from '../../contract/store/audiences.ts';
import type { Session } from '../core/session.ts';
import type { Db, Param } from '../core/statements.ts';

/** Uploads whose sizes are read at once. */
const LOOKED_AT = 1000;

/**
 * The uploads of subjects. Numbering an upload updates the row of its subject, which locks it until the unit of work
 * ends.
 */
export function audienceLogOn(session: Session): AudienceLog {
  const uploadsOf = (db: Db, param: Param<{ readonly subject: string }>) =>
    db.selectFrom('audience_uploads').where('subject', '=', param('subject'));
  return {
    async storePayload(subject, key, payload) {
      await session.run('audience log bring', { subject, key, payload }, (db, param) =>
        db.insertInto('audience_payloads').values({
          subject: param('subject'),
          payload_key: param('key'),
          payload: param('payload'),
        }),
      );
    },
    async append(subject, { accepted_at, records, key, bytes }) {
      const row = await session.first('audience log take', { subject, accepted_at }, (db, param) =>
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
      await session.run('audience log add', { subject, ...taken, records, bytes, key }, (db, param) =>
        db.insertInto('audience_uploads').values({
          subject: param('subject'),
          number: param('number'),
          accepted_at: param('accepted_at'),
          records: param('records'),
          bytes: param('bytes'),
          payload_key: param('key'),
        }),
      );
      return taken;
    },
    async findAfter(subject, number, bytes_max) {
      const sizes = await session.all('audience log sizes', { subject, number, max: LOOKED_AT }, (db, param) =>
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
        : session.all('audience log read', { subject, number, last }, (db, param) =>
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
    },
    async find(subject, number) {
      return session.first(`audience log find ${number === undefined}`, { subject, number }, (db, param) => {
        const found = uploadsOf(db, param).select(['number', 'accepted_at']).orderBy('number', 'desc').limit(1);
        return number === undefined ? found : found.where('number', '=', param('number'));
      });
    },
    async remove(subject, max) {
      const findOldest = () =>
        session.first('audience log oldest', { subject }, (db, param) =>
          uploadsOf(db, param).select('number').orderBy('number').limit(1),
        );
      const oldest = await findOldest();
      if (oldest) {
        const of = { subject, end: oldest.number + max };
        await session.run('audience log clear', of, (db, param) =>
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
        await session.run('audience log remove', of, (db, param) =>
          db.deleteFrom('audience_uploads').where('subject', '=', param('subject')).where('number', '<', param('end')),
        );
      }
      if (oldest && (await findOldest())) return false;
      await session.run('audience log end', { subject }, (db, param) =>
        db.deleteFrom('audience_logs').where('subject', '=', param('subject')),
      );
      return true;
    },
  };
}
