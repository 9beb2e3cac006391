import type { UnitsPerDollar } from '../../../base/exchange-rates.ts';
import { formatInstant } from '../../../base/instants.ts';
import { type LocalDay, localDateAt, localDay, localDayAt, startOfHour } from '../../../base/zones.ts';
import type { DeliveryMetric } from '../../../contract/delivery/metrics.ts';
import { unpackHours } from '../../../contract/delivery/packed-hours.ts';
import type { SettledAccount } from '../../../contract/services/delivery.ts';
import type { ReadTransaction } from '../../../storage/unit-of-work.ts';
import { lineItems } from '../../ads/line-items.ts';
import { rowsById } from '../booked-rows.ts';
import { type Bookings, readBookings } from '../bookings.ts';
import { budgetLeft, reasonsNotServing } from '../serving-times.ts';
import { parseSimulationParameters, type SimulationParameters } from './knobs.ts';
import { type LedgerState, spentOn } from './ledger-state.ts';
import type { LinePlan } from './line-plan.ts';
import { planSegment } from './plan-segment.ts';
import { prepareLines } from './prepared-line.ts';
import { readState } from './read-state.ts';

const HOUR_MS = 3_600_000;

/** The computation of the numbers of a line item in an hour. Amounts are in micro units of its currency. */
export interface Explanation {
  readonly line_item_id: string;
  readonly hour: string;
  readonly local: { readonly day: string; readonly hour: number; readonly timezone: string };
  readonly settled_until: string | null;
  readonly knobs: SimulationParameters;
  /** The intermediate results, with the current configuration and the ledger as of the start of the hour. */
  readonly chain: Readonly<Record<string, number | string | null>>;
  /** The hour in the ledger, which may have been delivered with another configuration. */
  readonly delivered: Readonly<Partial<Record<DeliveryMetric, number>>>;
}

/** Explains the hour of a line item that contains a time; undefined if there is no such line item. */
export async function explainHour(
  tx: ReadTransaction,
  account: SettledAccount,
  id: string,
  at_ms: number,
  unitsPerDollar: UnitsPerDollar,
): Promise<Explanation | undefined> {
  const cursor = await tx.deliveryLedger.findCursor(account.id);
  const active = await readBookings(tx, account);
  const booking =
    active.lines.find((line) => line.id === id) ?? (await readBookings(tx, account, { ids: [id] })).lines[0];
  if (!booking) return undefined;
  const bookings: Bookings = active.lines.includes(booking) ? active : { ...active, lines: [...active.lines, booking] };
  const day = localDayAt(at_ms, account.timezone);
  const from_ms = startOfHour(at_ms, day);
  const until_ms = Math.min(from_ms + HOUR_MS, day.end_ms);
  const hour = Math.round((from_ms - day.start_ms) / HOUR_MS);
  const knobs = parseSimulationParameters(cursor?.knobs);
  const seed = knobs.seed ?? cursor?.seed ?? account.id;
  const state = await readLedgerAsOf(tx, bookings, from_ms);
  const until = formatInstant(until_ms);
  const lines = prepareLines(bookings, seed, [formatInstant(from_ms), until], unitsPerDollar);
  const people = new Map<string, number>();
  for (const audience of await tx.deliveryLedger.listAudiences(account.id)) {
    if (audience.applies_from < until || !people.has(audience.subject)) people.set(audience.subject, audience.people);
  }
  const segment = { seed, knobs, day, hour, from_ms, until_ms };
  const plan = planSegment({ account: bookings.account, lines, people, state }, segment).find(
    ({ line }) => line.booking.id === id,
  )!;
  const reason = plan.reason ?? null;
  const [lasting] = reasonsNotServing(
    bookings,
    booking,
    formatInstant(from_ms),
    budgetLeft(booking, spentOn(state, booking)),
  );
  return {
    line_item_id: id,
    hour: formatInstant(from_ms),
    settled_until: cursor?.settled_until ?? null,
    knobs,
    local: { day: day.date, hour, timezone: account.timezone },
    chain: chainOf(plan, reason === 'NOT_IN_THIS_HOUR' ? (lasting ?? reason) : reason),
    delivered: await deliveredIn(tx, account, id, day, hour),
  };
}

