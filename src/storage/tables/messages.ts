import { sql } from 'kysely';
import type { Messages } from '../../contract/store/messages.ts';
import { removeOldest } from '../core/remove-oldest.ts';
import type { Session } from '../core/session.ts';
import { tableRows } from '../core/table-rows.ts';

/** Direct messages, and up to where they were read. */
export function messagesOn(session: Session): Messages {
  const rows = tableRows(session, 'messages');
  return {
    find: (id) => rows.find('id', id),
    async findMark(conversation, user) {
      return session.first('message_reads find', { conversation, user }, (db, param) =>
        db
          .selectFrom('message_reads')
          .selectAll()
          .where('conversation_id', '=', param('conversation'))
          .where('user_id', '=', param('user')),
      );
    },
    add: (message) => rows.insert(message),
    async mark({ conversation_id, user_id, last_read_id }) {
      await session.run('message_reads put', { conversation_id, user_id, last_read_id }, (db, param) =>
        db
          .insertInto('message_reads')
          .values({
            conversation_id: param('conversation_id'),
            user_id: param('user_id'),
            last_read_id: param('last_read_id'),
          })
          .onConflict((conflict) =>
            conflict.columns(['conversation_id', 'user_id']).doUpdateSet({ last_read_id: param('last_read_id') }),
          ),
      );
    },
    removeBefore: (time, limit) =>
      removeOldest(session, { table: 'messages', key: ['id'], time: 'created_at' }, time, limit),
    // Ids have a fixed length and grow.
    removeOldMarks: (limit) =>
      session.run('message_reads expire', { limit }, (db, param) => {
        const old = sql`select conversation_id, user_id from message_reads
          where last_read_id < coalesce((select min(id) from messages), ${sql.lit('9'.repeat(19))})
          order by last_read_id limit ${param('limit')}`;
        return db.deleteFrom('message_reads').where(sql<boolean>`(conversation_id, user_id) in (${old})`);
      }),
  };
}
