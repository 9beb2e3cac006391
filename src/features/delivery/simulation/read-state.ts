import { addDays, localDateAt, localDay } from '../../../base/zones.ts';
import { unpackHours } from '../../../contract/delivery/packed-hours.ts';
import type { ReadTransaction } from '../../../storage/unit-of-work.ts';
import { lineItems } from '../../ads/line-items.ts';
import { rowsById } from '../booked-rows.ts';
import type { Bookings } from '../bookings.ts';
import { CONVERSION_WINDOW_HOURS, clickMetricOf, conversionsOf } from './conversions.ts';
import { type LedgerState, lineState, sumUp } from './ledger-state.ts';
import { REMEMBERED_DAYS } from './rates.ts';
import { spotKey } from './spot-plan.ts';

const HOUR_MS = 3_600_000;

/** Reads the state of an account's ledger at the time up to which it is settled, in milliseconds since 1970. */
export async function readState(tx: ReadTransaction, bookings: Bookings, at_ms: number): Promise<LedgerState> {
  const { account, lines, spent } = bookings;
  const date = localDateAt(at_ms, account.timezone);
  const campaignTotals = lines.map(({ campaign }) => campaign.id);
  const state: LedgerState = {
    date,
    lines: new Map(),
    campaigns: new Map(campaignTotals.map((id) => [id, { today: 0, total: spent.get(id) ?? 0 }])),
    instruments: new Map(lines.map(({ instrument }) => [instrument.id, spent.get(instrument.id) ?? 0])),
    clicks: new Map(),
  };
  const ids = lines.map(({ id }) => id);
  for (const total of await listInBatches(ids, (some) => tx.deliveryLedger.listTotals(account.id, some))) {
    const line = lineState(state, total.line_item_id);
    line.total = total.spend_local_micro;
    line.impressions = total.impressions;
  }
  await addRecentDays(tx, bookings, state);
  await addClicks(tx, bookings, state, at_ms);
  return state;
}

/** Adds the impressions of the last days, and today's spend, including that of line items that are no longer active. */
async function addRecentDays(tx: ReadTransaction, { account, lines }: Bookings, state: LedgerState): Promise<void> {
  const periods = lines.map(({ frequency_cap, duration_in_days }) =>
    frequency_cap === null ? 0 : (duration_in_days ?? 1),
  );
  const longest = periods.reduce((one, other) => Math.max(one, other), REMEMBERED_DAYS);
  const totalsOf = (back: number) => {
    const from = addDays(state.date, -back);
    return tx.deliveryLedger.listTotalsOfDays({ account: account.id, from, until: addDays(from, 1) });
  };
  const totals = await totalsOf(0);
  for (let back = 0; back < longest; back++) {
    for (const { line_item_id, impressions } of back === 0 ? totals : await totalsOf(back)) {
      const line = state.lines.get(line_item_id);
      if (line) line.recent[back] = impressions;
    }
  }
  for (const line of state.lines.values()) sumUp(line);
  const campaignOf = new Map(lines.map((line) => [line.id, line.campaign.id]));
  const others = totals.filter(({ line_item_id }) => !campaignOf.has(line_item_id));
  const rows = await rowsById(
    tx,
    lineItems,
    account.id,
    others.map(({ line_item_id }) => line_item_id),
  );
  for (const row of rows) campaignOf.set(row.id, String(row.campaign_id));
  for (const { line_item_id, spend_local_micro } of totals) {
    const line = state.lines.get(line_item_id);
    if (line) line.today = spend_local_micro;
    const campaign = state.campaigns.get(campaignOf.get(line_item_id) ?? '');
    if (campaign) campaign.today += spend_local_micro;
  }
}

async function addClicks(
  tx: ReadTransaction,
  { account, lines }: Bookings,
  state: LedgerState,
  at_ms: number,
): Promise<void> {
  const counting = new Map(
    lines.filter((line) => conversionsOf(line).length > 0).map((line) => [line.id, clickMetricOf(line)]),
  );
  const earliest_ms = at_ms - CONVERSION_WINDOW_HOURS * HOUR_MS;
  const range = { from: localDateAt(earliest_ms, account.timezone), until: addDays(state.date, 1) };
  const rows = await listInBatches([...counting.keys()], (line_items) =>
    tx.deliveryLedger.listDays({ account: account.id, ...range, line_items }),
  );
  for (const row of rows) {
    const clicks = unpackHours(row.hours).metrics.get(counting.get(row.line_item_id)!);
    if (!clicks) continue;
    const place = { line: row.line_item_id, creative: row.creative_id, placement: row.placement };
    const known = state.clicks.get(spotKey(place)) ?? [];
    const { start_ms } = localDay(row.day, account.timezone);
    for (const [hour, number] of clicks.entries()) {
      const hourStart_ms = start_ms + hour * HOUR_MS;
      if (number > 0 && hourStart_ms > earliest_ms) known.push({ start_ms: hourStart_ms, clicks: number });
    }
    state.clicks.set(spotKey(place), known);
  }
}

const LINES_AT_ONCE = 500;

async function listInBatches<T>(ids: readonly string[], list: (some: string[]) => Promise<T[]>): Promise<T[]> {
  const found: T[] = [];
  for (let at = 0; at < ids.length; at += LINES_AT_ONCE) found.push(...(await list(ids.slice(at, at + LINES_AT_ONCE))));
  return found;
}
