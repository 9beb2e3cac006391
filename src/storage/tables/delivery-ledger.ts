import { type RawBuilder, sql } from 'kysely';
import { type ReportScope, SUMMED_METRICS } from '../../contract/delivery/report.ts';
import type {
  DayQuery,
  DeliveryAudience,
  DeliveryChange,
  DeliveryCursor,
  DeliveryDay,
  DeliveryHours,
  DeliverySegment,
  DeliverySum,
  PersonImpressions,
  SumKeys,
  SumQuery,
} from '../../contract/store/delivery-ledger.ts';
import { insertRows } from '../core/bulk-insert.ts';
import { dynamic, returning } from '../core/dynamic-tables.ts';
import { allListed, inList, paddedSize } from '../core/in-lists.ts';
import type { Db, Param } from '../core/statements.ts';
import { Table } from '../core/table.ts';
import { SUM_VALUES, saturated, summedOf, sumOf } from './delivery-sums.ts';

const DAY_KEY = ['account_id', 'line_item_id', 'day', 'creative_id', 'placement'] as const;
const SEGMENT_KEY = [...DAY_KEY, 'segmentation', 'value'] as const;
/** The primary key of `delivery_views`. */
export const IMPRESSION_KEY = ['account_id', 'person', 'line_item_id', 'day'] as const;
/** The primary key of `delivery_changes`. */
export const CHANGE_KEY = ['account_id', 'recorded_hour', 'line_item_id', 'creative_id', 'placement'] as const;

const DAY_VALUES = ['hours', 'impressions', 'billed', 'spend_local_micro', 'settled_until', 'changed_at'] as const;
const SUM_KEYS = {
  currency: 'line_items.currency',
  campaign_id: 'line_items.campaign_id',
  line_item_id: 'delivery_days.line_item_id',
  creative_id: 'delivery_days.creative_id',
  day: 'delivery_days.day',
} as const satisfies Record<keyof SumKeys, string>;
const AUDIENCE_KEY = ['account_id', 'subject', 'applies_from'] as const;
const CURSOR_VALUES = ['settled_until', 'seed', 'knobs', 'plan'] as const;
const AUDIENCE_VALUES = ['people', 'shares', 'question_hash', 'directory_mark'] as const;

/** The ledger of delivery: the one source of all numbers about what ads did and cost. */
export class DeliveryLedger extends Table {
  /** Ordered by line item, day, creative and placement. */
  async listDays(query: DayQuery): Promise<DeliveryDay[]> {
    if (asksForNothing(query.line_items)) return [];
    const { args, key, size } = scopeOf(query);
    return this.session.all(`delivery days ${key}`, args, (db, param) => {
      let rows = db
        .selectFrom('delivery_days')
        .select([...DAY_KEY, ...DAY_VALUES])
        .where('account_id', '=', param('account'))
        .where('day', '>=', param('from'))
        .where('day', '<', param('until'));
      if (size > 0) rows = rows.where((eb) => inList(eb, 'line_item_id', param.list('line_items', size)));
      return rows.orderBy('line_item_id').orderBy('day').orderBy('creative_id').orderBy('placement');
    });
  }

  /** Sums by currency and by other keys, deleted line items too, in no order. */
  async listSums(query: SumQuery, keys: readonly (keyof SumKeys)[]): Promise<DeliverySum[]> {
    if (asksForNothing(query.line_items)) return [];
    const names = ['currency', ...keys] as const;
    const { args, key, size } = scopeOf(query);
    const asked = { ...query, ...args };
    const rows = await this.session.all(`delivery sums ${keys} ${levelOf(query)} ${key}`, asked, (db, param) =>
      returning<DeliverySum>(
        daysOfLines(db, param, query, size)
          .select(names.map((name) => SUM_KEYS[name]))
          .select(SUM_VALUES.map((name) => sumOf(name).as(name)))
          .select(sql<number>`count(*) - count(${sql.ref('clicks')})`.as('unsummed'))
          .groupBy(names.map((name) => SUM_KEYS[name])),
      ),
    );
    return this.session.dialect === 'sqlite' ? rows : rows.map((row) => ({ ...row, unsummed: Number(row.unsummed) }));
  }

