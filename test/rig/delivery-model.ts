import { exchangeRates } from '../../src/base/exchange-rates.ts';
import { formatInstant } from '../../src/base/instants.ts';
import { localDateAt } from '../../src/base/zones.ts';
import type { DeliveryMetric } from '../../src/contract/delivery/metrics.ts';
import type { BookedCreative, Booking, Bookings } from '../../src/features/delivery/bookings.ts';
import type { Delivered } from '../../src/features/delivery/ledger-writer.ts';
import { advance, type RunningPlan } from '../../src/features/delivery/simulation/advance.ts';
import { ORDINARY, type SimulationParameters } from '../../src/features/delivery/simulation/knobs.ts';
import { emptyState, type LedgerState } from '../../src/features/delivery/simulation/ledger-state.ts';
import { prepareLines } from '../../src/features/delivery/simulation/prepared-line.ts';

/** When the runs of the model begin. */
const BEGIN = '2026-03-02T17:04:55Z';

/** A line item as it is booked unless a test says otherwise. */
export function booking(id: string, changes: Partial<Booking> = {}): Booking {
  const instrument = {
    id: 'instrument',
    limit: null,
    row: { id: 'instrument', deleted: 0, entity_status: 'ACTIVE', start_time: '2026-01-01T00:00:00Z', end_time: null },
  } as unknown as Booking['instrument'];
  return {
    ...{ id, instrument, entity_status: 'ACTIVE', deleted: false, created_at: '2026-03-01T00:00:00Z' },
    campaign: {
      ...{ id: 'campaign', entity_status: 'ACTIVE', deleted: false, budget: { daily: null, total: null } },
      ...{ optimizesCampaign: false, isStandard: null },
    },
    ...{ start_time: null, end_time: null, currency: 'USD', objective: 'ENGAGEMENTS', product_type: 'PROMOTED_POSTS' },
    ...{ placements: ['ALL_ON_SERVICE'], bid_strategy: 'AUTO', bid_amount: null, goal: 'ENGAGEMENT' },
    ...{ pay_by: 'ENGAGEMENT', budget: { daily: 50_000_000, total: null }, isStandard: true },
    ...{ frequency_cap: null, duration_in_days: null, primary_web_event_tag: null, web_event_type: null },
    creatives: [creative(`${id}-1`), creative(`${id}-2`)],
    ...changes,
  } as Booking;
}

/** A creative that can be shown. */
export function creative(id: string, changes: Partial<BookedCreative> = {}): BookedCreative {
  return {
    ...{ id, of: 'promoted_post', entity_status: 'ACTIVE', approval_status: 'ACCEPTED', kind: 'text' },
    ...{ hasVideo: false, shown_id: '1', landing_url: null },
    ...changes,
  } as BookedCreative;
}

/** What a creative delivered in an hour. */
export interface Cell {
  readonly line: string;
  readonly creative: string;
  readonly placement: string;
  readonly day: string;
  readonly hour: number;
  readonly numbers: Map<DeliveryMetric, number>;
}

/** A run of the model, which can be changed while it goes on. */
export class ModelRun {
  readonly cells = new Map<string, Cell>();
  now_ms: number;
  readonly zone: string;
  knobs: SimulationParameters = ORDINARY;
  lines: readonly Booking[];
  people = 5000;
  /** Whether all line items mean the same people. */
  isShared = false;
  readonly #state: LedgerState;
  #running: RunningPlan | undefined;

  constructor(lines: readonly Booking[], zone = 'America/Los_Angeles', begin = BEGIN) {
    this.lines = lines;
    this.zone = zone;
    this.now_ms = Date.parse(begin);
    const date = localDateAt(this.now_ms, zone);
    this.#state = emptyState(date);
  }

  /** Changes what is booked, from now on. */
  change(lines: readonly Booking[]): void {
    this.lines = lines;
    this.#running = undefined;
  }

  settle(until_ms: number): void {
    for (const each of this.deliver(until_ms)) this.#keep(each);
  }

  /** The same without keeping what is delivered, which is the answer. */
  deliver(until_ms: number): readonly Delivered[] {
    if (until_ms <= this.now_ms) return [];
    const account = { id: 'account', environment: 'sandbox', timezone: this.zone } as const;
    const known: Bookings['account'] = { ...account, approval_status: 'ACCEPTED', deleted: false };
    const horizon = formatInstant(until_ms + 2 * 3_600_000);
    const bookings = { account: known, lines: this.lines };
    const outcome = advance({
      ...{ account: known, seed: 'seed', knobs: this.knobs, state: this.#state, running: this.#running },
      lines: prepareLines(bookings, 'seed', [formatInstant(this.now_ms), horizon], exchangeRates([])),
      people: new Map([
        ...this.lines.map(({ id }) => [id, this.people] as const),
        ...(this.isShared ? [['funding_instrument/instrument', this.people] as const] : []),
      ]),
      from_ms: this.now_ms,
      until_ms,
    });
    this.#running = outcome.running;
    this.now_ms = until_ms;
    return outcome.delivered;
  }

  advance(seconds: number): void {
    this.settle(this.now_ms + seconds * 1000);
  }

  #keep({ line_item, creative_id, placement, day, added }: Delivered): void {
    for (const [metric, hours] of added) {
      for (const [hour, number] of hours.entries()) {
        if (number === 0) continue;
        const key = `${line_item.id} ${creative_id} ${placement} ${day} ${String(hour).padStart(2, '0')}`;
        let cell = this.cells.get(key);
        if (!cell) {
          cell = { line: line_item.id, creative: creative_id, placement, day, hour, numbers: new Map() };
          this.cells.set(key, cell);
        }
        cell.numbers.set(metric, (cell.numbers.get(metric) ?? 0) + number);
      }
    }
  }

  sum(metric: DeliveryMetric, which: (cell: Cell) => boolean = () => true): number {
    let sum = 0;
    for (const cell of this.cells.values()) if (which(cell)) sum += cell.numbers.get(metric) ?? 0;
    return sum;
  }

  /** Everything that was delivered, as text. */
  text(): string {
    return [...this.cells]
      .map(([key, { numbers }]) => `${key} ${JSON.stringify([...numbers].sort())}`)
      .sort()
      .join('\n');
  }
}
