import type { UnitsPerDollar } from '../../../base/exchange-rates.ts';
import { instantMs } from '../../../base/instants.ts';
import { bidLimits } from '../../ads/reference/bidding-rules.ts';
import type { BookedCreative, Booking, Bookings } from '../bookings.ts';
import { FOREVER, servesWithin, shownCreatives } from '../serving-times.ts';
import { type ActionMix, actionMix } from './actions.ts';
import { clicksOf, type PreparedConversion, prepareConversions } from './conversions.ts';
import { placeOf } from './counts.ts';
import { keyOf } from './draws.ts';
import { qualityOf } from './rates.ts';
import { spotKey } from './spot-plan.ts';

/** Where the numbers of a placement are in the ledger. */
type LedgerPlacement = 'ALL_ON_SERVICE' | 'PUBLISHER_NETWORK';

/** Part of a line item that has numbers of its own: a creative in a placement. */
export interface Spot {
  readonly creative: BookedCreative;
  readonly placement: LedgerPlacement;
  /** Its part of the impressions. */
  readonly weight: number;
  /** Of its draws. */
  readonly key: number;
  readonly name: string;
  /** Among the spots of all line items that are prepared together. */
  readonly ordinal: number;
  readonly mix: ActionMix;
}

/** A line item with everything that all hours share. */
export interface PreparedLine {
  readonly booking: Booking;
  /** Of its draws. */
  readonly key: number;
  /** When it could serve: milliseconds since 1970; undefined when it cannot. */
  readonly times: readonly [from_ms: number, until_ms: number] | undefined;
  readonly flightEnd_ms: number | undefined;
  readonly spots: readonly Spot[];
  /** Those of its spots. */
  readonly weights: readonly number[];
  readonly conversions: readonly PreparedConversion[];
  /** The place of the clicks that lead to them. */
  readonly clicks: number;
  /** The quality of its creatives, weighted as they are shown. */
  readonly quality: number;
  /** Logarithm of the price unit of its currency, and the lowest bid, in micro units. */
  readonly logLevel: number;
  readonly minimumBid: number;
  readonly isStandard: boolean;
}

/** The publisher network has this part of the impressions of line items that are also shown on the service. */
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
    // The best creatives are shown most.
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
      clicks: placeOf(clicksOf(booking)),
      ...{
        booking,
        key,
        logLevel: Math.log(unitsPerDollar(booking.currency) * 1_000_000),
        minimumBid: bidLimits(booking.currency).least,
      },
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

/** Where a line item is shown, and with which part of its impressions. @source decision 938 */
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
