import { dateAround, localDay } from '../../../base/zones.ts';
import { unpackHours } from '../../../contract/delivery/packed-hours.ts';
import type { ReadTransaction } from '../../../contract/store/store.ts';
import { lineItems } from '../../ads/line-items.ts';
import { rowsById } from '../booked-rows.ts';
import type { Bookings } from '../bookings.ts';
import type { LedgerState } from './ledger-state.ts';
import { readState } from './read-state.ts';

/** Reads what the ledger had at the beginning of a past hour, in milliseconds since 1970. */
export async function readStateBefore(tx: ReadTransaction, bookings: Bookings, hour_ms: number): Promise<LedgerState> {
  const { account, lines } = bookings;
  const state = await readState(tx, bookings, hour_ms);
  const day = localDay(dateAround(hour_ms, account.timezone), account.timezone);
  const first = Math.round((hour_ms - day.start_ms) / 3_600_000);
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
