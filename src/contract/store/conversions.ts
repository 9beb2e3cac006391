/** An ad that a person saw or clicked. */
export interface DeliveryTouch {
  readonly account_id: string;
  /** The name of whom it was, as delivery stores it: no id can be read from it. */
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

/** A conversion with an id that has been counted, so that it is not counted again. */
export interface CountedConversion {
  readonly account_id: string;
  readonly web_event_tag_id: string;
  /** Given by the website; unique per tag. */
  readonly conversion_id: string;
  /** UTC text. */
  readonly converted_at: string;
}

/** What visitors of a website have reported for a click on an ad, by web event tag. */
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

/** A click on an ad that counted, and to which a website may refer. */
export interface CountedClick {
  readonly account_id: string;
  /** The name of the click. */
  readonly click: string;
  /** UTC text. */
  readonly clicked_at: string;
}

/** A conversion that waits until its click counts. */
export interface WaitingConversion {
  readonly account_id: string;
  readonly id: string;
  /** As JSON. */
  readonly conversion: string;
  readonly reported_by: 'account' | 'visitor';
  /** UTC text. */
  readonly reported_at: string;
}

/** What conversions are attributed to, and which of them have been counted. */
export interface Conversions {
  /** Stores touches; a touch that is known already is not stored again. */
  addTouches(touches: readonly DeliveryTouch[]): Promise<void>;
  /** The touches of some people since a time, inclusive; the latest first. */
  listTouches(account: string, persons: readonly string[], since: string): Promise<DeliveryTouch[]>;
  /** Those of these conversion ids of a tag that have been counted. */
  listCounted(account: string, tag: string, ids: readonly string[]): Promise<CountedConversion[]>;
  /** Stores conversions; those that are known already are replaced. */
  saveCounted(conversions: readonly CountedConversion[]): Promise<void>;
  findOfClick(
    key: Pick<ClickConversions, 'account_id' | 'web_event_tag_id' | 'click'>,
  ): Promise<ClickConversions | undefined>;
  /** Stores what was reported for a click in all; the caller has locked the tag. */
  saveOfClick(reported: ClickConversions): Promise<void>;
  addCountedClicks(clicks: readonly CountedClick[]): Promise<void>;
  /** Those of these clicks that have counted. */
  listCountedClicks(account: string, clicks: readonly string[]): Promise<CountedClick[]>;
  addWaiting(conversions: readonly WaitingConversion[]): Promise<void>;
  /** Conversions that wait, at most `max`, the oldest first. */
  listWaiting(account: string, max: number): Promise<WaitingConversion[]>;
  /** Returns how many there were: 1, or 0. */
  removeWaiting(account: string, id: string): Promise<number>;
  /** Removes touches of a kind before a time, at most `max`, the oldest first; returns how many. */
  removeTouchesBefore(kind: DeliveryTouch['kind'], before: string, max: number): Promise<number>;
  removeCountedBefore(before: string, max: number): Promise<number>;
  removeOfClicksBefore(before: string, max: number): Promise<number>;
  removeCountedClicksBefore(before: string, max: number): Promise<number>;
  removeWaitingBefore(before: string, max: number): Promise<number>;
}
