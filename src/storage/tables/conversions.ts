import type { Conversions, DeliveryTouch, WaitingConversion } from '../../contract/store/conversions.ts';
import { insertRows } from '../core/bulk-insert.ts';
import { inList, paddedSize } from '../core/in-lists.ts';
import { removeOldest } from '../core/remove-oldest.ts';
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
      removeOldest(
        session,
        { table: 'delivery_touches', key: TOUCH_KEY, time: 'touched_at', and: { kind: ['=', kind] } },
        before,
        max,
      ),
    addCountedClicks: (clicks) =>
      insertRows(session, 'counted_clicks', clicks, { columns: ['account_id', 'click', 'clicked_at'] }),
    async listCountedClicks(account, clicks) {
      if (clicks.length === 0) return [];
      const size = paddedSize(clicks.length);
      return session.all(`counted clicks ${size}`, { account, clicks }, (db, param) =>
        db
          .selectFrom('counted_clicks')
          .selectAll()
          .where('account_id', '=', param('account'))
          .where((eb) => inList(eb, 'click', param.list('clicks', size)))
          .orderBy('click'),
      );
    },
    addWaiting: (conversions) =>
      insertRows(session, 'waiting_conversions', conversions, {
        columns: ['account_id', 'id', 'conversion', 'reported_by', 'reported_at'],
      }),
    async listWaiting(account, max) {
      const rows = await session.all('waiting conversions', { account, max }, (db, param) =>
        db
          .selectFrom('waiting_conversions')
          .selectAll()
          .where('account_id', '=', param('account'))
          .orderBy('reported_at')
          .orderBy('id')
          .limit(param('max')),
      );
      return rows as WaitingConversion[];
    },
    removeWaiting: (account, id) =>
      session.run('waiting conversions remove', { account, id }, (db, param) =>
        db.deleteFrom('waiting_conversions').where('account_id', '=', param('account')).where('id', '=', param('id')),
      ),
    removeCountedBefore: (before, max) =>
      removeOldest(session, { table: 'counted_conversions', key: COUNTED_KEY, time: 'converted_at' }, before, max),
    removeOfClicksBefore: (before, max) =>
      removeOldest(session, { table: 'click_conversions', key: CLICK_KEY, time: 'clicked_at' }, before, max),
    removeCountedClicksBefore: (before, max) =>
      removeOldest(session, { table: 'counted_clicks', key: ['account_id', 'click'], time: 'clicked_at' }, before, max),
    removeWaitingBefore: (before, max) =>
      removeOldest(
        session,
        { table: 'waiting_conversions', key: ['account_id', 'id'], time: 'reported_at' },
        before,
        max,
      ),
  };
}

function keyOf(touch: DeliveryTouch): string {
  return TOUCH_KEY.map((name) => touch[name]).join('\n');
}
