import { accountHistory } from './ads/account-history.ts';
import { accounts, createSandboxAccount } from './ads/accounts.ts';
import { authenticatedUserAccess } from './ads/authenticated-user-access.ts';
import { campaigns } from './ads/campaigns.ts';
import { addFeatures, getFeatures, removeFeatures } from './ads/features.ts';
import { fundingInstruments } from './ads/funding-instruments.ts';
import { revokeToken } from './auth/oauth1/revoke-token.ts';
import type { Operation } from './contract/operation.ts';
import type { AnyResource } from './contract/resource.ts';

/** The table of contents of the interface: every resource and endpoint, in the order of the reference documents. */
export const catalog: readonly (AnyResource | Operation)[] = [
  revokeToken,
  accounts,
  createSandboxAccount,
  authenticatedUserAccess,
  accountHistory,
  getFeatures,
  addFeatures,
  removeFeatures,
  fundingInstruments,
  campaigns,
];
