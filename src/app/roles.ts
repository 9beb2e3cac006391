import type { Operation } from '../contract/declare/operation.ts';
import { audienceEstimate } from '../features/ads/audience-estimate.ts';
import { keywordInsights } from '../features/ads/keyword-insights.ts';
import { targetingSuggestions } from '../features/ads/targeting-suggestions.ts';
import type { Role } from '../settings/roles.ts';

/** The operations that read the directory image or the keyword index, which take memory and processor time. */
const SEARCHES: ReadonlySet<string> = new Set(
  [audienceEstimate, keywordInsights, targetingSuggestions].map(({ id }) => id),
);

/** The role of the servers that answer an operation. @source decision 805 */
export function roleOf({ id, shape }: Pick<Operation, 'id' | 'shape'>): Role {
  if (shape === 'stream') return 'stream';
  return SEARCHES.has(id) ? 'search' : 'api';
}
