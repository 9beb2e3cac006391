/** What a campaign's servability depends on in one of its live line items. */
export interface SummarizedLineItem {
  readonly entity_status: string;
  /** UTC text; null when it has no start. */
  readonly start_time: string | null;
  /** UTC text; null when it has no end. */
  readonly end_time: string | null;
  readonly hasBudget: boolean;
  /** The status of its best creative; `rejected` also if that is under review. */
  readonly creative: 'none' | 'rejected' | 'accepted';
}

/** Summary of the live line items of a campaign. A flag is true if it holds for at least one of them. */
export interface LineItemsSummary {
  /** Has a budget. */
  readonly budgeted: boolean;
  /** Is not a draft, and has a creative. @source decision 37 */
  readonly ready: boolean;
  /** Is active, and has a creative. */
  readonly showing: boolean;
  /** Is active, and has an accepted creative. */
  readonly accepted: boolean;
  /** The disjoint spans, in order, for which at least one of them is scheduled. */
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

type Flag = Exclude<keyof LineItemsSummary, 'spans'>;

/** The letters of the flags in the text: a flag is true if its letter occurs before the first space. */
const LETTERS = { budgeted: 'b', ready: 'r', showing: 's', accepted: 'a' } as const satisfies Record<Flag, string>;

/**
 * Encodes a summary of live line items as text like `bra 2026-03-01T00:00:00Z/`; null when there are none.
 * @source decision 181
 */
export function encodeSummary(lines: readonly SummarizedLineItem[]): string | null {
  if (lines.length === 0) return null;
  const holds: Record<Flag, (line: SummarizedLineItem) => boolean> = {
    budgeted: (line) => line.hasBudget,
    ready: (line) => line.entity_status !== 'DRAFT' && line.creative !== 'none',
    showing: (line) => line.entity_status === 'ACTIVE' && line.creative !== 'none',
    accepted: (line) => line.entity_status === 'ACTIVE' && line.creative === 'accepted',
  };
  const flags = (Object.keys(LETTERS) as Flag[]).filter((flag) => lines.some(holds[flag]));
  const spans = mergeSpans(
    lines.map(({ start_time, end_time }) => ({ from: start_time ?? '', until: end_time ?? '' })),
  );
  return [flags.map((flag) => LETTERS[flag]).join(''), ...spans.map(({ from, until }) => `${from}/${until}`)].join(' ');
}

/** Decodes the text of a summary. */
export function decodeSummary(text: string): LineItemsSummary {
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
function mergeSpans(spans: readonly Span[]): Span[] {
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
