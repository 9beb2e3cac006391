import type { Operation } from '../contract/declare/operation.ts';
import type { AnyResource } from '../contract/declare/resource.ts';
import type { JobKind } from '../contract/store/jobs.ts';
import {
  closeAllConnections,
  closeConnections,
  closeConnectionsOfEndpoint,
} from '../features/activity/connections/close-connections.ts';
import { listConnections } from '../features/activity/connections/list-connections.ts';
import { eventExpiry } from '../features/activity/event-expiry.ts';
import { sendMessage } from '../features/activity/messages/send-message.ts';
import { indicateTyping, markRead } from '../features/activity/messages/typing-and-read-receipts.ts';
import { openStream } from '../features/activity/stream/open-stream.ts';
import { createSubscription } from '../features/activity/subscriptions/create-subscription.ts';
import { listSubscriptions } from '../features/activity/subscriptions/list-subscriptions.ts';
import { removeSubscription, removeSubscriptions } from '../features/activity/subscriptions/remove-subscriptions.ts';
import { updateSubscription } from '../features/activity/subscriptions/update-subscription.ts';
import { listWebhooks } from '../features/activity/webhooks/list-webhooks.ts';
import { registerWebhook } from '../features/activity/webhooks/register-webhook.ts';
import { removeWebhook } from '../features/activity/webhooks/remove-webhook.ts';
import { replayAtOldPath, replayEvents } from '../features/activity/webhooks/replay-events.ts';
import { validateWebhook } from '../features/activity/webhooks/validate-webhook.ts';
import {
  webhookCheck,
  webhookCleaning,
  webhookReplay,
  webhookRetry,
} from '../features/activity/webhooks/webhook-jobs.ts';
import { accountApps } from '../features/ads/account-apps.ts';
import { addFeatures, getFeatures, removeFeatures } from '../features/ads/account-features.ts';
import { accountHistory } from '../features/ads/account-history.ts';
import { accountMedia } from '../features/ads/account-media.ts';
import { accounts, createSandboxAccount } from '../features/ads/accounts.ts';
import { getCampaignReach, getFundingInstrumentReach } from '../features/ads/analytics/get-reach.ts';
import { getStats } from '../features/ads/analytics/get-stats.ts';
import { listActiveEntities } from '../features/ads/analytics/list-active-entities.ts';
import { statsFileExpiry, statsJobExpiry } from '../features/ads/analytics/stats-files.ts';
import { statsJob } from '../features/ads/analytics/stats-job.ts';
import { cancelStatsJob, createStatsJob, listStatsJobs } from '../features/ads/analytics/stats-job-operations.ts';
import { audienceEstimate } from '../features/ads/audience-estimate.ts';
import { authenticatedUserAccess } from '../features/ads/authenticated-user-access.ts';
import { campaigns } from '../features/ads/campaigns.ts';
import { getAnyCard, listAllCards } from '../features/ads/cards/all-cards.ts';
import { imageConversationCards, videoConversationCards } from '../features/ads/cards/conversation-cards.ts';
import { pollCards } from '../features/ads/cards/poll-cards.ts';
import { cards } from '../features/ads/cards.ts';
import { draftPosts } from '../features/ads/draft-posts.ts';
import { fundingInstruments } from '../features/ads/funding-instruments.ts';
import { keywordInsights } from '../features/ads/keyword-insights.ts';
import { lineItemCuratedCategories } from '../features/ads/line-item-curated-categories.ts';
import { listPlacements } from '../features/ads/line-items/placements.ts';
import { lineItems } from '../features/ads/line-items.ts';
import { createLibraryMedia } from '../features/ads/media/create-library-media.ts';
import { mediaCreatives } from '../features/ads/media-creatives.ts';
import { mediaLibrary } from '../features/ads/media-library.ts';
import { createPost } from '../features/ads/posts/create-post.ts';
import { listPosts } from '../features/ads/posts/list-posts.ts';
import { promotePosts } from '../features/ads/posts/promote-posts.ts';
import { publicationJob } from '../features/ads/posts/publication-job.ts';
import { renamePost } from '../features/ads/posts/rename-post.ts';
import { prerollCallToActions } from '../features/ads/preroll-call-to-actions.ts';
import { listPreviews } from '../features/ads/previews/list-previews.ts';
import { previewDraft } from '../features/ads/previews/preview-draft.ts';
import { promotableUsers } from '../features/ads/promotable-users.ts';
import { promotedAccounts } from '../features/ads/promoted-accounts.ts';
import { promotedPosts } from '../features/ads/promoted-posts.ts';
import { referenceOperations } from '../features/ads/reference/reference-lookups.ts';
import { targetingLookups } from '../features/ads/reference/targeting-lookups.ts';
import { scheduledPosts } from '../features/ads/scheduled-posts.ts';
import { scheduledPromotedPosts } from '../features/ads/scheduled-promoted-posts.ts';
import { getTaxSettings, updateTaxSettings } from '../features/ads/settings/tax-settings.ts';
import { getUserSettings, updateUserSettings } from '../features/ads/settings/user-settings.ts';
import { targetedAudience } from '../features/ads/targeted-audience.ts';
import { targetingCriteria } from '../features/ads/targeting-criteria.ts';
import { targetingSuggestions } from '../features/ads/targeting-suggestions.ts';
import { trackingTags } from '../features/ads/tracking-tags.ts';
import { webEventTags } from '../features/ads/web-event-tags.ts';
import { customAudiences } from '../features/audiences/custom-audiences.ts';
import { doNotReachLists } from '../features/audiences/do-not-reach-lists.ts';
import { audienceProcessing, audienceRematching } from '../features/audiences/members/processing-job.ts';
import { customAudiencePermissions, tailoredAudiencePermissions } from '../features/audiences/permissions.ts';
import { tailoredAudiences } from '../features/audiences/tailored-audiences.ts';
import { uploadDoNotReachUsers, uploadUsers } from '../features/audiences/uploads/upload-members.ts';
import { loginExpiry } from '../features/auth/logins/login-expiry.ts';
import { accessToken } from '../features/auth/oauth1/access-token.ts';
import { requestToken } from '../features/auth/oauth1/request-token.ts';
import { revokeToken } from '../features/auth/oauth1/revoke-token.ts';
import { issueBearerOperation } from '../features/auth/oauth2/issue-bearer.ts';
import { revokeBearerOperation } from '../features/auth/oauth2/revoke-bearer.ts';
import { waitingConversions } from '../features/delivery/conversions/record-conversions.ts';
import { sendConversions } from '../features/delivery/conversions/send-conversions.ts';
import { beaconExpiry, conversionExpiry, ledgerExpiry } from '../features/delivery/expiry.ts';
import { decideOnAds } from '../features/delivery/serving/decide-operation.ts';
import { settlementJob } from '../features/delivery/settle.ts';
import { keywordIndexing } from '../features/keywords/indexing-job.ts';
import { mediaExpiry, mediaOrphanRemoval, mediaRemoval } from '../features/media/expiry.ts';
import { mediaConversion, mediaProcessing } from '../features/media/processing.ts';
import { uploadMedia, uploadStatus, uploadV2Operations } from '../features/media/upload-operations.ts';
import { auditExpiry, cacheChangeExpiry, historyExpiry } from '../features/platform/expiry-job.ts';
import { objectRemoval } from '../features/platform/object-removal.ts';
import { rateLimitStatus } from '../features/platform/rate-limit-status.ts';
import { authenticatedUser, showUser, updateProfile, verifyCredentials } from '../features/platform/user-operations.ts';

