import { accountsRules } from './campaigns/accounts.ts';
import { batchRules } from './campaigns/batches.ts';
import { campaignRules } from './campaigns/campaigns.ts';
import { conventionRules } from './campaigns/conventions.ts';
import { errorRules } from './campaigns/errors.ts';
import { lineItemRules } from './campaigns/line-items.ts';
import { listRules } from './campaigns/lists.ts';
import { referenceRules } from './campaigns/reference.ts';
import { targetingRules } from './campaigns/targeting.ts';
import type { Rule } from './rule.ts';

/** Checks of docs/protocol/campaigns.md. */
export const campaignsRules: readonly Rule[] = [
  ...conventionRules,
  ...listRules,
  ...errorRules,
  ...accountsRules,
  ...referenceRules,
  ...campaignRules,
  ...lineItemRules,
  ...targetingRules,
  ...batchRules,
];
