import { type RawBuilder, sql } from 'kysely';
import type { Conversions, DeliveryTouch } from '../../contract/store/conversions.ts';
import { insertRows } from '../core/bulk-insert.ts';
import { inList, paddedSize } from '../core/in-lists.ts';
import type { Session } from '../core/session.ts';

const TOUCH_KEY = [
  'account_id',
  'person',
  'touched_at',
  'kind',
  'line_item_id',
  'creative_id',
  'placement',
] as const satisfies readonly (keyof DeliveryTouch)[];
const COUNTED_KEY = ['account_id', 'web_event_tag_id', 'conversion_id'] as const;

const CLICK_KEY = ['account_id', 'web_event_tag_id', 'click'] as const;
const CLICK_VALUES = ['events', 'value_micro', 'clicked_at'] as const;

const refs = (names: readonly string[]): RawBuilder<unknown> => sql.join(names.map((name) => sql.ref(name)));

/** Touches and counted conversions. */
export function conversionsOn(session: Session): Conversions {
  return {
    addTouches: (touches) =>
      insertRows(session, 'delivery_touches', [...new Map(touches.map((touch) => [keyOf(touch), touch])).values()], {
        columns: [...TOUCH_KEY, 'platform'],
        onConflict: { key: TOUCH_KEY, replace: ['platform'] },
      }),
    async listTouches(account, persons, since) {
      if (persons.length === 0) return [];
      const size = paddedSize(persons.length);
      const rows = await session.all(`delivery touches ${size}`, { account, persons, since }, (db, param) =>
        db
          .selectFrom('delivery_touches')
          .selectAll()
          .where('account_id', '=', param('account'))
          .where((eb) => inList(eb, 'person', param.list('persons', size)))
          .where('touched_at', '>=', param('since'))
          .orderBy('touched_at', 'desc')
          .orderBy('kind')
          .orderBy('line_item_id')
          .orderBy('creative_id')
          .orderBy('placement')
          .orderBy('person'),
      );
      return rows as DeliveryTouch[];
    },
    async listCounted(account, tag, ids) {
      if (ids.length === 0) return [];
      const size = paddedSize(ids.length);
      return session.all(`counted conversions ${size}`, { account, tag, ids }, (db, param) =>
        db
          .selectFrom('counted_conversions')
          .selectAll()
          .where('account_id', '=', param('account'))
          .where('web_event_tag_id', '=', param('tag'))
          .where((eb) => inList(eb, 'conversion_id', param.list('ids', size)))
          .orderBy('conversion_id'),
      );
    },
    saveCounted: (conversions) =>
      insertRows(session, 'counted_conversions', conversions, {
        columns: [...COUNTED_KEY, 'converted_at'],
        onConflict: { key: COUNTED_KEY, replace: ['converted_at'] },
      }),
    findOfClick: (key) =>
      session.first('click conversions', { ...key }, (db, param) =>
        db
          .selectFrom('click_conversions')
          .selectAll()
          .where('account_id', '=', param('account_id'))
          .where('web_event_tag_id', '=', param('web_event_tag_id'))
          .where('click', '=', param('click')),
      ),
    saveOfClick: (reported) =>
      insertRows(session, 'click_conversions', [reported], {
        columns: [...CLICK_KEY, ...CLICK_VALUES],
        onConflict: { key: CLICK_KEY, replace: CLICK_VALUES },
      }),
    removeTouchesBefore: (kind, before, max) =>
      session.run('delivery touches remove', { kind, before, max }, (db, param) => {
        const old = sql`select ${refs(TOUCH_KEY)} from delivery_touches where kind = ${param('kind')}
          and touched_at < ${param('before')} order by touched_at limit ${param('max')}`;
        return db.deleteFrom('delivery_touches').where(sql<boolean>`(${refs(TOUCH_KEY)}) in (${old})`);
      }),
    removeCountedBefore: (before, max) =>
      session.run('counted conversions remove', { before, max }, (db, param) => {
        const old = sql`select ${refs(COUNTED_KEY)} from counted_conversions where converted_at < ${param('before')}
          order by converted_at limit ${param('max')}`;
        return db.deleteFrom('counted_conversions').where(sql<boolean>`(${refs(COUNTED_KEY)}) in (${old})`);
      }),
    removeOfClicksBefore: (before, max) =>
      session.run('click conversions remove', { before, max }, (db, param) => {
        const old = sql`select ${refs(CLICK_KEY)} from click_conversions where clicked_at < ${param('before')}
          order by clicked_at limit ${param('max')}`;
        return db.deleteFrom('click_conversions').where(sql<boolean>`(${refs(CLICK_KEY)}) in (${old})`);
      }),
  };
}

function keyOf(touch: DeliveryTouch): string {
  return TOUCH_KEY.map((name) => touch[name]).join('\n');
}