/** Every resource and operation of the API, in the order of the reference documents. */
export const catalog: readonly (AnyResource | Operation)[] = [
  requestToken,
  accessToken,
  revokeToken,
  issueBearerOperation,
  revokeBearerOperation,
  verifyCredentials,
  updateProfile,
  showUser,
  authenticatedUser,
  rateLimitStatus,
  uploadMedia,
  uploadStatus,
  ...uploadV2Operations,
  accounts,
  createSandboxAccount,
  accountApps,
  authenticatedUserAccess,
  accountHistory,
  getFeatures,
  addFeatures,
  removeFeatures,
  promotableUsers,
  getTaxSettings,
  updateTaxSettings,
  getUserSettings,
  updateUserSettings,
  ...referenceOperations,
  fundingInstruments,
  campaigns,
  lineItems,
  listPlacements,
  targetingCriteria,
  promotedAccounts,
  trackingTags,
  webEventTags,
  sendConversions,
  lineItemCuratedCategories,
  targetingSuggestions,
  audienceEstimate,
  keywordInsights,
  getStats,
  listActiveEntities,
  getCampaignReach,
  getFundingInstrumentReach,
  createStatsJob,
  listStatsJobs,
  cancelStatsJob,
  ...targetingLookups,
  accountMedia,
  cards,
  mediaLibrary,
  createLibraryMedia,
  pollCards,
  videoConversationCards,
  imageConversationCards,
  listAllCards,
  getAnyCard,
  draftPosts,
  previewDraft,
  scheduledPosts,
  createPost,
  listPosts,
  renamePost,
  listPreviews,
  promotedPosts,
  promotePosts,
  scheduledPromotedPosts,
  mediaCreatives,
  prerollCallToActions,
  customAudiences,
  uploadUsers,
  targetedAudience,
  customAudiencePermissions,
  tailoredAudiences,
  tailoredAudiencePermissions,
  doNotReachLists,
  uploadDoNotReachUsers,
  createSubscription,
  listSubscriptions,
  updateSubscription,
  removeSubscription,
  removeSubscriptions,
  openStream,
  listConnections,
  closeConnections,
  closeAllConnections,
  closeConnectionsOfEndpoint,
  sendMessage,
  indicateTyping,
  markRead,
  registerWebhook,
  listWebhooks,
  validateWebhook,
  removeWebhook,
  replayEvents,
  replayAtOldPath,
  decideOnAds,
];

/** The kinds of jobs that remove expired rows; the server schedules each when it starts. */
export const expiryJobKinds = [
  eventExpiry,
  loginExpiry,
  auditExpiry,
  historyExpiry,
  cacheChangeExpiry,
  conversionExpiry,
  ledgerExpiry,
  mediaOrphanRemoval,
  statsJobExpiry,
  objectRemoval,
  beaconExpiry,
] as const;

/** Every kind of background job. */
// biome-ignore lint/suspicious/noExplicitAny: each kind has its own result type
export const jobKinds: readonly JobKind<any>[] = [
  mediaProcessing,
  mediaConversion,
  mediaExpiry,
  mediaRemoval,
  publicationJob,
  statsJob,
  statsFileExpiry,
  audienceProcessing,
  audienceRematching,
  settlementJob,
  waitingConversions,
  ...expiryJobKinds,
  keywordIndexing,
  webhookCheck,
  webhookRetry,
  webhookReplay,
  webhookCleaning,
];
