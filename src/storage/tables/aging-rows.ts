import { sql } from 'kysely';
import type { Database } from '../core/database.ts';
import { dynamic } from '../core/dynamic-tables.ts';
import type { Session } from '../core/session.ts';
import type { Value } from '../core/statements.ts';
import { USAGE_KEY } from './application-usage.ts';
import { CLICK_KEY, COUNTED_KEY, TOUCH_KEY } from './conversions.ts';
import { CHANGE_KEY, IMPRESSION_KEY } from './delivery-ledger.ts';

/** The tables whose rows are removed by age: the columns of the primary key, and the column with the time. */
const AGING = {
  access_tokens: [['id'], 'revoked_at'],
  account_changes: [['account_id', 'id'], 'change_time'],
  application_usage: [USAGE_KEY, 'hour'],
  audit_events: [['at', 'id'], 'at'],
  bearer_tokens: [['id'], 'revoked_at'],
  click_conversions: [CLICK_KEY, 'clicked_at'],
  corpus_pages: [['number'], 'day'],
  counted_clicks: [['account_id', 'click'], 'clicked_at'],
  counted_conversions: [COUNTED_KEY, 'converted_at'],
  delivery_beacons: [['account_id', 'nonce'], 'expires_ms'],
  delivery_changes: [CHANGE_KEY, 'recorded_hour'],
  delivery_touches: [TOUCH_KEY, 'touched_at'],
  delivery_views: [IMPRESSION_KEY, 'day'],
  events: [['position'], 'created_at'],
  login_tallies: [['id'], 'ends_s'],
  messages: [['id'], 'created_at'],
  notifications: [['id'], 'created_at'],
  operator_links: [['id_hash'], 'expires_at'],
  operator_sessions: [['id_hash'], 'last_seen_at'],
  password_links: [['id_hash'], 'expires_at'],
  replays: [['id'], 'ended_at'],
  request_tokens: [['id'], 'expires_at'],
  sent_forms: [['id_hash'], 'sent_at'],
  sessions: [['id_hash'], 'last_seen_at'],
  stats_jobs: [['account_id', 'id'], 'created_at'],
  stream_connections: [['id'], 'disconnected_at'],
  waiting_conversions: [['account_id', 'id'], 'reported_at'],
} as const satisfies {
  readonly [Table in keyof Database]?: readonly [key: readonly (keyof Database[Table])[], time: keyof Database[Table]];
};

/**
 * Removes up to `max` of the oldest rows before a time, so that other writes wait only briefly; returns their number.
 * @param and further conditions by column
 */
export function removeOldest(
  session: Session,
  table: keyof typeof AGING,
  before: Value,
  max: number,
  and: Readonly<Record<string, readonly ['=' | '<=', Value]>> = {},
): Promise<number> {
  const [key, column]: readonly [readonly string[], string] = AGING[table];
  const conditions = Object.entries(and);
  const values = Object.fromEntries(conditions.map(([other, [, value]]) => [other, value]));
  const args = { before, max, values: [values] };
  return session.run(`${table} remove oldest by ${column} ${Object.keys(and)}`, args, (db, param) => {
    let old = dynamic(db)
      .selectFrom(table as string)
      .select([...key])
      .where(column, '<', param('before'));
    for (const [other, [operator]] of conditions) {
      old = old.where(other, operator, param.cell('values', 0, other));
    }
    const refs = sql.join(key.map((each) => sql.ref(each)));
    return (
      dynamic(db)
        .deleteFrom(table as string)
        .where(sql<boolean>`(${refs}) in ${old.orderBy(column).limit(param('max'))}`)
        // Checked again under the lock: the row may have been used meanwhile.
        .where(column, '<', param('before'))
    );
  });
}
