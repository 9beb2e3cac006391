import { RATES } from '../../src/contract/declare/rates.ts';

/** The longest rate limit window in seconds: once it has passed, every window of a caller is fresh. */
export const LONGEST_WINDOW_S = Math.max(...Object.values(RATES).map(({ window_s }) => window_s));
