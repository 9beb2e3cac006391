import { booking, creative, ModelRun } from './delivery-model.ts';

const METRICS = [
  ...([
    'impressions',
    'billed_engagements',
    'billed_charge_local_micro',
    'engagements',
    'clicks',
    'url_clicks',
  ] as const),
  ...(['app_clicks', 'follows', 'video_total_views', 'conversion_purchases.post_engagement'] as const),
];

/** Line items of every kind that share a campaign. */
const LINES = [
  booking('website', {
    ...{ objective: 'WEBSITE_CLICKS', goal: 'LINK_CLICKS', pay_by: 'IMPRESSION', web_event_type: 'PURCHASE' },
    ...{ primary_web_event_tag: 'tag', creatives: [creative('w1', { kind: 'website_card' }), creative('w2')] },
  }),
  booking('clicks', {
    ...{ objective: 'WEBSITE_CLICKS', goal: 'LINK_CLICKS', pay_by: 'LINK_CLICK', bid_strategy: 'MAX' },
    ...{ bid_amount: 900_000, placements: ['PUBLISHER_NETWORK', 'SERVICE_TIMELINE'] },
  }),
  booking('engagements', { bid_strategy: 'MAX', bid_amount: 1_500_000, frequency_cap: 3, duration_in_days: 7 }),
  booking('video', {
    ...{ objective: 'VIDEO_VIEWS', goal: 'VIDEO_VIEW', pay_by: 'VIEW', bid_strategy: 'TARGET', bid_amount: 20_000 },
    ...{ creatives: [creative('v1', { kind: 'video', hasVideo: true })], isStandard: false },
  }),
  booking('app', { objective: 'APP_INSTALLS', goal: 'APP_INSTALLS', pay_by: 'IMPRESSION' }),
  booking('followers', { objective: 'FOLLOWERS', goal: 'FOLLOWERS', pay_by: 'FOLLOW' }),
];

/**
 * A week of simulated delivery, in which clocks change: the totals of every line item and local day, one line each.
 * @param step_s how often it is settled
 */
export function simulatedWeek(step_s: number): string[] {
  const run = new ModelRun(LINES, 'America/Los_Angeles', '2026-03-05T08:00:00Z');
  const end_ms = run.now_ms + 7 * 86_400_000;
  while (run.now_ms < end_ms) run.settle(Math.min(end_ms, run.now_ms + step_s * 1000));
  const days = [...new Set([...run.cells.values()].map(({ day }) => day))].sort();
  return LINES.flatMap(({ id }) =>
    days.map((day) => {
      const totals = METRICS.map((metric) => run.sum(metric, (cell) => cell.line === id && cell.day === day));
      return `${id} ${day} ${totals.join(' ')}`;
    }),
  );
}
