import { type RawBuilder, sql } from 'kysely';
import { DELIVERY_METRICS } from '../../contract/delivery/metrics.ts';
import { visitHours } from '../../contract/delivery/packed-hours.ts';
import { type ReportScope, SUMMED_METRICS } from '../../contract/delivery/report.ts';
import type {
  DayQuery,
  DeliveryAudience,
  DeliveryChange,
  DeliveryHours,
  DeliveryLedger,
  DeliverySegment,
  DeliverySum,
  DeliveryTotals,
  DeliveryView,
  SumKeys,
  SumQuery,
} from '../../contract/store/delivery-ledger.ts';
import { insertRows } from '../core/bulk-insert.ts';
import { dynamic, returning } from '../core/dynamic-tables.ts';
import { inList, paddedSize } from '../core/in-lists.ts';
import { removeOldest } from '../core/remove-oldest.ts';
import type { Session } from '../core/session.ts';
import type { Db, Param } from '../core/statements.ts';

const DAY_KEY = ['account_id', 'line_item_id', 'day', 'creative_id', 'placement'] as const;
const SEGMENT_KEY = [...DAY_KEY, 'segmentation', 'value'] as const;
const VIEW_KEY = ['account_id', 'person', 'line_item_id', 'day'] as const;
const CHANGE_KEY = ['account_id', 'recorded_hour', 'line_item_id', 'creative_id', 'placement'] as const;

const DAY_VALUES = ['hours', 'impressions', 'billed', 'spend_local_micro', 'settled_until', 'changed_at'] as const;
/** Those that reports add up. */
const SUM_VALUES = ['impressions', 'spend_local_micro', 'engagements', 'clicks', 'video_total_views'] as const;
const SUM_KEYS = {
  currency: 'line_items.currency',
  campaign_id: 'line_items.campaign_id',
  line_item_id: 'delivery_days.line_item_id',
  creative_id: 'delivery_days.creative_id',
  day: 'delivery_days.day',
} as const satisfies Record<keyof SumKeys, string>;
/** The place of each of those metrics among all metrics. */
const SUMMED_SLOTS = Int16Array.from(DELIVERY_METRICS, (metric) =>
  (SUMMED_METRICS as readonly string[]).indexOf(metric),
);
const AUDIENCE_KEY = ['account_id', 'subject', 'applies_from'] as const;
const CURSOR_VALUES = ['settled_until', 'seed', 'knobs', 'plan'] as const;
const AUDIENCE_VALUES = ['people', 'shares', 'question_hash', 'directory_mark'] as const;

