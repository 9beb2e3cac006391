import { daysBetween } from '../../../base/zones.ts';
import type { SpentByLevel } from '../serving-times.ts';
import { REMEMBERED_DAYS } from './rates.ts';

/** The state of the ledger of an account on which further delivery depends. Ids are keys. */
export interface LedgerState {
  /** The local date of `today`. */
  date: string;
  readonly lines: Map<string, LineState>;
  /** Campaigns. */
  readonly campaigns: Map<string, { today: number; total: number }>;
  readonly instruments: Map<string, number>;
  /** Clicks of past hours by creative and placement, of line items that count conversions. */
  readonly clicks: Map<string, HourOfClicks[]>;
}

/** The delivery of a line item so far. */
interface LineState {
  today: number;
  total: number;
  impressions: number;
  /** Impressions by local day, the current one first: of the days that frequency caps and memory need. */
  readonly recent: number[];
  /** The sum of those that are remembered, but for the current day. */
  before: number;
}

/** The longest period of a frequency cap. */
const DAYS_KEPT = 30;

/** The state of an account without any delivery. */
export function emptyState(date: string): LedgerState {
  return { date, lines: new Map(), campaigns: new Map(), instruments: new Map(), clicks: new Map() };
}

/** The clicks of an hour. */
export interface HourOfClicks {
  /** Its start: milliseconds since 1970. */
  readonly start_ms: number;
  clicks: number;
}

/** The state of a line item, new if there is none. */
export function lineState(state: LedgerState, id: string): LineState {
  let found = state.lines.get(id);
  if (!found) {
    found = { today: 0, total: 0, impressions: 0, recent: new Array(DAYS_KEPT).fill(0), before: 0 };
    state.lines.set(id, found);
  }
  return found;
}

/** The spend of the levels that pay for a line item. */
export function spentOn(
  state: LedgerState,
  line: {
    readonly id: string;
    readonly campaign: { readonly id: string };
    readonly instrument: { readonly id: string };
  },
): SpentByLevel {
  const { today, total } = lineState(state, line.id);
  const campaign = state.campaigns.get(line.campaign.id) ?? { today: 0, total: 0 };
  return { line: { today, total }, campaign, instrument: state.instruments.get(line.instrument.id) ?? 0 };
}

/** Takes line items and their campaigns out of a state, into one of their own. */
export function takePart(
  state: LedgerState,
  lines: readonly { readonly booking: { readonly id: string; readonly campaign: { readonly id: string } } }[],
): LedgerState {
  const part: LedgerState = { ...state, lines: new Map(), campaigns: new Map() };
  for (const { booking } of lines) {
    move(state.lines, part.lines, booking.id);
    move(state.campaigns, part.campaigns, booking.campaign.id);
  }
  return part;
}

/** Puts a part back that has come to the day of the state. */
export function putBack(state: LedgerState, { lines, campaigns }: LedgerState): void {
  for (const id of lines.keys()) move(lines, state.lines, id);
  for (const id of campaigns.keys()) move(campaigns, state.campaigns, id);
}

function move<V>(from: Map<string, V>, to: Map<string, V>, id: string): void {
  const value = from.get(id);
  if (value === undefined) return;
  from.delete(id);
  to.set(id, value);
}

/** Begins a local day: nothing is spent on it yet. */
export function beginDay(state: LedgerState, date: string): void {
  if (state.date === date) return;
  const passed = Math.min(DAYS_KEPT, daysBetween(state.date, date));
  state.date = date;
  for (const line of state.lines.values()) {
    line.today = 0;
    line.recent.copyWithin(passed, 0);
    line.recent.fill(0, 0, passed);
    sumUp(line);
  }
  for (const campaign of state.campaigns.values()) campaign.today = 0;
}

/** Impressions of the last local days, the current one included. @source decision 937 and 944 */
export function impressionsWithin({ recent }: LineState, days: number): number {
  let sum = 0;
  for (let back = 0; back < days; back++) sum += recent[back] ?? 0;
  return sum;
}

/** Sums up the impressions of the days before the current one, once they are known. */
export function sumUp(line: LineState): void {
  line.before = impressionsWithin(line, REMEMBERED_DAYS) - line.recent[0]!;
}

/** The delivery of a line item in a segment. */
interface LineDelivered {
  readonly impressions: number;
  readonly spend: number;
}

/** Adds a delivery of a line item on the day of the state. */
export function addDelivered(
  state: LedgerState,
  line: {
    readonly id: string;
    readonly campaign: { readonly id: string };
    readonly instrument: { readonly id: string };
  },
  { impressions, spend }: LineDelivered,
): void {
  const own = lineState(state, line.id);
  own.today += spend;
  own.total += spend;
  own.impressions += impressions;
  own.recent[0]! += impressions;
  const campaign = state.campaigns.get(line.campaign.id) ?? { today: 0, total: 0 };
  state.campaigns.set(line.campaign.id, { today: campaign.today + spend, total: campaign.total + spend });
  state.instruments.set(line.instrument.id, (state.instruments.get(line.instrument.id) ?? 0) + spend);
}
