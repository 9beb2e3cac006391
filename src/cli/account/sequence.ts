import type { Environment } from '../../contract/declare/resource.ts';
import { accounts } from '../../features/ads/accounts.ts';

// Production ids have eleven characters. The demo account lies below them.
const PRODUCTION_FROM = 36 ** 10 + 36 ** 9 * 8 + 2 ** 32;

/** Where the ids of new accounts come from; those of production tell nothing of how many there are. */
export function sequenceOf(environment: Environment): { kind: string; start: number; step?: number } {
  return environment === 'production'
    ? { kind: 'production_account', start: PRODUCTION_FROM, step: 2 ** 24 }
    : { kind: accounts.name, start: accounts.idsFrom };
}
