import { formatInstant, instantMs } from '../../base/instants.ts';

/** A UTC text plus some seconds. */
export function addSeconds(now: string, seconds: number): string {
  return formatInstant(instantMs(now) + seconds * 1000);
}
