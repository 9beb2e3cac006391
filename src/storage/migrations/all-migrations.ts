import { foundation } from './0001-foundation.ts';
import { authorization } from './0002-authorization.ts';
import { administration } from './0003-administration.ts';
import { lineItems } from './0004-line-items.ts';
import { targeting } from './0005-targeting.ts';
import { accountSettings } from './0006-accounts.ts';
import { servability } from './0007-servability.ts';
import { jobs } from './0008-jobs.ts';
import { uploads } from './0009-uploads.ts';
import { mediaLibrary } from './0010-media-library.ts';
import { cards } from './0011-cards.ts';
import { posts } from './0012-posts.ts';
import { audiences } from './0013-audiences.ts';
import { audienceLog } from './0014-audience-log.ts';
import { directory } from './0015-directory.ts';
import { keywords } from './0016-keywords.ts';
import { activity } from './0017-activity.ts';
import { streams } from './0018-streams.ts';
import { webhooks } from './0019-webhooks.ts';
import { serverClaim } from './0020-server-claim.ts';
import { restores } from './0022-restores.ts';
import { logins } from './0024-logins.ts';
import { secondFactors } from './0025-second-factors.ts';
import { audit } from './0026-audit.ts';
import { posterTypes } from './0027-poster-types.ts';
import { cacheChanges } from './0028-cache-changes.ts';
import { usedNonces } from './0029-used-nonces.ts';
import { nodes } from './0030-nodes.ts';
import { accountIndexes } from './0031-account-indexes.ts';
import { eventOutbox } from './0032-event-outbox.ts';
import { webhookLeases } from './0033-webhook-leases.ts';
import { objects } from './0034-objects.ts';
import { postOrder } from './0035-post-order.ts';
import { derivedFiles } from './0036-derived-files.ts';
import { nodeDetails } from './0037-node-details.ts';
import { nodeRoles } from './0038-node-roles.ts';
import { sharedStores } from './0039-shared-stores.ts';
import { schemaLevels } from './0040-schema-levels.ts';
import { noWebhookProgress } from './0041-no-webhook-progress.ts';
import { keywordIndex } from './0042-keyword-index.ts';
import { delivery } from './0043-delivery.ts';
import { simulatedDelivery } from './0044-simulated-delivery.ts';
import { serving } from './0045-serving.ts';
import { webEventTags } from './0046-web-event-tags.ts';
import { statsJobs } from './0047-stats-jobs.ts';
import { applicationUsage } from './0048-application-usage.ts';
import { clickConversions } from './0049-click-conversions.ts';
import { deliveryDaysByDay } from './0050-delivery-days-by-day.ts';
import { operatorLinks } from './0051-operator-links.ts';
import { verifiedBackup } from './0052-verified-backup.ts';
import { sentForms } from './0053-sent-forms.ts';
import { countedClicks } from './0054-counted-clicks.ts';
import { deliverySums } from './0055-delivery-sums.ts';
import { messageExpiry } from './0056-message-expiry.ts';
import { ages } from './0057-ages.ts';
import { operatorSessions } from './0058-operator-sessions.ts';
import type { Migration } from './schema-builder.ts';

/** Every migration, in order. */
export const migrations: readonly Migration[] = [
  foundation,
  authorization,
  administration,
  lineItems,
  targeting,
  accountSettings,
  servability,
  jobs,
  uploads,
  mediaLibrary,
  cards,
  posts,
  audiences,
  audienceLog,
  directory,
  keywords,
  activity,
  streams,
  webhooks,
  serverClaim,
  restores,
  logins,
  secondFactors,
  audit,
  posterTypes,
  cacheChanges,
  usedNonces,
  nodes,
  accountIndexes,
  eventOutbox,
  webhookLeases,
  objects,
  postOrder,
  derivedFiles,
  nodeDetails,
  nodeRoles,
  sharedStores,
  schemaLevels,
  noWebhookProgress,
  keywordIndex,
  delivery,
  simulatedDelivery,
  serving,
  webEventTags,
  statsJobs,
  applicationUsage,
  clickConversions,
  deliveryDaysByDay,
  operatorLinks,
  verifiedBackup,
  sentForms,
  countedClicks,
  deliverySums,
  messageExpiry,
  ages,
  operatorSessions,
];
