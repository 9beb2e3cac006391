import { sql } from 'kysely';
import type { Message } from '../../contract/store/messages.ts';
import { insertRows } from '../core/bulk-insert.ts';
import type { NewRow } from '../core/database.ts';
import { Table } from '../core/table.ts';
import { findRow } from '../core/table-rows.ts';

/** Direct messages, and up to where they were read. */
export class Messages extends Table {
  find(id: string) {
    return findRow(this.session, 'messages', { id });
  }

  findMark(conversation: string, user: string) {
    return findRow(this.session, 'message_reads', { conversation_id: conversation, user_id: user });
  }

  add(message: Message) {
    return insertRows(this.session, 'messages', [message]);
  }

  /** Stores how far a user has read. */
  mark(mark: NewRow<'message_reads'>) {
    return insertRows(this.session, 'message_reads', [mark], {
      onConflict: { key: ['conversation_id', 'user_id'], replace: ['last_read_id'] },
    });
  }

  /** Removes marks of messages older than all that are left, at most `limit`; returns how many. */
  removeOldMarks(limit: number) {
    return this.session.run('message_reads expire', { limit }, (db, param) => {
      // Ids have a fixed length and grow.
      const old = sql`select conversation_id, user_id from message_reads
          where last_read_id < coalesce((select min(id) from messages), ${sql.lit('9'.repeat(19))})
          order by last_read_id limit ${param('limit')}`;
      return db.deleteFrom('message_reads').where(sql<boolean>`(conversation_id, user_id) in (${old})`);
    });
  }
}