function chainOf(plan: LinePlan, reason: string | null): Explanation['chain'] {
  const { supply, offer } = plan;
  const finite = (number: number | undefined): number | null =>
    number === undefined || !Number.isFinite(number) ? null : Math.round(number * 1e6) / 1e6;
  return {
    reason_for_nothing: reason,
    from: formatInstant(plan.from_ms),
    until: formatInstant(plan.until_ms),
    people: plan.people,
    opportunities: finite(supply?.opportunities),
    left_by_others: finite(plan.leftByOthers),
    market_median_ecpm_local_micro: supply ? Math.round(Math.exp(supply.market.mu)) : null,
    billed_rate: finite(supply?.billedRate),
    bid_ecpm_local_micro: offer ? Math.round(offer.bid) : null,
    win_rate: finite(offer?.winRate),
    price_local_micro: finite(offer?.price),
    plan_local_micro: finite(plan.plan),
    campaign_plan_local_micro: finite(plan.campaignPlan),
    throttle: finite(plan.throttle),
    limit: plan.limit ?? null,
    expected_impressions: finite(plan.expectedImpressions),
    expected_spend_local_micro: finite(plan.expectedSpend),
    impressions: plan.impressions,
    billed: plan.billed,
    spend_local_micro: plan.spend,
  };
}

async function deliveredIn(
  tx: ReadTransaction,
  account: SettledAccount,
  id: string,
  day: LocalDay,
  hour: number,
): Promise<Explanation['delivered']> {
  const range = { account: account.id, from: day.date, until: `${day.date}~`, line_items: [id] };
  const found: Partial<Record<DeliveryMetric, number>> = {};
  for (const row of await tx.deliveryLedger.listDays(range)) {
    for (const [metric, numbers] of unpackHours(row.hours).metrics) {
      const number = numbers[hour] ?? 0;
      if (number > 0) found[metric] = (found[metric] ?? 0) + number;
    }
  }
  return found;
}

/** Reconstructs the ledger as of the start of an hour (epoch ms), by subtracting later deliveries. */
async function readLedgerAsOf(tx: ReadTransaction, bookings: Bookings, hour_ms: number): Promise<LedgerState> {
  const { account, lines } = bookings;
  const state = await readState(tx, bookings, hour_ms);
  const day = localDay(localDateAt(hour_ms, account.timezone), account.timezone);
  const first = Math.round((hour_ms - day.start_ms) / HOUR_MS);
  const rows = await tx.deliveryLedger.listDays({ account: account.id, from: day.date, until: '9999' });
  const campaignOf = new Map(lines.map((line) => [line.id, line.campaign.id]));
  const instrumentOf = new Map(lines.map((line) => [line.id, line.instrument.id]));
  const others = [...new Set(rows.map((row) => row.line_item_id))].filter((id) => !campaignOf.has(id));
  for (const row of await rowsById(tx, lineItems, account.id, others)) {
    campaignOf.set(row.id, String(row.campaign_id));
    instrumentOf.set(row.id, String(row.funding_instrument_id));
  }
  for (const row of rows) {
    const isSameDay = row.day === day.date;
    const { metrics } = unpackHours(row.hours);
    const since = (metric: 'impressions' | 'billed_charge_local_micro'): number =>
      (metrics.get(metric) ?? []).slice(isSameDay ? first : 0).reduce((sum, number) => sum + number, 0);
    const spend = since('billed_charge_local_micro');
    const impressions = since('impressions');
    const line = state.lines.get(row.line_item_id);
    if (line) {
      line.total -= spend;
      line.impressions -= impressions;
      if (isSameDay) line.today -= spend;
      if (isSameDay) line.recent[0]! -= impressions;
    }
    const campaign = state.campaigns.get(campaignOf.get(row.line_item_id) ?? '');
    if (campaign) {
      campaign.total -= spend;
      if (isSameDay) campaign.today -= spend;
    }
    const instrument = instrumentOf.get(row.line_item_id) ?? '';
    const paid = state.instruments.get(instrument);
    if (paid !== undefined) state.instruments.set(instrument, paid - spend);
  }
  return state;
}
