import { sql } from 'kysely';
import type { AudienceLog } from '../../contract/store/audiences.ts';
import type { Builder } from '../core/lists.ts';
import type { Session } from '../core/session.ts';
import type { Argument, Queries } from '../core/statements.ts';

/** Uploads whose sizes are looked at together. */
const LOOKED_AT = 1000;

/** The uploads of subjects. A number is taken by changing the row of its subject, which makes others wait for the unit. */
export function audienceLogOn(session: Session): AudienceLog {
  const { statements } = session;
  const uploadsOf = (queries: Queries, argument: Argument): Builder =>
    queries.selectFrom('audience_uploads').where('subject', '=', argument('subject'));
  return {
    async bring(subject, key, payload) {
      const statement = statements.of('audience log bring', (queries, argument) =>
        queries.insertInto('audience_payloads').values({
          subject: argument('subject'),
          payload_key: argument('key'),
          payload: argument('payload'),
        }),
      );
      await session.run(statement, { subject, key, payload });
    },
    async append(subject, { accepted_at, records, key, bytes }) {
      const take = statements.of('audience log take', (queries, argument) =>
        queries
          .insertInto('audience_logs')
          .values({ subject: argument('subject'), uploads: sql.lit(1), accepted_at: argument('accepted_at') })
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
      const add = statements.of('audience log add', (queries, argument) =>
        queries.insertInto('audience_uploads').values({
          subject: argument('subject'),
          number: argument('number'),
          accepted_at: argument('accepted_at'),
          records: argument('records'),
          bytes: argument('bytes'),
          payload_key: argument('key'),
        }),
      );
      const [row] = await session.all(take, { subject, accepted_at });
      const taken = { number: row.uploads as number, accepted_at: row.accepted_at as number };
      await session.run(add, { subject, ...taken, records, bytes, key });
      return taken;
    },
    async findAfter(subject, number, bytes_max) {
      const look = statements.of('audience log sizes', (queries, argument) =>
        uploadsOf(queries, argument)
          .where('number', '>', argument('number'))
          .select(['number', 'bytes'])
          .orderBy('number')
          .limit(argument('max')),
      );
      const read = statements.of('audience log read', (queries, argument) =>
        queries
          .selectFrom('audience_uploads as u')
          .innerJoin('audience_payloads as p', (join) =>
            join.onRef('p.subject', '=', 'u.subject').onRef('p.payload_key', '=', 'u.payload_key'),
          )
          .where('u.subject', '=', argument('subject'))
          .where('u.number', '>', argument('number'))
          .where('u.number', '<=', argument('last'))
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
      const statement = statements.of(`audience log find ${number === undefined}`, (queries, argument) => {
        const found = uploadsOf(queries, argument).select(['number', 'accepted_at']).orderBy('number', 'desc').limit(1);
        return number === undefined ? found : found.where('number', '=', argument('number'));
      });
      return (await session.all(statement, number === undefined ? { subject } : { subject, number }))[0];
    },
    async remove(subject, max) {
      const first = statements.of('audience log first', (queries, argument) =>
        uploadsOf(queries, argument).select('number').orderBy('number').limit(1),
      );
      const clear = statements.of('audience log clear', (queries, argument) =>
        queries
          .deleteFrom('audience_payloads')
          .where('subject', '=', argument('subject'))
          .where('payload_key', 'in', (eb: Builder) =>
            eb
              .selectFrom('audience_uploads')
              .select('payload_key')
              .where('subject', '=', argument('subject'))
              .where('number', '<', argument('end')),
          ),
      );
      const remove = statements.of('audience log remove', (queries, argument) =>
        queries
          .deleteFrom('audience_uploads')
          .where('subject', '=', argument('subject'))
          .where('number', '<', argument('end')),
      );
      const end = statements.of('audience log end', (queries, argument) =>
        queries.deleteFrom('audience_logs').where('subject', '=', argument('subject')),
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
