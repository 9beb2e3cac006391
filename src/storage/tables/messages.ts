import type { Messages } from '../../contract/store/messages.ts';
import type { Builder } from '../core/lists.ts';
import { rowsOn } from '../core/rows.ts';
import type { Session } from '../core/session.ts';

/** Direct messages, and how far they were read. */
export function messagesOn(session: Session): Messages {
  const { statements } = session;
  const rows = rowsOn(session, 'messages');
  return {
    find: (id) => rows.find('id', id),
    async findMark(conversation, user) {
      const statement = statements.of('message_reads find', (queries, argument) =>
        queries
          .selectFrom('message_reads')
          .selectAll()
          .where('conversation_id', '=', argument('conversation'))
          .where('user_id', '=', argument('user')),
      );
      return (await session.all(statement, { conversation, user }))[0];
    },
    add: (message) => rows.add(message),
    async mark({ conversation_id, user_id, last_read_id }) {
      const statement = statements.of('message_reads put', (queries, argument) =>
        queries
          .insertInto('message_reads')
          .values({
            conversation_id: argument('conversation_id'),
            user_id: argument('user_id'),
            last_read_id: argument('last_read_id'),
          })
          .onConflict((conflict: Builder) =>
            conflict.columns(['conversation_id', 'user_id']).doUpdateSet({ last_read_id: argument('last_read_id') }),
          ),
      );
      await session.run(statement, { conversation_id, user_id, last_read_id });
    },
  };
}
