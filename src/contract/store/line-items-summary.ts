/** A live line item, as far as its campaign's servability depends on it. */
export interface LineItemOfCampaign {
  readonly entity_status: string;
  /** UTC text; null when it has no start. */
  readonly start_time: string | null;
  /** UTC text; null when it has no end. */
  readonly end_time: string | null;
  readonly hasBudget: boolean;
  /** Its best creative: none, one that is rejected or under review, or an accepted one. */
  readonly creative: 'none' | 'rejected' | 'accepted';
}

/** Summary of the live line items of a campaign. Each flag holds if at least one line item ... */
export interface LineItemsOfCampaign {
  /** ... has a budget. */
  readonly budgeted: boolean;
  /** ... is no draft and has a creative. @source decision 37 */
  readonly ready: boolean;
  /** ... is active and has a creative. */
  readonly showing: boolean;
  /** ... is active and has an accepted creative. */
  readonly accepted: boolean;
  /** When at least one of them runs, by dates alone: disjoint spans, in order. */
  readonly spans: readonly Span[];
}

/** A time range, `from` inclusive, `until` exclusive (UTC texts); an empty text is unbounded. */
interface Span {
  readonly from: string;
  readonly until: string;
}

/**
 * The column of campaigns with the summary of their line items as text; null when there are none. The storage writes it
 * in the unit of work that changes a line item or its creatives.
 * @source decision 181
 */
export const LINE_ITEMS_SUMMARY = 'line_items_summary';

type Flag = Exclude<keyof LineItemsOfCampaign, 'spans'>;

/** The letters of the flags: a flag holds when its letter stands before the first space. */
const LETTERS = { budgeted: 'b', ready: 'r', showing: 's', accepted: 'a' } as const satisfies Record<Flag, string>;

/**
 * Encodes a summary of live line items as text like `bra 2026-03-01T00:00:00Z/`; null when there are none.
 * @source decision 181
 */
export function summaryOf(lines: readonly LineItemOfCampaign[]): string | null {
  if (lines.length === 0) return null;
  const holds: Record<Flag, (line: LineItemOfCampaign) => boolean> = {
    budgeted: (line) => line.hasBudget,
    ready: (line) => line.entity_status !== 'DRAFT' && line.creative !== 'none',
    showing: (line) => line.entity_status === 'ACTIVE' && line.creative !== 'none',
    accepted: (line) => line.entity_status === 'ACTIVE' && line.creative === 'accepted',
  };
  const flags = (Object.keys(LETTERS) as Flag[]).filter((flag) => lines.some(holds[flag]));
  const spans = joined(lines.map(({ start_time, end_time }) => ({ from: start_time ?? '', until: end_time ?? '' })));
  return [flags.map((flag) => LETTERS[flag]).join(''), ...spans.map(({ from, until }) => `${from}/${until}`)].join(' ');
}

/** Decodes the text of a summary. */
export function readSummary(text: string): LineItemsOfCampaign {
  const [letters = '', ...spans] = text.split(' ');
  return {
    budgeted: letters.includes(LETTERS.budgeted),
    ready: letters.includes(LETTERS.ready),
    showing: letters.includes(LETTERS.showing),
    accepted: letters.includes(LETTERS.accepted),
    spans: spans.map((span) => {
      const middle = span.indexOf('/');
      return { from: span.slice(0, middle), until: span.slice(middle + 1) };
    }),
  };
}

/** Merges spans that overlap or touch. */
function joined(spans: readonly Span[]): Span[] {
  const found: Span[] = [];
  for (const span of [...spans].sort((a, b) => (a.from < b.from ? -1 : 1))) {
    const last = found.at(-1);
    if (last && (last.until === '' || span.from <= last.until)) {
      const later = last.until === '' || span.until === '' ? '' : span.until > last.until ? span.until : last.until;
      found[found.length - 1] = { from: last.from, until: later };
    } else {
      found.push(span);
    }
  }
  return found;
}
