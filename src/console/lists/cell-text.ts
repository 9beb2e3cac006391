import { type DeliveryStatus, NO_ACTIVE_LINE_ITEM } from '../../contract/delivery/delivery-status.ts';
import { firstDay, lastDay } from '../days.ts';
import { moneyText } from '../money.ts';
import type { ListColumn } from './entity-lists.ts';

/** A campaign or line item as the API returns it. */
export interface ListRow {
  readonly id: string;
  readonly name: string | null;
  readonly currency: string;
  readonly entity_status: string;
  readonly effective_status?: string | undefined;
  readonly reasons_not_servable?: readonly string[] | undefined;
  readonly [field: string]: unknown;
}

/** The name of a row, or its id if it has no name. */
export function nameOfRow({ name, id }: ListRow): string {
  return name ?? id;
}

/** The text of a cell; '' for null. States are rendered by `stateMark`. @param zone time zone of the account */
export function cellText({ name, kind, words = {} }: ListColumn, row: ListRow, zone: string): string {
  const value = row[name] as string | number | null;
  if (value === null || value === undefined) return name === 'name' ? nameOfRow(row) : '';
  if (kind === 'money') return moneyText(Number(value), row.currency);
  if (kind === 'day') return name === 'end_time' ? lastDay(String(value), zone) : firstDay(String(value), zone);
  return kind === 'word' ? (words[value] ?? String(value)) : String(value);
}

type Statuses = Pick<ListRow, 'entity_status' | 'effective_status' | 'reasons_not_servable'>;

/** Delivery status of campaigns or line items by id: the part that the API does not return. */
export type DeliveryStatuses = Readonly<
  Record<string, { readonly [K in keyof DeliveryStatus]?: DeliveryStatus[K] | undefined }>
>;

/**
 * A row with members that the API does not have: whether an active line item shows ads, and why a running campaign shows
 * none.
 * @source decision 1140
 */
export function withDeliveryStatus<R extends Statuses & { readonly id: string }>(
  resource: 'campaigns' | 'line_items',
  row: R,
  standings: DeliveryStatuses,
): R {
  if (resource === 'line_items') {
    const own = row.entity_status === 'ACTIVE' ? standings[row.id] : undefined;
    return { ...row, effective_status: own?.effective_status, reasons_not_servable: own?.reasons_not_servable };
  }
  if (row.effective_status !== 'RUNNING') return row;
  return { ...row, reasons_not_servable: standings[row.id]?.reasons_not_servable ?? [NO_ACTIVE_LINE_ITEM] };
}

/** Labels of states and reasons. */
export interface StateWords {
  readonly states: Readonly<Record<string, string>>;
  readonly reasons: Readonly<Record<string, string>>;
}

/** The reasons for showing no ads as display text. */
export function reasonsText(reasons: readonly string[], words: Pick<StateWords, 'reasons'>): string {
  return [...new Set(reasons.map((reason) => words.reasons[reason] ?? reason))].join('. ');
}

/** The reasons that the label of a state already says. */
const IMPLIED: Readonly<Record<string, readonly string[]>> = {
  DRAFT: ['PAUSED_BY_ADVERTISER', 'CAMPAIGN_NOT_ACTIVE'],
  PAUSED: ['PAUSED_BY_ADVERTISER', 'AD_PAUSED'],
  EXPIRED: ['EXPIRED'],
  EXHAUSTED: ['BUDGET_EXHAUSTED', 'BUDGET_USED_UP'],
  SCHEDULED: ['STARTS_IN_FUTURE'],
  DELETED: ['DELETED'],
};

/** The label of a row's state, with the reasons for showing no ads. */
export function stateOfRow(
  row: Statuses,
  words: StateWords,
): { readonly state: string; readonly text: string; readonly why: string } {
  const { entity_status, effective_status = '', reasons_not_servable: reasons = [] } = row;
  // PAUSED and DRAFT take precedence over every other reason.
  const isKnown = effective_status in words.states && (effective_status !== 'UNKNOWN' || entity_status === 'ACTIVE');
  const state = isKnown ? effective_status : entity_status;
  const known = [...(IMPLIED[state] ?? []), ...(state === entity_status ? ['LINE_ITEM_NOT_ACTIVE'] : [])];
  const others = reasons.filter((reason) => !known.includes(reason));
  return { state: state.toLowerCase(), text: words.states[state] ?? state, why: reasonsText(others, words) };
}

/** The button beside a state; undefined for drafts, which go live from the review page. */
export function switchOf(
  { entity_status }: Pick<ListRow, 'entity_status'>,
  words: { readonly pause: string; readonly activate: string },
): { readonly status: 'ACTIVE' | 'PAUSED'; readonly label: string } | undefined {
  if (entity_status === 'DRAFT') return undefined;
  return entity_status === 'ACTIVE'
    ? { status: 'PAUSED', label: words.pause }
    : { status: 'ACTIVE', label: words.activate };
}

/** The path of a draft's review page, relative to its account. */
export function reviewPathOf({
  id,
  campaign_id = id,
}: {
  readonly id: string;
  readonly campaign_id?: unknown;
}): string {
  return `/campaigns/${String(campaign_id)}/review`;
}
