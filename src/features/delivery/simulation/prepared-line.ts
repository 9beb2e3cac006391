import type { UnitsPerDollar } from '../../../base/exchange-rates.ts';
import { instantMs } from '../../../base/instants.ts';
import { bidLimits } from '../../ads/reference/bidding-rules.ts';
import type { BookedCreative, Booking, Bookings } from '../bookings.ts';
import { FOREVER, servesWithin, shownCreatives } from '../serving-times.ts';
import { type ActionMix, actionMix } from './actions.ts';
import { clickMetricOf, type PreparedConversion, prepareConversions } from './conversions.ts';
import { placeOf } from './counts.ts';
import { keyOf } from './draws.ts';
import { qualityOf } from './rates.ts';
import { spotKey } from './spot-plan.ts';

/** A placement in the ledger. */
type LedgerPlacement = 'ALL_ON_SERVICE' | 'PUBLISHER_NETWORK';

/** A creative in a placement of a line item. */
export interface Spot {
  readonly creative: BookedCreative;
  readonly placement: LedgerPlacement;
  /** Its share of the impressions. */
  readonly weight: number;
  /** Key of its draws. */
  readonly key: number;
  readonly name: string;
  /** Index among the spots of all line items prepared together. */
  readonly ordinal: number;
  readonly mix: ActionMix;
}

/** A line item with all data that does not depend on the hour. */
export interface PreparedLine {
  readonly booking: Booking;
  /** Key of its draws. */
  readonly key: number;
  /** When it could serve, in milliseconds since 1970; undefined if it cannot. */
  readonly times: readonly [from_ms: number, until_ms: number] | undefined;
  readonly flightEnd_ms: number | undefined;
  readonly spots: readonly Spot[];
  /** The weights of its spots. */
  readonly weights: readonly number[];
  readonly conversions: readonly PreparedConversion[];
  /** Index of the metric of clicks that lead to conversions. */
  readonly clicks: number;
  /** Quality of its creatives, weighted by their impressions. */
  readonly quality: number;
  /** Logarithm of the exchange rate of its currency, in micro units for a US dollar. */
  readonly logLevel: number;
  /** In micro units. */
  readonly minimumBid: number;
  readonly isStandard: boolean;
}

/** Share of the publisher network in the impressions of line items that are also shown on the service. */
const NETWORK_PART = 0.3;

/** Prepares the line items of an account for a range of time (UTC texts). */
export function prepareLines(
  bookings: Pick<Bookings, 'account' | 'lines'>,
  seed: string,
  range: readonly [from: string, until: string],
  unitsPerDollar: UnitsPerDollar,
): PreparedLine[] {
  let ordinal = 0;
  return bookings.lines.map((booking) => {
    const creatives = shownCreatives(booking);
    const qualities = creatives.map((creative) => qualityOf(seed, creative));
    // Better creatives get more impressions.
    const weights = qualities.map((quality) => quality ** 3);
    const sum = weights.reduce((all, weight) => all + weight, 0);
    const times = servesWithin(bookings, booking, range);
    const ends = servesWithin(bookings, booking, [range[0], FOREVER])?.[1];
    const key = keyOf(`${seed} ${booking.id}`);
    const spots = creatives.flatMap((creative, at) =>
      placementsOf(booking).map(([placement, part]): Spot => {
        const name = spotKey({ line: booking.id, creative: creative.id, placement });
        return {
          creative,
          placement,
          name,
          weight: (weights[at]! / sum) * part,
          key: keyOf(`${seed} ${name}`),
          ordinal: ordinal++,
          mix: actionMix(creative.kind, booking.objective, booking.pay_by),
        };
      }),
    );
    return {
      spots,
      weights: spots.map(({ weight }) => weight),
      conversions: prepareConversions(booking),
      clicks: placeOf(clickMetricOf(booking)),
      booking,
      key,
      logLevel: Math.log(unitsPerDollar(booking.currency) * 1_000_000),
      minimumBid: bidLimits(booking.currency).least,
      times: times && [instantMs(times[0]), instantMs(times[1])],
      flightEnd_ms: ends === undefined || ends === FOREVER ? undefined : instantMs(ends),
      quality: sum > 0 ? qualities.reduce((all, quality, at) => all + quality * weights[at]!, 0) / sum : 1,
      isStandard: booking.isStandard ?? booking.campaign.isStandard ?? true,
    };
  });
}

function isNetwork(placement: string): boolean {
  return placement === 'PUBLISHER_NETWORK' || placement.startsWith('TAP_');
}

/** Returns the placements of a line item, and the share of each in its impressions. @source decision 938 */
export function placementsOf({
  placements,
}: Pick<Booking, 'placements'>): readonly (readonly [placement: LedgerPlacement, part: number])[] {
  const network = placements.filter(isNetwork).length;
  if (network === 0) return [['ALL_ON_SERVICE', 1]];
  if (network === placements.length) return [['PUBLISHER_NETWORK', 1]];
  return [
    ['ALL_ON_SERVICE', 1 - NETWORK_PART],
    ['PUBLISHER_NETWORK', NETWORK_PART],
  ];
}
