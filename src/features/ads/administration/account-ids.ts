import type { Environment } from '../../../contract/declare/account-state.ts';
import { accounts } from '../accounts.ts';

// Production ids have eleven characters and lie above the id of the demo account.
const PRODUCTION_FROM = 36 ** 10 + 36 ** 9 * 8 + 2 ** 32;

/**
 * Returns the id sequence of new accounts. In production it has irregular steps, so that ids do not reveal how many accounts
 * exist.
 */
export function accountIdSequence(environment: Environment): { kind: string; start: number; step?: number } {
  return environment === 'production'
    ? { kind: 'production_account', start: PRODUCTION_FROM, step: 2 ** 24 }
    : { kind: accounts.name, start: accounts.ids.from };
}
