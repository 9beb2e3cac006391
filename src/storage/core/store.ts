import { StoreUnavailable } from '../../contract/problems/store-unavailable.ts';
import type { ReadTransaction, Store, WriteTransaction } from '../../contract/store/store.ts';
import { accountHistoryOn } from '../tables/account-history.ts';
import { applicationLimitsOn } from '../tables/application-limits.ts';
import { audienceLogOn } from '../tables/audience-log.ts';
import { auditOn } from '../tables/audit.ts';
import { campaignSummariesOn } from '../tables/campaign-summaries.ts';
import { corpusOn } from '../tables/corpus.ts';
import { credentialsOn } from '../tables/credentials.ts';
import { customAudiencesOn } from '../tables/custom-audiences.ts';
import { directoryOn } from '../tables/directory.ts';
import { eventsOn } from '../tables/events.ts';
import { bearerTokensOn, requestTokensOn } from '../tables/grants.ts';
import { jobsOn } from '../tables/jobs.ts';
import { loginTalliesOn, passwordLinksOn, sessionsOn } from '../tables/logins.ts';
import { accountMembersOn } from '../tables/memberships.ts';
import { messagesOn } from '../tables/messages.ts';
import { nodesOn } from '../tables/nodes.ts';
import { notificationsOn, postsOn } from '../tables/posts.ts';
import { recordsOn } from '../tables/records.ts';
import { restoresOn } from '../tables/restores.ts';
import { secondFactorsOn } from '../tables/second-factors.ts';
import { streamConnectionsOn } from '../tables/stream-connections.ts';
import { subscriptionsOn } from '../tables/subscriptions.ts';
import { suggestionsOn } from '../tables/suggestions.ts';
import { uploadsOn } from '../tables/uploads.ts';
import { usedNoncesOn } from '../tables/used-nonces.ts';
import { replaysOn, webhookDeliveriesOn, webhooksOn } from '../tables/webhooks.ts';
import type { Driver } from './driver.ts';
import { rowCache } from './row-cache.ts';
import { findNumberOn, takeNumbersOn } from './sequences.ts';
import type { Session } from './session.ts';

/** The storage port on a driver: one implementation for both databases. */
export function storeOn(driver: Driver): Store {
  const cache = rowCache();
  const listeners: ((tags: ReadonlySet<string> | 'everything') => void)[] = [];
  const readTransactions = new WeakMap<Session, ReadTransaction>();
  const readingOn = (session: Session): ReadTransaction => {
    let reading = readTransactions.get(session);
    if (!reading) {
      reading = partsOn(session, () => {});
      readTransactions.set(session, reading);
    }
    return reading;
  };
  const forget = (): void => {
    cache.invalidate('everything');
    for (const listener of listeners) listener('everything');
  };
  /** A unit of work whose outcome is unknown counts as committed. @source decision 418 */
  const forgetInDoubt = (error: unknown): never => {
    if (error instanceof StoreUnavailable && error.isOutcomeUnknown) forget();
    throw error;
  };
  driver.onRepaired?.(forget);
  // Units of work with an unknown outcome may have changed anything.
  driver.onOutage({ ended: forget });
  return {
    read(work) {
      const position = cache.version();
      return driver.read((session) => {
        const reading = readingOn(session);
        return work({ ...reading, records: cache.cachedReads(reading.records, position) });
      });
    },
    async write(work) {
      const tags = new Set<string>();
      const changed = new Set<string>();
      const unit = driver.write(async (session) => {
        tags.clear();
        changed.clear();
        const invalidate = (tag: string): void => void tags.add(tag);
        const parts = partsOn(session, invalidate);
        const summaries = campaignSummariesOn(session);
        const records = cache.trackedWrites(summaries.trackedWrites(parts.records), changed);
        const done = await work({ ...parts, records, invalidate });
        await summaries.flush();
        return done;
      });
      const value = await unit.catch(forgetInDoubt);
      cache.invalidate(changed);
      if (tags.size > 0) for (const listener of listeners) listener(tags);
      return value;
    },
    onInvalidate: (listener) => void listeners.push(listener),
    clearCaches: forget,
    onOutage: (listener) => driver.onOutage(listener),
    ping: () => driver.ping(),
    close: () => driver.close(),
  };
}

function partsOn(session: Session, invalidate: WriteTransaction['invalidate']): Omit<WriteTransaction, 'invalidate'> {
  return {
    records: recordsOn(session),
    accountHistory: accountHistoryOn(session),
    credentials: credentialsOn(session),
    accountMembers: accountMembersOn(session),
    requestTokens: requestTokensOn(session),
    bearerTokens: bearerTokensOn(session),
    sessions: sessionsOn(session),
    passwordLinks: passwordLinksOn(session),
    secondFactors: secondFactorsOn(session),
    loginTallies: loginTalliesOn(session),
    suggestions: suggestionsOn(session),
    jobs: jobsOn(session),
    nodes: nodesOn(session),
    posts: postsOn(session),
    notifications: notificationsOn(session),
    uploads: uploadsOn(session),
    audiences: customAudiencesOn(session),
    directory: directoryOn(session),
    corpus: corpusOn(session),
    audienceLog: audienceLogOn(session),
    events: eventsOn(session, invalidate),
    subscriptions: subscriptionsOn(session, invalidate),
    applicationLimits: applicationLimitsOn(session),
    streamConnections: streamConnectionsOn(session, invalidate),
    messages: messagesOn(session),
    webhooks: webhooksOn(session, invalidate),
    webhookDeliveries: webhookDeliveriesOn(session),
    replays: replaysOn(session),
    restores: restoresOn(session),
    usedNonces: usedNoncesOn(session),
    audit: auditOn(session),
    findNumber: findNumberOn(session),
    takeNumbers: takeNumbersOn(session),
  };
}
