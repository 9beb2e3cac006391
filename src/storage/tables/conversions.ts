import { insertRows } from '../core/bulk-insert.ts';
import type { NewRow } from '../core/database.ts';
import { allListed, inList } from '../core/in-lists.ts';
import { Table } from '../core/table.ts';
import { deleteRows } from '../core/table-rows.ts';

/** The primary key of `delivery_touches`. */
export const TOUCH_KEY = [
  'account_id',
  'person',
  'touched_at',
  'kind',
  'line_item_id',
  'creative_id',
  'placement',
] as const satisfies readonly (keyof DeliveryTouch)[];
/** The primary key of `counted_conversions`. */
export const COUNTED_KEY = ['account_id', 'web_event_tag_id', 'conversion_id'] as const;

/** The primary key of `click_conversions`. */
export const CLICK_KEY = ['account_id', 'web_event_tag_id', 'click'] as const;
const CLICK_VALUES = ['events', 'value_micro', 'clicked_at'] as const;

/** An ad that a person saw or clicked. */
export interface DeliveryTouch {
  readonly account_id: string;
  /** The pseudonym of the person, from which the id cannot be derived. */
  readonly person: string;
  /** UTC text, to the second. */
  readonly touched_at: string;
  readonly kind: 'view' | 'click';
  readonly line_item_id: string;
  readonly creative_id: string;
  readonly placement: string;
  /** A value of the segmentation by platforms; `UNKNOWN` when it is not known. */
  readonly platform: string;
}

/** The conversions reported for a click on an ad, by web event tag. */
export interface ClickConversions {
  readonly account_id: string;
  readonly web_event_tag_id: string;
  /** The name of the click. */
  readonly click: string;
  readonly events: number;
  /** The sum of their amounts, in millionths of the currency of the ad. */
  readonly value_micro: number;
  /** UTC text. */
  readonly clicked_at: string;
}

/** A conversion whose click has not been counted yet. */
export interface WaitingConversion {
  readonly account_id: string;
  readonly id: string;
  /** As JSON. */
  readonly conversion: string;
  readonly reported_by: 'account' | 'visitor';
  /** UTC text. */
  readonly reported_at: string;
}

/** Touchpoints to which conversions are attributed, and the counted conversions. */
export class Conversions extends Table {
  /** Stores touches; a touch that is known already is not stored again. */
  addTouches(touches: readonly DeliveryTouch[]) {
    return insertRows(
      this.session,
      'delivery_touches',
      [...new Map(touches.map((touch) => [keyOf(touch), touch])).values()],
      {
        columns: [...TOUCH_KEY, 'platform'],
        onConflict: { key: TOUCH_KEY, replace: ['platform'] },
      },
    );
  }

  /** The touches of some people since a time, inclusive; the latest first. */
  listTouches(account: string, persons: readonly string[], since: string) {
    return allListed(this.session, 'delivery touches', persons, { account, since }, (db, persons, param) =>
      db
        .selectFrom('delivery_touches')
        .selectAll()
        .where('account_id', '=', param('account'))
        .where((eb) => inList(eb, 'person', persons))
        .where('touched_at', '>=', param('since'))
        .orderBy('touched_at', 'desc')
        .orderBy('kind')
        .orderBy('line_item_id')
        .orderBy('creative_id')
        .orderBy('placement')
        .orderBy('person'),
    );
  }

  /** The given conversion ids of a tag that have been counted. */
  listCounted(account: string, tag: string, ids: readonly string[]) {
    return allListed(this.session, 'counted conversions', ids, { account, tag }, (db, ids, param) =>
      db
        .selectFrom('counted_conversions')
        .selectAll()
        .where('account_id', '=', param('account'))
        .where('web_event_tag_id', '=', param('tag'))
        .where((eb) => inList(eb, 'conversion_id', ids))
        .orderBy('conversion_id'),
    );
  }

  /** Stores conversions by the ids that the website gave them, unique per tag; those that are known already are replaced. */
  saveCounted(conversions: readonly NewRow<'counted_conversions'>[]) {
    return insertRows(this.session, 'counted_conversions', conversions, {
      columns: [...COUNTED_KEY, 'converted_at'],
      onConflict: { key: COUNTED_KEY, replace: ['converted_at'] },
    });
  }

  findOfClick(key: Pick<ClickConversions, 'account_id' | 'web_event_tag_id' | 'click'>) {
    return this.session.first('click conversions', { ...key }, (db, param) =>
      db
        .selectFrom('click_conversions')
        .selectAll()
        .where('account_id', '=', param('account_id'))
        .where('web_event_tag_id', '=', param('web_event_tag_id'))
        .where('click', '=', param('click')),
    );
  }

  /** Stores the totals reported for a click; the caller has locked the tag. */
  saveOfClick(reported: ClickConversions) {
    return insertRows(this.session, 'click_conversions', [reported], {
      columns: [...CLICK_KEY, ...CLICK_VALUES],
      onConflict: { key: CLICK_KEY, replace: CLICK_VALUES },
    });
  }

  addCountedClicks(clicks: readonly NewRow<'counted_clicks'>[]) {
    return insertRows(this.session, 'counted_clicks', clicks, { columns: ['account_id', 'click', 'clicked_at'] });
  }

  /** The given clicks that have been counted. */
  listCountedClicks(account: string, clicks: readonly string[]) {
    return allListed(this.session, 'counted clicks', clicks, { account }, (db, clicks, param) =>
      db
        .selectFrom('counted_clicks')
        .selectAll()
        .where('account_id', '=', param('account'))
        .where((eb) => inList(eb, 'click', clicks))
        .orderBy('click'),
    );
  }

  addWaiting(conversions: readonly WaitingConversion[]) {
    return insertRows(this.session, 'waiting_conversions', conversions, {
      columns: ['account_id', 'id', 'conversion', 'reported_by', 'reported_at'],
    });
  }

  /** Conversions that wait, at most `max`, the oldest first. */
  listWaiting(account: string, max: number) {
    return this.session.all('waiting conversions', { account, max }, (db, param) =>
      db
        .selectFrom('waiting_conversions')
        .selectAll()
        .where('account_id', '=', param('account'))
        .orderBy('reported_at')
        .orderBy('id')
        .limit(param('max')),
    );
  }

  /** Returns how many there were: 1, or 0. */
  removeWaiting(account: string, id: string) {
    return deleteRows(this.session, 'waiting_conversions', { account_id: account, id });
  }
}

function keyOf(touch: DeliveryTouch): string {
  return TOUCH_KEY.map((name) => touch[name]).join('\n');
}
