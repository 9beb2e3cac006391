import type { Events, NewEvent } from '../../contract/store/events.ts';
import { inList, paddedSize } from '../core/in-lists.ts';
import { removeOldest } from '../core/remove-oldest.ts';
import { findNumberOn } from '../core/sequences.ts';
import type { Session } from '../core/session.ts';
import {
  type AppendedEvent,
  addToLog,
  EVENT_COLUMNS as COLUMNS,
  FIRST_POSITION as FIRST,
  moveAllToLog,
  POSITIONS,
} from './event-outbox.ts';

/**
 * The event log. SQLite has one writer, so events get their positions at once. On PostgreSQL, units that append would
 * have to wait for each other; instead their events are given to `collect`, are stored when the unit ends, and get
 * their positions later.
 * @source decision 323, 757
 */
export function eventsOn(
  session: Session,
  invalidate: (tag: string) => void,
  collect: (event: AppendedEvent) => void,
): Events {
  const findNumber = findNumberOn(session);
  const isSqlite = session.dialect === 'sqlite';

  const appendInPlace = async (events: readonly NewEvent[], now: string): Promise<number[]> => {
    if (events.length === 0) return [];
    if (!isSqlite) await moveAllToLog(session);
    invalidate('event:');
    const rows = await addToLog(
      session,
      events.map((event) => ({ ...event, created_at: now })),
    );
    return rows.map(({ position }) => position);
  };
  const findLast = async (): Promise<number> => ((await findNumber(POSITIONS)) ?? FIRST) - 1;

  return {
    async append(events, now) {
      if (isSqlite) {
        await appendInPlace(events, now);
        return;
      }
      if (events.length === 0) return;
      for (const event of events) collect({ ...event, created_at: now });
      invalidate('outbox:');
    },
    appendInPlace,
    async settle() {
      if (!isSqlite && (await moveAllToLog(session)) > 0) invalidate('event:');
      return findLast();
    },
    async findOldestWaiting() {
      const row = await session.first('events waiting', {}, (db) =>
        db.selectFrom('event_outbox').select('created_at').orderBy('id').orderBy('place').limit(1),
      );
      return row?.created_at;
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
    findLast,
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
      return (first?.position ?? (await findNumber(POSITIONS)) ?? FIRST) - 1;
    },
    removeBefore: (time, until, limit) =>
      removeOldest(
        session,
        { table: 'events', key: ['position'], time: 'created_at', and: { position: ['<=', until] } },
        time,
        limit,
      ),
  };
}
