/** The roles on an account, and groups of them for permissions. @source advertising 2; campaigns 5.5 */
export const ROLES = [
  'ACCOUNT_ADMIN',
  'AD_MANAGER',
  'CREATIVE_MANAGER',
  'CAMPAIGN_ANALYST',
  'ANALYST',
  'PARTNER_AUDIENCE_MANAGER',
] as const;

/** A user's role on an account. */
export type Role = (typeof ROLES)[number];

/** Any role on the account. */
export const ANY_ROLE: readonly Role[] = ROLES;
/** Roles that may read campaigns and their entities. */
export const CAMPAIGN_READERS: readonly Role[] = [
  'ACCOUNT_ADMIN',
  'AD_MANAGER',
  'CREATIVE_MANAGER',
  'CAMPAIGN_ANALYST',
];
/** Roles that may read statistics. @source analytics 1 */
export const STATS_READERS: readonly Role[] = ['ACCOUNT_ADMIN', 'AD_MANAGER', 'CAMPAIGN_ANALYST'];
/** Roles that may change campaigns and their entities. */
export const CAMPAIGN_WRITERS: readonly Role[] = ['ACCOUNT_ADMIN', 'AD_MANAGER'];
/** Roles for campaigns and their entities. */
export const CAMPAIGN_ROLES = { read: CAMPAIGN_READERS, write: CAMPAIGN_WRITERS };
/** Roles that may change the account itself. */
export const ACCOUNT_WRITERS: readonly Role[] = ['ACCOUNT_ADMIN'];
/** Roles that may read media, cards and posts. @source advertising 2; decision 583 */
export const CREATIVE_READERS: readonly Role[] = CAMPAIGN_READERS;
/** Roles that may read audiences. @source creatives 1.5; decision 583 */
export const AUDIENCE_READERS: readonly Role[] = ROLES.filter((role) => role !== 'ANALYST');
/** Roles that may change media, cards and posts. */
export const CREATIVE_WRITERS: readonly Role[] = ['ACCOUNT_ADMIN', 'AD_MANAGER', 'CREATIVE_MANAGER'];
/** Roles for media, cards and posts. */
export const CREATIVE_ROLES = { read: CREATIVE_READERS, write: CREATIVE_WRITERS };
/** Roles that may change audiences and their sharing. @source creatives 1.5 */
export const AUDIENCE_WRITERS: readonly Role[] = ['ACCOUNT_ADMIN', 'AD_MANAGER', 'PARTNER_AUDIENCE_MANAGER'];
/** Roles to which the extra permission POST_COMPOSER applies. */
export const COMPOSER_ROLES: readonly Role[] = ['ACCOUNT_ADMIN', 'AD_MANAGER', 'CREATIVE_MANAGER'];
