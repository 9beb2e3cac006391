import { daysBetween } from '../../../base/zones.ts';
import type { SpentByLevel } from '../serving-times.ts';
import { REMEMBERED_DAYS } from './rates.ts';

/** The part of an account's ledger that affects further delivery. Keys are ids. */
export interface LedgerState {
  /** The local date of `today`. */
  date: string;
  readonly lines: Map<string, LineState>;
  readonly campaigns: Map<string, { today: number; total: number }>;
  readonly instruments: Map<string, number>;
  /** Clicks of past hours by `spotKey`, for line items that measure conversions. */
  readonly clicks: Map<string, HourOfClicks[]>;
}

/** The delivery of a line item so far. */
interface LineState {
  today: number;
  total: number;
  impressions: number;
  /** Impressions by local day, today first. */
  readonly recent: number[];
  /** Sum of the remembered impressions before today. */
  before: number;
}

/** Maximum period of a frequency cap. */
const DAYS_KEPT = 30;

/** Creates the state of an account without deliveries. */
export function emptyState(date: string): LedgerState {
  return { date, lines: new Map(), campaigns: new Map(), instruments: new Map(), clicks: new Map() };
}

/** A line item and its payers. */
interface PaidLine {
  readonly id: string;
  readonly campaign: { readonly id: string };
  readonly instrument: { readonly id: string };
}

/** The clicks of an hour. */
export interface HourOfClicks {
  /** Its start: milliseconds since 1970. */
  readonly start_ms: number;
  clicks: number;
}

/** Returns the state of a line item; creates it if there is none. */
export function lineState(state: LedgerState, id: string): LineState {
  let found = state.lines.get(id);
  if (!found) {
    found = { today: 0, total: 0, impressions: 0, recent: new Array(DAYS_KEPT).fill(0), before: 0 };
    state.lines.set(id, found);
  }
  return found;
}

/** Returns the spend of a line item and its payers. */
export function spentOn(state: LedgerState, line: PaidLine): SpentByLevel {
  const { today, total } = lineState(state, line.id);
  const campaign = state.campaigns.get(line.campaign.id) ?? { today: 0, total: 0 };
  return { line: { today, total }, campaign, instrument: state.instruments.get(line.instrument.id) ?? 0 };
}

/** Moves line items and their campaigns into a state of their own. */
export function takePart(
  state: LedgerState,
  lines: readonly { readonly booking: Omit<PaidLine, 'instrument'> }[],
): LedgerState {
  const part: LedgerState = { ...state, lines: new Map(), campaigns: new Map() };
  for (const { booking } of lines) {
    move(state.lines, part.lines, booking.id);
    move(state.campaigns, part.campaigns, booking.campaign.id);
  }
  return part;
}

/** Moves a part back, which must be at the same day. */
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

/** Advances the state to a local day. */
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

/** Returns the impressions of the last local days, including today. @source decision 937 and 944 */
export function impressionsWithin({ recent }: LineState, days: number): number {
  let sum = 0;
  for (let back = 0; back < days; back++) sum += recent[back] ?? 0;
  return sum;
}

/** Updates the sum of remembered impressions before today. */
export function sumUp(line: LineState): void {
  line.before = impressionsWithin(line, REMEMBERED_DAYS) - line.recent[0]!;
}

/** Adds a delivery of a line item today. */
export function addDelivered(
  state: LedgerState,
  line: PaidLine,
  { impressions, spend }: { readonly impressions: number; readonly spend: number },
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