  /** The hours of days, in no order; of those that `listSums` counts as unsummed alone, if asked for. */
  async listHours(query: SumQuery, which: 'all' | 'unsummed'): Promise<DeliveryHours[]> {
    if (asksForNothing(query.line_items)) return [];
    const { args, key, size } = scopeOf(query);
    const asked = { ...query, ...args };
    return this.session.all(`delivery hours ${which} ${levelOf(query)} ${key}`, asked, (db, param) => {
      const rows = daysOfLines(db, param, query, size).select([...Object.values(SUM_KEYS), 'placement', 'hours']);
      return returning<DeliveryHours>(which === 'all' ? rows : rows.where('clicks', 'is', null));
    });
  }

  /** Segments of one segmentation type, in the order of `listDays`, then by value. */
  async listSegments(query: DayQuery & { readonly segmentation: string }): Promise<DeliverySegment[]> {
    if (asksForNothing(query.line_items)) return [];
    const { args, key, size } = scopeOf(query);
    const asked = { ...args, segmentation: query.segmentation };
    return this.session.all(`delivery segments ${key}`, asked, (db, param) => {
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
  }

  /** Sums by line item, in the order of their ids; line items without delivery are absent. */
  async listTotals(account: string, line_items?: readonly string[]) {
    if (asksForNothing(line_items)) return [];
    return this.#totals({ account, from: '', until: '', ...(line_items && { line_items }) }, false);
  }

  /** Sums by line item over a range of days. */
  async listTotalsOfDays(query: DayQuery) {
    return asksForNothing(query.line_items) ? [] : this.#totals(query, true);
  }

  /** By subject and time. */
  async listAudiences(account: string, subjects?: readonly string[]): Promise<DeliveryAudience[]> {
    if (asksForNothing(subjects)) return [];
    const names = subjects && [...new Set(subjects)];
    const size = names ? paddedSize(names.length) : 0;
    const args = { account, subjects: names ?? [] };
    const rows = await this.session.all(`delivery audiences ${size}`, args, (db, param) => {
      let all = db.selectFrom('delivery_audiences').selectAll().where('account_id', '=', param('account'));
      if (size > 0) all = all.where((eb) => inList(eb, 'subject', param.list('subjects', size)));
      return all.orderBy('subject').orderBy('applies_from');
    });
    return rows.map((row) => ({ ...row, shares: JSON.parse(row.shares) as DeliveryAudience['shares'] }));
  }

  /** How many people had impressions of at least one of these line items, and how many impressions in all. */
  async findReach(query: DayQuery): Promise<{ readonly people: number; readonly impressions: number }> {
    if (asksForNothing(query.line_items)) return { people: 0, impressions: 0 };
    const { args, key, size } = scopeOf(query);
    const row = await this.session.first(`delivery reach ${key}`, args, (db, param) => {
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
  }

  /** The views of some people since a day. */
  listImpressions(account: string, persons: readonly string[], from: string) {
    return allListed(this.session, 'delivery views', persons, { account, from }, (db, persons, param) =>
      db
        .selectFrom('delivery_views')
        .selectAll()
        .where('account_id', '=', param('account'))
        .where((eb) => inList(eb, 'person', persons))
        .where('day', '>=', param('from'))
        .orderBy('person')
        .orderBy('line_item_id')
        .orderBy('day'),
    );
  }

  findCursor(account: string): Promise<DeliveryCursor | undefined> {
    return this.#findCursor(account, false);
  }

  /** Changes recorded in a range of hours, by line item, creative and placement; `until` is exclusive. */
  listChanges(account: string, from: string, until: string) {
    return this.session.all('delivery changes', { account, from, until }, (db, param) =>
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
    );
  }

  /** `findCursor` with a lock until the unit ends, which writers to the ledger of an account hold. */
  lockCursor(account: string): Promise<DeliveryCursor | undefined> {
    return this.#findCursor(account, true);
  }

  saveCursor(cursor: DeliveryCursor) {
    return insertRows(this.session, 'delivery_cursors', [{ knobs: null, plan: null, ...cursor }], {
      columns: ['account_id', ...CURSOR_VALUES],
      onConflict: { key: ['account_id'], replace: CURSOR_VALUES },
    });
  }

  /** Stores days; those of the same creative, placement and date are replaced. */
  saveDays(days: readonly DeliveryDay[]) {
    return insertRows(
      this.session,
      'delivery_days',
      days.map((day) => ({ ...day, ...summedOf(day.hours) })),
      {
        columns: [...DAY_KEY, ...DAY_VALUES, ...SUMMED_METRICS],
        onConflict: { key: DAY_KEY, replace: [...DAY_VALUES, ...SUMMED_METRICS] },
      },
    );
  }

  saveSegments(segments: readonly DeliverySegment[]) {
    return insertRows(this.session, 'delivery_segments', segments, {
      columns: [...SEGMENT_KEY, 'hours'],
      onConflict: { key: SEGMENT_KEY, replace: ['hours'] },
    });
  }

  /** Adds impressions to those that the people already had. */
  async addImpressions(views: readonly PersonImpressions[]) {
    // The database adds them, without a read.
    for (const view of joined(views)) {
      await this.session.run('delivery views add', { ...view }, (db, param) =>
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
            conflict.columns([...IMPRESSION_KEY]).doUpdateSet({
              impressions: sql<number>`${sql.ref('delivery_views.impressions')} + ${sql.ref('excluded.impressions')}`,
            }),
          ),
      );
    }
  }

  saveAudiences(audiences: readonly DeliveryAudience[]) {
    return insertRows(
      this.session,
      'delivery_audiences',
      audiences.map((audience) => ({ ...audience, shares: JSON.stringify(audience.shares) })),
      {
        columns: [...AUDIENCE_KEY, ...AUDIENCE_VALUES],
        onConflict: { key: AUDIENCE_KEY, replace: AUDIENCE_VALUES },
      },
    );
  }

  /** Stores changes; those of the same hour, creative and placement are joined. */
  async saveChanges(changes: readonly DeliveryChange[]) {
    for (const change of changes) {
      await this.session.run('delivery changes add', { ...change } satisfies DeliveryChange, (db, param) =>
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
  }

  #totals(query: DayQuery, hasRange: boolean) {
    const { args, key, size } = scopeOf(query);
    return this.session
      .all(`delivery totals ${hasRange ? 'of days ' : ''}${key}`, args, (db, param) => {
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
  }

  #findCursor(account: string, isLocked: boolean) {
    const locks = isLocked && this.session.dialect === 'postgres';
    return this.session.first(`delivery cursor${locks ? ', locked' : ''}`, { account }, (db, param) => {
      const row = db.selectFrom('delivery_cursors').selectAll().where('account_id', '=', param('account'));
      return locks ? row.forUpdate() : row;
    });
  }
}

/** Arguments and statement key of a query over days; undefined for an empty list of line items. */
function scopeOf({ account, from, until, line_items }: DayQuery) {
  const names = line_items && [...new Set(line_items)];
  const size = names ? paddedSize(names.length) : 0;
  return { args: { account, from, until, line_items: names ?? [] }, key: names ? `of ${size} line items` : '', size };
}

function asksForNothing(names: readonly string[] | undefined): boolean {
  return names?.length === 0;
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

/** The outer one of the new and the stored value of a column, in a direction. */
function outer(column: 'applies_from' | 'applies_until', beyond: '<' | '>'): RawBuilder<string> {
  const stored = sql.ref(`delivery_changes.${column}`);
  const added = sql.ref(`excluded.${column}`);
  return sql<string>`case when ${added} ${sql.raw(beyond)} ${stored} then ${added} else ${stored} end`;
}

/** Views with their impressions added up by person, line item and day: a statement must not meet a row twice. */
function joined(views: readonly PersonImpressions[]): PersonImpressions[] {
  const found = new Map<string, PersonImpressions>();
  for (const view of views) {
    const key = IMPRESSION_KEY.map((name) => view[name]).join(' ');
    const known = found.get(key);
    found.set(key, known ? { ...view, impressions: known.impressions + view.impressions } : view);
  }
  return [...found.values()];
}
