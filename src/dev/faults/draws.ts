import { createHash } from 'node:crypto';
import type { Delay, FaultRule } from './rule.ts';

/** A number from 0 to below 1 that only depends on the rule, the number of the request and what it is for. */
export function draw({ seed, id }: Pick<FaultRule, 'seed' | 'id'>, hit: number, purpose: string): number {
  const digest = createHash('sha256').update(`${seed}/${id}/${hit}/${purpose}`).digest();
  return digest.readUIntBE(0, 6) / 2 ** 48;
}

/** No request is held up for longer. */
export const DELAY_MAX_MS = 600_000;

/** How long a request is held up, in milliseconds. */
export function delayOf(rule: Pick<FaultRule, 'seed' | 'id'>, hit: number, delay: Delay): number {
  if ('ms' in delay) return delay.ms;
  if ('uniform' in delay) {
    const [from, to] = delay.uniform;
    return from + draw(rule, hit, 'delay') * (to - from);
  }
  const { median_ms, sigma } = delay.lognormal;
  // Box and Muller's transform; the first draw is never 0.
  const radius = Math.sqrt(-2 * Math.log(1 - draw(rule, hit, 'delay')));
  const normal = radius * Math.cos(2 * Math.PI * draw(rule, hit, 'angle'));
  return Math.min(DELAY_MAX_MS, median_ms * Math.exp(sigma * normal));
}
