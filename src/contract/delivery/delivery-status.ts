/** Whether something shows ads now. */
export interface DeliveryStatus {
  /** As campaigns have it in replies of the API. */
  readonly effective_status: string;
  /** Why it shows none: keys of the texts of reasons. Empty when it does. */
  readonly reasons_not_servable: readonly string[];
}

/** The standing of a line item. */
export interface LineItemStatus extends DeliveryStatus {
  /** That of its ads by id: promoted posts, promoted accounts and media creatives. */
  readonly ads: Readonly<Record<string, DeliveryStatus>>;
}

/** The standing of line items, and of what they are in. */
export interface AccountDeliveryStatus {
  /** Of the active line items of an account, or of those that were asked for, by id. */
  readonly line_items: Readonly<Record<string, LineItemStatus>>;
  /** Why none of these line items of a campaign shows ads, by the id of the campaign; empty when one does. */
  readonly campaigns: Readonly<Record<string, Pick<DeliveryStatus, 'reasons_not_servable'>>>;
}

/** Why a campaign shows no ads that could: none of its line items is active. */
export const NO_ACTIVE_LINE_ITEM = 'NO_ACTIVE_LINE_ITEM';
