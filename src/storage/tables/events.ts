import { instantMs } from '../../base/instants.ts';
import type { Events, LoggedEvent, NewEvent } from '../../contract/store/events.ts';
import { bindList, paddedSize, whereIn } from '../core/in-lists.ts';
import { findNumberOn, takeNumbersOn } from '../core/sequences.ts';
import type { Session } from '../core/session.ts';
import type { Value } from '../core/statements.ts';

/** The sequence of positions. The row is locked until a unit ends, which makes the order of the log that of commits. */
const SEQUENCE = 'events';
const FIRST = 1;
/** Longer than any unit waits for others. */
const WAIT_MAX_MS = 60_000;
/** How many rows a statement may have: a few sizes, so that few shapes exist. */
const ROWS = [100, 50, 20, 10, 5, 2, 1];

const COLUMNS = ['position', 'event_type', 'user_id', 'direction', 'text', 'payload', 'created_at'] as const;

/**
 * The log of events. SQLite has one writer; on the server the row of the sequence keeps a second one waiting until the first
 * has committed, or has given its positions back.
 */
export function eventsOn(session: Session, touch: (tag: string) => void): Events {
  const { statements } = session;
  const takeNumbers = takeNumbersOn(session);
  const findNumber = findNumberOn(session);

  const addAll = async (events: readonly LoggedEvent[]): Promise<void> => {
    const { length } = events;
    const statement = statements.cached(`events add ${length}`, (db, param) =>
      db
        .insertInto('events')
        .values(events.map((_, index) => Object.fromEntries(COLUMNS.map((name) => [name, param(`${name}.${index}`)])))),
    );
    const args: Record<string, Value> = {};
    events.forEach((event, index) => {
      for (const name of COLUMNS) args[`${name}.${index}`] = event[name];
    });
    await session.run(statement, args);
  };

  /**
   * The time of an event behind the one at this position: units that waited for each other looked at the clock before, and
   * whoever begins to read at a time must find all that is later behind its first event. A clock that was set back is left alone.
   */
  const notBefore = async (position: number, now: string): Promise<string> => {
    const statement = statements.cached('events time', (db, param) =>
      db.selectFrom('events').select('created_at').where('position', '=', param('position')),
    );
    const last: string | undefined = (await session.all(statement, { position }))[0]?.created_at;
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
      for (let done = 0; done < rows.length; ) {
        const size = ROWS.find((each) => each <= rows.length - done)!;
        await addAll(rows.slice(done, done + size));
        done += size;
      }
      touch('event:');
      return rows.map(({ position }) => position);
    },
    async list({ after, until = Number.MAX_SAFE_INTEGER, limit }) {
      const statement = statements.cached('events list', (db, param) =>
        db
          .selectFrom('events')
          .select(COLUMNS)
          .where('position', '>', param('after'))
          .where('position', '<=', param('until'))
          .orderBy('position')
          .limit(param('limit')),
      );
      return session.all(statement, { after, until, limit });
    },
    async listAt(positions) {
      if (positions.length === 0) return [];
      const size = paddedSize(positions.length);
      const statement = statements.cached(`events at ${size}`, (db, param) =>
        whereIn(db.selectFrom('events').select(COLUMNS), 'position', size, param).orderBy('position'),
      );
      const args: Record<string, Value> = {};
      bindList(args, 'position', positions, size);
      return session.all(statement, args);
    },
    async findLast() {
      return ((await findNumber(SEQUENCE)) ?? FIRST) - 1;
    },
    async findBefore(time) {
      const statement = statements.cached('events since', (db, param) =>
        db
          .selectFrom('events')
          .select('position')
          .where('created_at', '>=', param('time'))
          .orderBy('created_at')
          .orderBy('position')
          .limit(1),
      );
      const [first] = await session.all(statement, { time });
      return (first?.position ?? (await findNumber(SEQUENCE)) ?? FIRST) - 1;
    },
    async removeBefore(time, limit) {
      const statement = statements.cached('events remove', (db, param) =>
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
      return session.run(statement, { time, limit });
    },
  };
}
