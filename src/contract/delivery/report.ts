/** The numbers of reports, and the metrics of the ledger that they show. Spend is in micro units of a currency. */
export const REPORT_METRICS = {
  spend: 'billed_charge_local_micro',
  impressions: 'impressions',
  engagements: 'engagements',
  clicks: 'clicks',
  views: 'video_total_views',
} as const;

/** Metrics whose sums a day of the ledger has for reports alone. */
export const SUMMED_METRICS = ['engagements', 'clicks', 'video_total_views'] as const;

/** What was delivered on each of some days, in their order. */
export type DailyNumbers = Readonly<Record<keyof typeof REPORT_METRICS, number[]>>;

/** What the rows of a report are about. */
export type ReportLevel = 'campaigns' | 'line_items' | 'ads';

/** Selects the subject of a report: an account, or one of its campaigns or line items. */
export interface ReportScope {
  readonly campaign_id?: string | undefined;
  readonly line_item_id?: string | undefined;
}

/** A question about what was delivered. */
export interface ReportQuestion extends ReportScope {
  /** Local dates of the account, in order. */
  readonly days: readonly string[];
  /** The level of the rows; only totals are added up by default. */
  readonly level?: ReportLevel;
  /** At most so many rows for each currency, those with the highest spend first. All by default. */
  readonly rows_max?: number;
  /** Whether rows have a number for each day. They have one for all days by default. */
  readonly isByDay?: boolean;
  /** How many hours of the last day count, such as 12.5; all by default. */
  readonly lastHours?: number;
}

/** A query of delivery by audience segment. */
export interface BreakdownQuestion extends ReportScope {
  readonly days: readonly string[];
  /** A segmentation type of statistics, such as `AGE`. */
  readonly segmentation: string;
  /** The targeting value of the country whose parts are asked for; undefined for all segmentations without one. */
  readonly country: string | undefined;
}

/** What was delivered to a segment in one currency. */
export interface SegmentReport {
  /** Null for people with an unknown value. */
  readonly name: string | null;
  readonly currency: string;
  readonly numbers: DailyNumbers;
}

/** A campaign, line item or ad that delivered something, deleted or not. */
export interface ReportRow {
  readonly id: string;
  /** Of ads, the text of the post; null where there is none. */
  readonly name: string | null;
  /** The post, user or media that an ad shows; undefined for all others. */
  readonly shown_id?: string;
  readonly numbers: DailyNumbers;
}

/** What was delivered in one currency. */
export interface CurrencyReport {
  readonly currency: string;
  /** All of it, by day, however many rows there are. */
  readonly totals: DailyNumbers;
  readonly rows: readonly ReportRow[];
  /** How many rows there are without the limit. */
  readonly rowCount: number;
}

/** The sum of some days. */
export function totalOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}
