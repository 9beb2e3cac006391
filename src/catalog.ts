import { closeAllConnections, closeConnections, closeConnectionsOfEndpoint } from './activity/connections/close.ts';
import { listConnections } from './activity/connections/list.ts';
import { eventExpiry } from './activity/expiry.ts';
import { sendMessage } from './activity/messages/send.ts';
import { indicateTyping, markRead } from './activity/messages/signals.ts';
import { openStream } from './activity/stream/open.ts';
import { createSubscription } from './activity/subscriptions/create.ts';
import { listSubscriptions } from './activity/subscriptions/list.ts';
import { removeSubscription, removeSubscriptions } from './activity/subscriptions/remove.ts';
import { updateSubscription } from './activity/subscriptions/update.ts';
import { webhookCheck, webhookCleaning, webhookRetry } from './activity/webhooks/jobs.ts';
import { listWebhooks } from './activity/webhooks/list.ts';
import { registerWebhook } from './activity/webhooks/register.ts';
import { removeWebhook } from './activity/webhooks/remove.ts';
import { replayAtOldPath, replayEvents } from './activity/webhooks/replay.ts';
import { validateWebhook } from './activity/webhooks/validate.ts';
import { accountApps } from './ads/account-apps.ts';
import { accountHistory } from './ads/account-history.ts';
import { accountMedia } from './ads/account-media.ts';
import { accounts, createSandboxAccount } from './ads/accounts.ts';
import { audienceEstimate } from './ads/audience-estimate.ts';
import { authenticatedUserAccess } from './ads/authenticated-user-access.ts';
import { campaigns } from './ads/campaigns.ts';
import { getCardOfAnyFamily, listCardsOfAnyFamily } from './ads/cards/any-family.ts';
import { imageConversationCards } from './ads/cards/image-conversation-cards.ts';
import { pollCards } from './ads/cards/poll-cards.ts';
import { videoConversationCards } from './ads/cards/video-conversation-cards.ts';
import { cards } from './ads/cards.ts';
import { draftPosts } from './ads/draft-posts.ts';
import { addFeatures, getFeatures, removeFeatures } from './ads/features.ts';
import { fundingInstruments } from './ads/funding-instruments.ts';
import { keywordInsights } from './ads/keyword-insights.ts';
import { lineItemCuratedCategories } from './ads/line-item-curated-categories.ts';
import { lookUpPlacements } from './ads/line-items/look-up-placements.ts';
import { lineItems } from './ads/line-items.ts';
import { addToLibrary } from './ads/media/add-to-library.ts';
import { mediaCreatives } from './ads/media-creatives.ts';
import { mediaLibrary } from './ads/media-library.ts';
import { createPost } from './ads/posts/create.ts';
import { listPosts } from './ads/posts/list.ts';
import { promotePosts } from './ads/posts/promote.ts';
import { publication } from './ads/posts/publication.ts';
import { renamePost } from './ads/posts/rename.ts';
import { prerollCallToActions } from './ads/preroll-call-to-actions.ts';
import { listPreviews } from './ads/previews/list.ts';
import { previewDraft } from './ads/previews/preview-draft.ts';
import { promotableUsers } from './ads/promotable-users.ts';
import { promotedAccounts } from './ads/promoted-accounts.ts';
import { promotedPosts } from './ads/promoted-posts.ts';
import { referenceOperations, targetingLookups } from './ads/reference/operations.ts';
import { scheduledPosts } from './ads/scheduled-posts.ts';
import { scheduledPromotedPosts } from './ads/scheduled-promoted-posts.ts';
import { getTaxSettings, updateTaxSettings } from './ads/settings/tax-settings.ts';
import { getUserSettings, updateUserSettings } from './ads/settings/user-settings.ts';
import { targetedAudience } from './ads/targeted-audience.ts';
import { targetingCriteria } from './ads/targeting-criteria.ts';
import { targetingSuggestions } from './ads/targeting-suggestions.ts';
import { trackingTags } from './ads/tracking-tags.ts';
import { customAudiences } from './audiences/custom-audiences.ts';
import { doNotReachLists } from './audiences/do-not-reach-lists.ts';
import { audienceProcessing } from './audiences/memberships/processing.ts';
import { audienceRematching } from './audiences/memberships/rematching.ts';
import { uploadUnreached, uploadUsers } from './audiences/people/upload.ts';
import { customAudiencePermissions, tailoredAudiencePermissions } from './audiences/permissions.ts';
import { tailoredAudiences } from './audiences/tailored-audiences.ts';
import { loginExpiry } from './auth/logins/expiry.ts';
import { accessToken } from './auth/oauth1/access-token.ts';
import { requestToken } from './auth/oauth1/request-token.ts';
import { revokeToken } from './auth/oauth1/revoke-token.ts';
import { issueBearer } from './auth/oauth2/issue-bearer.ts';
import { revokeBearer } from './auth/oauth2/revoke-bearer.ts';
import type { JobKind } from './contract/jobs.ts';
import type { Operation } from './contract/operation.ts';
import type { AnyResource } from './contract/resource.ts';
import { keywordIndexing } from './keywords/indexing-job.ts';
import { mediaExpiry, mediaRemoval } from './media/expiry.ts';
import { uploadMedia, uploadStatus } from './media/first-generation.ts';
import { mediaProcessing } from './media/processing.ts';
import { secondGeneration } from './media/second-generation.ts';
import { auditExpiry } from './platform/audit-expiry.ts';
import { ownUser } from './platform/own-user.ts';
import { rateLimitStatus } from './platform/rate-limit-status.ts';
import { shownUser } from './platform/shown-user.ts';
import { updateProfile } from './platform/update-profile.ts';
import { userOfToken } from './platform/user-of-token.ts';

/** The table of contents of the interface: every resource and endpoint, in the order of the reference documents. */
export const catalog: readonly (AnyResource | Operation)[] = [
  requestToken,
  accessToken,
  revokeToken,
  issueBearer,
  revokeBearer,
  ownUser,
  updateProfile,
  shownUser,
  userOfToken,
  rateLimitStatus,
  uploadMedia,
  uploadStatus,
  ...secondGeneration,
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
  lookUpPlacements,
  targetingCriteria,
  promotedAccounts,
  trackingTags,
  lineItemCuratedCategories,
  targetingSuggestions,
  audienceEstimate,
  keywordInsights,
  ...targetingLookups,
  accountMedia,
  cards,
  mediaLibrary,
  addToLibrary,
  pollCards,
  videoConversationCards,
  imageConversationCards,
  listCardsOfAnyFamily,
  getCardOfAnyFamily,
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
  uploadUnreached,
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
];

/** Everything that is done later. */
// biome-ignore lint/suspicious/noExplicitAny: what comes of a job is its own affair
export const jobKinds: readonly JobKind<any>[] = [
  mediaProcessing,
  mediaExpiry,
  mediaRemoval,
  publication,
  audienceProcessing,
  audienceRematching,
  eventExpiry,
  loginExpiry,
  auditExpiry,
  keywordIndexing,
  webhookCheck,
  webhookRetry,
  webhookCleaning,
];
