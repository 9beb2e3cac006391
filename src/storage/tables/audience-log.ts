import { sql } from 'kysely';
import type { AudienceLog } from '../../contract/store/audiences.ts';
import type { Builder } from '../core/in-lists.ts';
import type { Session } from '../core/session.ts';
import type { Param, QueryBuilder } from '../core/statements.ts';

/** Uploads whose sizes are looked at together. */
const LOOKED_AT = 1000;

/** The uploads of subjects. A number is taken by changing the row of its subject, which makes others wait for the unit. */
export function audienceLogOn(session: Session): AudienceLog {
  const { statements } = session;
  const uploadsOf = (db: QueryBuilder, param: Param): Builder =>
    db.selectFrom('audience_uploads').where('subject', '=', param('subject'));
  return {
    async storePayload(subject, key, payload) {
      const statement = statements.cached('audience log bring', (db, param) =>
        db.insertInto('audience_payloads').values({
          subject: param('subject'),
          payload_key: param('key'),
          payload: param('payload'),
        }),
      );
      await session.run(statement, { subject, key, payload });
    },
    async append(subject, { accepted_at, records, key, bytes }) {
      const take = statements.cached('audience log take', (db, param) =>
        db
          .insertInto('audience_logs')
          .values({ subject: param('subject'), uploads: sql.lit(1), accepted_at: param('accepted_at') })
          .onConflict((conflict: Builder) =>
            conflict.column('subject').doUpdateSet({
              uploads: sql`audience_logs.uploads + 1`,
              // A clock that was set back must not put an upload before what it follows.
              accepted_at: sql`case when excluded.accepted_at > audience_logs.accepted_at
                then excluded.accepted_at else audience_logs.accepted_at end`,
            }),
          )
          .returning(['uploads', 'accepted_at']),
      );
      const add = statements.cached('audience log add', (db, param) =>
        db.insertInto('audience_uploads').values({
          subject: param('subject'),
          number: param('number'),
          accepted_at: param('accepted_at'),
          records: param('records'),
          bytes: param('bytes'),
          payload_key: param('key'),
        }),
      );
      const [row] = await session.all(take, { subject, accepted_at });
      const taken = { number: row.uploads as number, accepted_at: row.accepted_at as number };
      await session.run(add, { subject, ...taken, records, bytes, key });
      return taken;
    },
    async findAfter(subject, number, bytes_max) {
      const look = statements.cached('audience log sizes', (db, param) =>
        uploadsOf(db, param)
          .where('number', '>', param('number'))
          .select(['number', 'bytes'])
          .orderBy('number')
          .limit(param('max')),
      );
      const read = statements.cached('audience log read', (db, param) =>
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
      const sizes = await session.all(look, { subject, number, max: LOOKED_AT });
      let last = number;
      let bytes = 0;
      for (const size of sizes) {
        bytes += size.bytes;
        if (last > number && bytes > bytes_max) break;
        last = size.number;
      }
      return last === number ? [] : session.all(read, { subject, number, last });
    },
    async find(subject, number) {
      const statement = statements.cached(`audience log find ${number === undefined}`, (db, param) => {
        const found = uploadsOf(db, param).select(['number', 'accepted_at']).orderBy('number', 'desc').limit(1);
        return number === undefined ? found : found.where('number', '=', param('number'));
      });
      return (await session.all(statement, number === undefined ? { subject } : { subject, number }))[0];
    },
    async remove(subject, max) {
      const first = statements.cached('audience log first', (db, param) =>
        uploadsOf(db, param).select('number').orderBy('number').limit(1),
      );
      const clear = statements.cached('audience log clear', (db, param) =>
        db
          .deleteFrom('audience_payloads')
          .where('subject', '=', param('subject'))
          .where('payload_key', 'in', (eb: Builder) =>
            eb
              .selectFrom('audience_uploads')
              .select('payload_key')
              .where('subject', '=', param('subject'))
              .where('number', '<', param('end')),
          ),
      );
      const remove = statements.cached('audience log remove', (db, param) =>
        db.deleteFrom('audience_uploads').where('subject', '=', param('subject')).where('number', '<', param('end')),
      );
      const end = statements.cached('audience log end', (db, param) =>
        db.deleteFrom('audience_logs').where('subject', '=', param('subject')),
      );
      const [oldest] = await session.all(first, { subject });
      if (oldest) {
        const of = { subject, end: oldest.number + max };
        await session.run(clear, of);
        await session.run(remove, of);
      }
      if (oldest && (await session.all(first, { subject })).length > 0) return false;
      await session.run(end, { subject });
      return true;
    },
  };
}
