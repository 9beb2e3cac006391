/**
 * How many of `people` see at least one of `impressions` that are distributed at random: 0 without impressions, at most
 * one for each impression.
 * @source decision 936
 */
export function expectedReach(impressions: number, people: number): number {
  if (impressions <= 0 || people <= 0) return 0;
  const reach = Math.round(people * -Math.expm1(-impressions / people));
  return Math.max(1, Math.min(reach, people, impressions));
}
