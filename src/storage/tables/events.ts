import type { LogRange, NewEvent } from '../../contract/store/events.ts';
import { allListed, inList } from '../core/in-lists.ts';
import { findNumber } from '../core/sequences.ts';
import type { Session } from '../core/session.ts';
import { CachedTable } from '../core/table.ts';
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
export class Events extends CachedTable {
  readonly #collect;
  readonly #isSqlite;

  constructor(session: Session, invalidate: (tag: string) => void, collect: (event: AppendedEvent) => void) {
    super(session, invalidate);
    this.#collect = collect;
    this.#isSqlite = session.dialect === 'sqlite';
  }

  /**
   * Appends events to the log. They have positions, and can be read, when the unit ends or, on PostgreSQL, soon after
   * it. Invalidates `event:`, on PostgreSQL `outbox:`.
   */
  async append(events: readonly NewEvent[], now: string) {
    if (this.#isSqlite) {
      await this.appendInPlace(events, now);
      return;
    }
    if (events.length === 0) return;
    for (const event of events) this.#collect({ ...event, created_at: now });
    this.invalidate('outbox:');
  }

  /**
   * Appends events to the log and invalidates `event:`; returns their positions. Units that do so wait for each other:
   * append last in a unit.
   */
  async appendInPlace(events: readonly NewEvent[], now: string) {
    if (events.length === 0) return [];
    if (!this.#isSqlite) await moveAllToLog(this.session);
    this.invalidate('event:');
    const rows = await addToLog(
      this.session,
      events.map((event) => ({ ...event, created_at: now })),
    );
    return rows.map(({ position }) => position);
  }

  /**
   * Gives positions to the events of all units that have ended; returns the last position. Events of units that begin
   * later get higher ones. Units that settle wait for each other: settle last.
   */
  async assignPositions() {
    if (!this.#isSqlite && (await moveAllToLog(this.session)) > 0) this.invalidate('event:');
    return this.findLast();
  }

  /** The time of the oldest event without a position, as UTC text; undefined when there is none. */
  async findOldestWaiting() {
    const row = await this.session.first('events waiting', {}, (db) =>
      db.selectFrom('event_outbox').select('created_at').orderBy('id').orderBy('place').limit(1),
    );
    return row?.created_at;
  }

  list({ after, until = Number.MAX_SAFE_INTEGER, limit }: LogRange) {
    return this.session.all('events list', { after, until, limit }, (db, param) =>
      db
        .selectFrom('events')
        .select(COLUMNS)
        .where('position', '>', param('after'))
        .where('position', '<=', param('until'))
        .orderBy('position')
        .limit(param('limit')),
    );
  }

  /** The events at these positions, in order; removed ones are absent. */
  listAt(positions: readonly number[]) {
    return allListed(this.session, 'events at', positions, {}, (db, positions) =>
      db
        .selectFrom('events')
        .select(COLUMNS)
        .where((eb) => inList(eb, 'position', positions))
        .orderBy('position'),
    );
  }

  /** The last position that any event ever had; 0 before the first. */
  async findLast() {
    return ((await findNumber(this.session, POSITIONS)) ?? FIRST) - 1;
  }

  /** The position before the first event written at this second or later: the `after` of a range that begins there. */
  async findBefore(time: string) {
    const [first] = await this.session.all('events since', { time }, (db, param) =>
      db
        .selectFrom('events')
        .select('position')
        .where('created_at', '>=', param('time'))
        .orderBy('created_at')
        .orderBy('position')
        .limit(1),
    );
    return (first?.position ?? (await findNumber(this.session, POSITIONS)) ?? FIRST) - 1;
  }
}