/** The ledger of delivery. */
export function deliveryLedgerOn(session: Session): DeliveryLedger {
  /** Arguments and statement key of a query over days; asked for no line item, there is nothing to ask. */
  const scopeOf = ({ account, from, until, line_items }: DayQuery) => {
    const names = line_items && [...new Set(line_items)];
    const size = names ? paddedSize(names.length) : 0;
    return { args: { account, from, until, line_items: names ?? [] }, key: `${names !== undefined} ${size}`, size };
  };
  const asksForNothing = (names: readonly string[] | undefined): boolean => names?.length === 0;

  const totals = (query: DayQuery, hasRange: boolean): Promise<DeliveryTotals[]> => {
    const { args, key, size } = scopeOf(query);
    return session
      .all(`delivery totals ${hasRange} ${key}`, args, (db, param) => {
        let rows = db
          .selectFrom('delivery_days')
          .select([
            'line_item_id',
            sumOf('impressions').as('impressions'),
            sumOf('billed').as('billed'),
            sumOf('spend_local_micro').as('spend_local_micro'),
          ])
          .where('account_id', '=', param('account'));
        if (hasRange) rows = rows.where('day', '>=', param('from')).where('day', '<', param('until'));
        if (size > 0) rows = rows.where((eb) => inList(eb, 'line_item_id', param.list('line_items', size)));
        return rows.groupBy('line_item_id').orderBy('line_item_id');
      })
      .then((rows) =>
        rows.map(({ line_item_id, impressions, billed, spend_local_micro }) => ({
          line_item_id,
          impressions: saturated(impressions),
          billed: saturated(billed),
          spend_local_micro: saturated(spend_local_micro),
        })),
      );
  };

  const findCursor = (account: string, isLocked: boolean) => {
    const locks = isLocked && session.dialect === 'postgres';
    return session.first(`delivery cursor ${locks}`, { account }, (db, param) => {
      const row = db.selectFrom('delivery_cursors').selectAll().where('account_id', '=', param('account'));
      return locks ? row.forUpdate() : row;
    });
  };

  return {
    async listDays(query) {
      if (asksForNothing(query.line_items)) return [];
      const { args, key, size } = scopeOf(query);
      return session.all(`delivery days ${key}`, args, (db, param) => {
        let rows = db
          .selectFrom('delivery_days')
          .select([...DAY_KEY, ...DAY_VALUES])
          .where('account_id', '=', param('account'))
          .where('day', '>=', param('from'))
          .where('day', '<', param('until'));
        if (size > 0) rows = rows.where((eb) => inList(eb, 'line_item_id', param.list('line_items', size)));
        return rows.orderBy('line_item_id').orderBy('day').orderBy('creative_id').orderBy('placement');
      });
    },
    async listSums(query, keys) {
      if (asksForNothing(query.line_items)) return [];
      const names = ['currency', ...keys] as const;
      const { args, key, size } = scopeOf(query);
      const asked = { ...query, ...args };
      const rows = await session.all(`delivery sums ${keys} ${levelOf(query)} ${key}`, asked, (db, param) =>
        returning<DeliverySum>(
          daysOfLines(db, param, query, size)
            .select(names.map((name) => SUM_KEYS[name]))
            .select(SUM_VALUES.map((name) => sumOf(name).as(name)))
            .select(sql<number>`count(*) - count(${sql.ref('clicks')})`.as('unsummed'))
            .groupBy(names.map((name) => SUM_KEYS[name])),
        ),
      );
      return session.dialect === 'sqlite' ? rows : rows.map((row) => ({ ...row, unsummed: Number(row.unsummed) }));
    },
    async listHours(query, which) {
      if (asksForNothing(query.line_items)) return [];
      const { args, key, size } = scopeOf(query);
      const asked = { ...query, ...args };
      return session.all(`delivery hours ${which} ${levelOf(query)} ${key}`, asked, (db, param) => {
        const rows = daysOfLines(db, param, query, size).select([...Object.values(SUM_KEYS), 'placement', 'hours']);
        return returning<DeliveryHours>(which === 'all' ? rows : rows.where('clicks', 'is', null));
      });
    },
    async listSegments(query) {
      if (asksForNothing(query.line_items)) return [];
      const { args, key, size } = scopeOf(query);
      const asked = { ...args, segmentation: query.segmentation };
      return session.all(`delivery segments ${key}`, asked, (db, param) => {
        let rows = db
          .selectFrom('delivery_segments')
          .selectAll()
          .where('account_id', '=', param('account'))
          .where('segmentation', '=', param('segmentation'))
          .where('day', '>=', param('from'))
          .where('day', '<', param('until'));
        if (size > 0) rows = rows.where((eb) => inList(eb, 'line_item_id', param.list('line_items', size)));
        return rows.orderBy('line_item_id').orderBy('day').orderBy('creative_id').orderBy('placement').orderBy('value');
      });
    },
    async listTotals(account, line_items) {
      if (asksForNothing(line_items)) return [];
      return totals({ account, from: '', until: '', ...(line_items && { line_items }) }, false);
    },
    async listTotalsOfDays(query) {
      return asksForNothing(query.line_items) ? [] : totals(query, true);
    },
    async listAudiences(account, subjects) {
      if (asksForNothing(subjects)) return [];
      const names = subjects && [...new Set(subjects)];
      const size = names ? paddedSize(names.length) : 0;
      const args = { account, subjects: names ?? [] };
      const rows = await session.all(`delivery audiences ${size}`, args, (db, param) => {
        let all = db.selectFrom('delivery_audiences').selectAll().where('account_id', '=', param('account'));
        if (size > 0) all = all.where((eb) => inList(eb, 'subject', param.list('subjects', size)));
        return all.orderBy('subject').orderBy('applies_from');
      });
      return rows.map((row) => ({ ...row, shares: JSON.parse(row.shares) as DeliveryAudience['shares'] }));
    },
    async findReach(query) {
      if (asksForNothing(query.line_items)) return { people: 0, impressions: 0 };
      const { args, key, size } = scopeOf(query);
      const row = await session.first(`delivery reach ${key}`, args, (db, param) => {
        let rows = db
          .selectFrom('delivery_views')
          .select(({ fn }) => [
            fn.count<number>('person').distinct().as('people'),
            fn.sum<number | null>('impressions').as('impressions'),
          ])
          .where('account_id', '=', param('account'))
          .where('day', '>=', param('from'))
          .where('day', '<', param('until'));
        if (size > 0) rows = rows.where((eb) => inList(eb, 'line_item_id', param.list('line_items', size)));
        return rows;
      });
      return { people: Number(row?.people ?? 0), impressions: Number(row?.impressions ?? 0) };
    },
    async listViews(account, persons, from) {
      if (persons.length === 0) return [];
      const size = paddedSize(persons.length);
      return session.all(`delivery views ${size}`, { account, persons, from }, (db, param) =>
        db
          .selectFrom('delivery_views')
          .selectAll()
          .where('account_id', '=', param('account'))
          .where((eb) => inList(eb, 'person', param.list('persons', size)))
          .where('day', '>=', param('from'))
          .orderBy('person')
          .orderBy('line_item_id')
          .orderBy('day'),
      );
    },
    findCursor: (account) => findCursor(account, false),
    lockCursor: (account) => findCursor(account, true),
    listChanges: (account, from, until) =>
      session.all('delivery changes', { account, from, until }, (db, param) =>
        db
          .selectFrom('delivery_changes')
          .selectAll()
          .where('account_id', '=', param('account'))
          .where('recorded_hour', '>=', param('from'))
          .where('recorded_hour', '<', param('until'))
          .orderBy('line_item_id')
          .orderBy('creative_id')
          .orderBy('placement')
          .orderBy('recorded_hour'),
      ),
    saveCursor: (cursor) =>
      insertRows(session, 'delivery_cursors', [{ knobs: null, plan: null, ...cursor }], {
        columns: ['account_id', ...CURSOR_VALUES],
        onConflict: { key: ['account_id'], replace: CURSOR_VALUES },
      }),
    saveDays: (days) =>
      insertRows(
        session,
        'delivery_days',
        days.map((day) => ({ ...day, ...summedOf(day.hours) })),
        {
          columns: [...DAY_KEY, ...DAY_VALUES, ...SUMMED_METRICS],
          onConflict: { key: DAY_KEY, replace: [...DAY_VALUES, ...SUMMED_METRICS] },
        },
      ),
    saveSegments: (segments) =>
      insertRows(session, 'delivery_segments', segments as DeliverySegment[], {
        columns: [...SEGMENT_KEY, 'hours'],
        onConflict: { key: SEGMENT_KEY, replace: ['hours'] },
      }),
    async addViews(views) {
      // Added up by the database: nobody need read them first.
      for (const view of joined(views)) {
        await session.run('delivery views add', { ...view }, (db, param) =>
          db
            .insertInto('delivery_views')
            .values({
              account_id: param('account_id'),
              person: param('person'),
              line_item_id: param('line_item_id'),
              day: param('day'),
              impressions: param('impressions'),
            })
            .onConflict((conflict) =>
              conflict.columns([...VIEW_KEY]).doUpdateSet({
                impressions: sql<number>`${sql.ref('delivery_views.impressions')} + ${sql.ref('excluded.impressions')}`,
              }),
            ),
        );
      }
    },
    saveAudiences: (audiences) =>
      insertRows(
        session,
        'delivery_audiences',
        audiences.map((audience) => ({ ...audience, shares: JSON.stringify(audience.shares) })),
        {
          columns: [...AUDIENCE_KEY, ...AUDIENCE_VALUES],
          onConflict: { key: AUDIENCE_KEY, replace: AUDIENCE_VALUES },
        },
      ),
    async saveChanges(changes) {
      for (const change of changes) {
        await session.run('delivery changes add', { ...change } satisfies DeliveryChange, (db, param) =>
          db
            .insertInto('delivery_changes')
            .values({
              account_id: param('account_id'),
              recorded_hour: param('recorded_hour'),
              line_item_id: param('line_item_id'),
              creative_id: param('creative_id'),
              placement: param('placement'),
              applies_from: param('applies_from'),
              applies_until: param('applies_until'),
            })
            .onConflict((conflict) =>
              conflict.columns([...CHANGE_KEY]).doUpdateSet({
                applies_from: outer('applies_from', '<'),
                applies_until: outer('applies_until', '>'),
              }),
            ),
        );
      }
    },
    removeViewsBefore: (day, max) =>
      removeOldest(session, { table: 'delivery_views', key: VIEW_KEY, time: 'day' }, day, max),
    removeChangesBefore: (hour, max) =>
      removeOldest(session, { table: 'delivery_changes', key: CHANGE_KEY, time: 'recorded_hour' }, hour, max),
  };
}

