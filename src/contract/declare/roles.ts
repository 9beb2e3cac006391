/**
 * What a user may be on an account, and the groups that the tables of permissions speak of.
 * @source advertising: Accounts; campaigns 5.5
 */
export const ROLES = [
  'ACCOUNT_ADMIN',
  'AD_MANAGER',
  'CREATIVE_MANAGER',
  'CAMPAIGN_ANALYST',
  'ANALYST',
  'PARTNER_AUDIENCE_MANAGER',
] as const;

/** A role of a user on an account. */
export type Role = (typeof ROLES)[number];

/** Everyone who has a role on the account. */
export const ANY_ROLE: readonly Role[] = ROLES;
/** Those who may see campaigns and what belongs to them. */
export const CAMPAIGN_READERS: readonly Role[] = [
  'ACCOUNT_ADMIN',
  'AD_MANAGER',
  'CREATIVE_MANAGER',
  'CAMPAIGN_ANALYST',
];
/** Those who may change campaigns and what belongs to them. */
export const CAMPAIGN_WRITERS: readonly Role[] = ['ACCOUNT_ADMIN', 'AD_MANAGER'];
/** Those who may change the account itself. */
export const ACCOUNT_WRITERS: readonly Role[] = ['ACCOUNT_ADMIN'];
/** Those who may see media, cards and posts. @source advertising: Accounts */
export const CREATIVE_READERS: readonly Role[] = CAMPAIGN_READERS;
/** Those who may see audiences. @source creatives 1.5 */
export const AUDIENCE_READERS: readonly Role[] = ROLES.filter((role) => role !== 'ANALYST');
/** Those who may change media, cards and posts. */
export const CREATIVE_WRITERS: readonly Role[] = ['ACCOUNT_ADMIN', 'AD_MANAGER', 'CREATIVE_MANAGER'];
/** Those who may change audiences and whom they are shared with. @source creatives 1.5 */
export const AUDIENCE_WRITERS: readonly Role[] = ['ACCOUNT_ADMIN', 'AD_MANAGER', 'PARTNER_AUDIENCE_MANAGER'];
/** Roles to which the extra permission POST_COMPOSER applies. */
export const COMPOSER_ROLES: readonly Role[] = ['ACCOUNT_ADMIN', 'AD_MANAGER', 'CREATIVE_MANAGER'];
