import { sql } from 'kysely';
import { instantMs } from '../../base/instants.ts';
import type { LoggedEvent, NewEvent } from '../../contract/store/events.ts';
import { insertRows } from '../core/bulk-insert.ts';
import { databaseTime } from '../core/database-time.ts';
import { takeNumbers } from '../core/sequences.ts';
import type { Session } from '../core/session.ts';

/** The sequence of positions. Units that give events their positions lock its row until they end. */
export const POSITIONS = 'events';
/** The first position. */
export const FIRST_POSITION = 1;
/** The columns of an event in the log. */
export const EVENT_COLUMNS = [
  'position',
  'event_type',
  'user_id',
  'direction',
  'text',
  'payload',
  'created_at',
] as const;

/** An event without a position. */
export interface AppendedEvent extends NewEvent {
  /** UTC text of the second in which it was written. */
  readonly created_at: string;
}

/** Longer than any unit of work waits, in milliseconds. */
const WAIT_MAX_MS = 60_000;

/** One statement for all events of a unit, at its end: they share one id. */
const INSERT = `insert into event_outbox (id, place, event_type, user_id, direction, text, payload, created_at)
  select unit.id, event.place, event.event_type, event.user_id, event.direction, event.text, event.payload,
    event.created_at
  from nextval('event_outbox_id_seq') as unit (id),
    unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[]) with ordinality
      as event (event_type, user_id, direction, text, payload, created_at, place)`;

/** Stores the events of a unit of work without positions; on PostgreSQL only. */
export async function storeWithoutPositions(session: Session, events: readonly AppendedEvent[]): Promise<void> {
  const column = (name: keyof AppendedEvent): (string | null)[] => events.map((event) => event[name]);
  await session.runRaw(INSERT, [
    column('event_type'),
    column('user_id'),
    column('direction'),
    column('text'),
    column('payload'),
    column('created_at'),
  ]);
}

/** Whole units of work, the oldest ids first. */
const TAKE = {
  postgres: `delete from event_outbox where id = any(array(select id from event_outbox order by id limit $1))
    returning id, place, event_type, user_id, direction, text, payload, created_at`,
  sqlite: `delete from event_outbox where id in (select id from event_outbox order by id limit ?)
    returning id, place, event_type, user_id, direction, text, payload, created_at`,
} as const;

type OutboxRow = AppendedEvent & { readonly id: number; readonly place: number };

/**
 * Moves about `max` events of committed units from the outbox to the end of the log, in the order of their ids; returns
 * them. Fewer than `max`: no others were committed when the call began.
 *
 * Rows are taken as soon as they are visible: a unit that was acknowledged before another one drew its id has a smaller
 * id, and is visible wherever the other is. A unit that moves rows locks the positions before it looks, so that
 * two processes that do so at once take turns, and each sees what the other has moved.
 * @source decision 757, 758
 */
export async function moveToLog(session: Session, max: number): Promise<readonly LoggedEvent[]> {
  if ((await session.allRaw('select 1 as found from event_outbox limit 1')).length === 0) return [];
  await lockPositions(session);
  const found = await session.allRaw<OutboxRow>(TAKE[session.dialect], [max]);
  found.sort((a, b) => a.id - b.id || a.place - b.place);
  const rows = found.map(({ id, place, ...event }): AppendedEvent => event);
  return addToLog(session, rows);
}

/** Maximum number of events per statement. */
const BATCH_MAX = 500;

/** Moves the events of all committed units to the log; returns how many. */
export async function moveAllToLog(session: Session): Promise<number> {
  for (let moved = 0; ; ) {
    const { length: count } = await moveToLog(session, BATCH_MAX);
    moved += count;
    if (count < BATCH_MAX) return moved;
  }
}

/** Locks the row of the sequence until the unit ends. */
async function lockPositions(session: Session): Promise<void> {
  await takeNumbers(session, POSITIONS, FIRST_POSITION, 0);
}

/** Adds events to the end of the log. */
export async function addToLog(session: Session, events: readonly AppendedEvent[]): Promise<readonly LoggedEvent[]> {
  if (events.length === 0) return [];
  const first = await takeNumbers(session, POSITIONS, FIRST_POSITION, events.length);
  let last = await timeAt(session, first - 1);
  let database_ms: number | undefined;
  const rows: LoggedEvent[] = [];
  for (const [index, event] of events.entries()) {
    const { created_at: now } = event;
    if (last !== undefined && isLongBefore(now, last)) database_ms ??= await findDatabaseTime_ms(session);
    last = notBefore(last, now, database_ms);
    rows.push({ ...event, position: first + index, created_at: last });
  }
  await insertRows(session, 'events', rows, { columns: EVENT_COLUMNS });
  return rows;
}

async function timeAt(session: Session, position: number): Promise<string | undefined> {
  const row = await session.first('events time', { position }, (db, param) =>
    db.selectFrom('events').select('created_at').where('position', '=', param('position')),
  );
  return row?.created_at;
}

/** Whether an event is older than another by more than units of work may wait. */
function isLongBefore(now: string, last: string): boolean {
  return instantMs(last) - instantMs(now) > WAIT_MAX_MS;
}

/**
 * The time of an event after one of this time. Units of work read the clock before they wait for others, or their server
 * stood still, but times must not decrease: a reader that starts at a time must find all later events after its first one.
 * Only after a time that is ahead of the clock of the database, the clock was set back.
 * @param database_ms The time of the database, where the event is long before.
 * @source decision 365, 854
 */
function notBefore(last: string | undefined, now: string, database_ms: number | undefined): string {
  if (last === undefined || last <= now) return now;
  return isLongBefore(now, last) && instantMs(last) - database_ms! > WAIT_MAX_MS ? now : last;
}

async function findDatabaseTime_ms(session: Session): Promise<number> {
  const row = await session.first('events database time', {}, (db) =>
    db.selectNoFrom(databaseTime(session.dialect, sql.lit(0)).as('now')),
  );
  return instantMs(row!.now);
}
