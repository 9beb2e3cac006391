import { expectedReach } from '../../../contract/delivery/reach.ts';

/** Impressions, and the size of their audience; undefined if it was not counted. */
export interface Exposure {
  readonly impressions: number;
  readonly people: number | undefined;
}

/**
 * How many people had impressions of ads: of those that fell on an audience at random, the expected number, at least that
 * of each line item, and at most that of all line items together. Impressions on uncounted audiences are ignored.
 * @param union the people in the audience of any of the line items
 * @source decision 965
 */
export function reachOf(parts: readonly Exposure[], union: number | undefined): Reach {
  const counted = parts.filter(({ impressions, people }) => impressions > 0 && people !== undefined && people > 0);
  const impressions = counted.reduce((sum, part) => sum + part.impressions, 0);
  const each = counted.map((part) => expectedReach(part.impressions, part.people!));
  const together = counted.reduce((sum, { people }) => sum + people!, 0);
  // The union is at most the sum of the parts, and at least the largest of them.
  const people = Math.max(Math.min(union ?? together, together), ...counted.map((part) => part.people!), 0);
  const sum = each.reduce((total, reached) => total + reached, 0);
  return { people: Math.min(expectedReach(impressions, people), sum), impressions };
}

/** People, and the impressions that they had. */
export interface Reach {
  readonly people: number;
  readonly impressions: number;
}

/** Impressions a person, with two decimals; 0 when nobody was reached. @source analytics 10 */
export function frequencyOf({ people, impressions }: Reach): number {
  return people === 0 ? 0 : Math.round((impressions / people) * 100) / 100;
}
