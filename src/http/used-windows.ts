import type { Operation, Principal } from '../contract/declare/operation.ts';
import { RATES, type UsedWindow } from '../contract/declare/rates.ts';
import type { Application } from '../contract/store/credentials.ts';
import type { RateLimiter } from './rate-limiter.ts';

const ENVIRONMENTS = ['production', 'sandbox'] as const;

/** The rate windows that an application has used, by its own calls and by those for a user. Counts nothing. */
export async function usedWindows(
  { rateLimiter, operations }: { readonly rateLimiter: RateLimiter; readonly operations: readonly Operation[] },
  application: Application,
  user: string,
): Promise<UsedWindow[]> {
  const principal: Principal = {
    ...{ kind: 'user', user, application: application.id, tokenId: '', token: '' },
    ...{ level: application.access_level, applicationLevel: application.access_level },
  };
  const callers = [
    ['user', principal],
    ['application', { kind: 'application', application }],
  ] as const;
  const found: UsedWindow[] = [];
  for (const environment of ENVIRONMENTS) {
    for (const [whose, caller] of callers) {
      const own = operations.filter(({ credential = 'user', onlyIn = environment, rate }) => {
        const isListed = onlyIn === environment && !(RATES[rate].ofBothListeners && environment !== ENVIRONMENTS[0]);
        return isListed && (credential === 'user-or-bearer' || (credential === 'user') === (whose === 'user'));
      });
      const windows = await rateLimiter.peek(own, { environment, caller });
      const byName = new Map(own.map((operation, at) => [nameOf(operation), { operation, window: windows[at]! }]));
      for (const [name, { operation, window }] of byName) {
        const environments = RATES[operation.rate].ofBothListeners ? ENVIRONMENTS : [environment];
        if (window.remaining < window.limit) found.push({ environments, name, whose, ...window });
      }
    }
  }
  return found.sort((a, b) => a.remaining / a.limit - b.remaining / b.limit);
}

/** What the window of the caller is for: many calls draw on one. */
function nameOf({ rate, path }: Operation): string {
  const { perAccount, together } = RATES[rate];
  return perAccount ? 'user_quota' : together ? rate : path;
}