/** The sums of a day that only reports ask for. */
function summedOf(hours: Uint8Array): Record<(typeof SUMMED_METRICS)[number], number> {
  const sums = [0, 0, 0];
  visitHours(hours, SUMMED_SLOTS, (slot, _, number) => {
    sums[slot]! += number;
  });
  const [engagements, clicks, video_total_views] = sums.map(saturated) as [number, number, number];
  return { engagements, clicks, video_total_views };
}

/** A sum that no number of rows overflows. @source decision 1070 */
function sumOf(column: 'billed' | (typeof SUM_VALUES)[number]): RawBuilder<number> {
  return sql<number>`coalesce(sum(cast(${sql.ref(column)} as double precision)), 0)`;
}

/** The level of the subject of a query. */
function levelOf({ campaign_id, line_item_id }: ReportScope): string {
  return line_item_id === undefined ? (campaign_id === undefined ? 'account' : 'campaign') : 'line item';
}

/**
 * Days of delivery with the line items that they belong to.
 * @param size of the padded list of line items; 0 for all
 */
function daysOfLines(
  db: Db,
  param: Param<SumQuery & { readonly line_items: readonly string[] }>,
  query: SumQuery,
  size: number,
) {
  let rows = dynamic(db)
    .selectFrom('line_items')
    // SQLite keeps the order of a cross join: each line item finds its days by the primary key.
    .crossJoin('delivery_days')
    .whereRef('delivery_days.account_id', '=', 'line_items.account_id')
    .whereRef('delivery_days.line_item_id', '=', 'line_items.id')
    .where('line_items.account_id', '=', param('account'))
    .where('day', '>=', param('from'))
    .where('day', '<', param('until'));
  if (size > 0) rows = rows.where((eb) => inList(eb, 'line_items.id', param.list('line_items', size)));
  const level = levelOf(query);
  if (level === 'account') return rows;
  return level === 'campaign'
    ? rows.where('campaign_id', '=', param('campaign_id'))
    : rows.where('line_items.id', '=', param('line_item_id'));
}

function saturated(sum: number): number {
  return Math.min(Number(sum), Number.MAX_SAFE_INTEGER);
}

/** The new value of a column if it lies beyond the stored one in a direction, otherwise the stored one. */
function outer(column: 'applies_from' | 'applies_until', beyond: '<' | '>'): RawBuilder<string> {
  const stored = sql.ref(`delivery_changes.${column}`);
  const added = sql.ref(`excluded.${column}`);
  return sql<string>`case when ${added} ${sql.raw(beyond)} ${stored} then ${added} else ${stored} end`;
}

/** Views with their impressions added up by person, line item and day: a statement must not meet a row twice. */
function joined(views: readonly DeliveryView[]): DeliveryView[] {
  const found = new Map<string, DeliveryView>();
  for (const view of views) {
    const key = VIEW_KEY.map((name) => view[name]).join(' ');
    const known = found.get(key);
    found.set(key, known ? { ...view, impressions: known.impressions + view.impressions } : view);
  }
  return [...found.values()];
}
