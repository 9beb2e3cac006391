import { instantMs } from '../../base/instants.ts';
import type { Events, LoggedEvent, NewEvent } from '../../contract/store/events.ts';
import { insertRows } from '../core/bulk-insert.ts';
import { inList, paddedSize } from '../core/in-lists.ts';
import { findNumberOn, takeNumbersOn } from '../core/sequences.ts';
import type { Session } from '../core/session.ts';

/**
 * The sequence of positions. Its row is locked until a unit of work ends, so the log has the order of commits.
 * @source decision 323
 */
const SEQUENCE = 'events';
const FIRST = 1;
/** Longer than any unit of work waits for others. */
const WAIT_MAX_MS = 60_000;

const COLUMNS = ['position', 'event_type', 'user_id', 'direction', 'text', 'payload', 'created_at'] as const;

/**
 * The event log. SQLite has one writer; on PostgreSQL the row of the sequence makes a second one wait until the first
 * has committed or rolled back.
 */
export function eventsOn(session: Session, invalidate: (tag: string) => void): Events {
  const takeNumbers = takeNumbersOn(session);
  const findNumber = findNumberOn(session);

  /**
   * The time of an event after the one at this position. Units of work that waited for each other read the clock before
   * they waited, but times must not decrease: a reader that starts at a time must find all later events after its first
   * one. A clock that was set back further is accepted.
   * @source decision 365
   */
  const notBefore = async (position: number, now: string): Promise<string> => {
    const row = await session.first('events time', { position }, (db, param) =>
      db.selectFrom('events').select('created_at').where('position', '=', param('position')),
    );
    const last = row?.created_at;
    return last !== undefined && last > now && instantMs(last) - instantMs(now) <= WAIT_MAX_MS ? last : now;
  };

  return {
    async append(events, now) {
      if (events.length === 0) return [];
      const first = await takeNumbers(SEQUENCE, FIRST, events.length);
      const created_at = await notBefore(first - 1, now);
      const rows = events.map((event: NewEvent, index): LoggedEvent => {
        return { ...event, position: first + index, created_at };
      });
      await insertRows(session, 'events', rows, { columns: COLUMNS });
      invalidate('event:');
      return rows.map(({ position }) => position);
    },
    async list({ after, until = Number.MAX_SAFE_INTEGER, limit }) {
      return session.all('events list', { after, until, limit }, (db, param) =>
        db
          .selectFrom('events')
          .select(COLUMNS)
          .where('position', '>', param('after'))
          .where('position', '<=', param('until'))
          .orderBy('position')
          .limit(param('limit')),
      );
    },
    async listAt(positions) {
      if (positions.length === 0) return [];
      const size = paddedSize(positions.length);
      return session.all(`events at ${size}`, { positions }, (db, param) =>
        db
          .selectFrom('events')
          .select(COLUMNS)
          .where((eb) => inList(eb, 'position', param.list('positions', size)))
          .orderBy('position'),
      );
    },
    async findLast() {
      return ((await findNumber(SEQUENCE)) ?? FIRST) - 1;
    },
    async findBefore(time) {
      const [first] = await session.all('events since', { time }, (db, param) =>
        db
          .selectFrom('events')
          .select('position')
          .where('created_at', '>=', param('time'))
          .orderBy('created_at')
          .orderBy('position')
          .limit(1),
      );
      return (first?.position ?? (await findNumber(SEQUENCE)) ?? FIRST) - 1;
    },
    async removeBefore(time, limit) {
      return session.run('events remove', { time, limit }, (db, param) =>
        db
          .deleteFrom('events')
          .where(
            'position',
            'in',
            db
              .selectFrom('events')
              .select('position')
              .where('created_at', '<', param('time'))
              .orderBy('created_at')
              .orderBy('position')
              .limit(param('limit')),
          ),
      );
    },
  };
}
