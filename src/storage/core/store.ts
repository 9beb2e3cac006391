import { secureRandom } from '../../base/random.ts';
import { StoreUnavailable } from '../../contract/problems/store-unavailable.ts';
import { type Changes, EVERYTHING, kindOf, type TagKind } from '../../contract/store/cache-changes.ts';
import { type OutageListener, SchemaTooNew, type Store, type WriteTransaction } from '../../contract/store/store.ts';
import { accountHistoryOn } from '../tables/account-history.ts';
import { announcingAdChanges } from '../tables/ad-changes.ts';
import { applicationLimitsOn } from '../tables/application-limits.ts';
import { applicationUsageOn } from '../tables/application-usage.ts';
import { audienceLogOn } from '../tables/audience-log.ts';
import { auditOn } from '../tables/audit.ts';
import { announceChanges, cacheChangesOn, changesOf, type UnitChanges } from '../tables/cache-changes.ts';
import { campaignSummariesOn } from '../tables/campaign-summaries.ts';
import { conversionsOn } from '../tables/conversions.ts';
import { corpusOn } from '../tables/corpus.ts';
import { credentialsOn } from '../tables/credentials.ts';
import { customAudiencesOn } from '../tables/custom-audiences.ts';
import { deliveryLedgerOn } from '../tables/delivery-ledger.ts';
import { derivedFilesOn } from '../tables/derived-files.ts';
import { directoryOn } from '../tables/directory.ts';
import { type AppendedEvent, moveToLog, storeWithoutPositions } from '../tables/event-outbox.ts';
import { eventsOn } from '../tables/events.ts';
import { bearerTokensOn, requestTokensOn } from '../tables/grants.ts';
import { jobsOn } from '../tables/jobs.ts';
import {
  loginTalliesOn,
  operatorLinksOn,
  operatorSessionsOn,
  passwordLinksOn,
  sentFormsOn,
  sessionsOn,
} from '../tables/logins.ts';
import { accountMembersOn } from '../tables/memberships.ts';
import { messagesOn } from '../tables/messages.ts';
import { nodesOn } from '../tables/nodes.ts';
import { objectStoreIdOn } from '../tables/object-store-id.ts';
import { notificationsOn, postsOn } from '../tables/posts.ts';
import { publishersOn } from '../tables/publishers.ts';
import { recordsOn } from '../tables/records.ts';
import { restoresOn } from '../tables/restores.ts';
import { secondFactorsOn } from '../tables/second-factors.ts';
import { advertisersOn, budgetLeasesOn, deliveryBeaconsOn } from '../tables/serving.ts';
import { statsJobsOn } from '../tables/stats-jobs.ts';
import { streamConnectionsOn } from '../tables/stream-connections.ts';
import { subscriptionsOn } from '../tables/subscriptions.ts';
import { suggestionsOn } from '../tables/suggestions.ts';
import { uploadsOn } from '../tables/uploads.ts';
import { usedNoncesOn } from '../tables/used-nonces.ts';
import { verifiedBackupOn } from '../tables/verified-backup.ts';
import { webhookLeasesOn } from '../tables/webhook-leases.ts';
import { replaysOn, webhookDeliveriesOn, webhooksOn } from '../tables/webhooks.ts';
import type { Driver } from './driver.ts';
import { rowCache, rowName } from './row-cache.ts';
import { findNumberOn, takeNumbersOn } from './sequences.ts';
import type { Session } from './session.ts';
import { shareLooks } from './shared-looks.ts';

/**
 * The storage port on a driver: one implementation for both databases. The fence calls `assertServable`
 * when the schema may have moved beyond what the process can work with.
 */
export function storeOn(
  driver: Driver,
  {
    assertServable,
    announcesAds = false,
  }: {
    /** @throws SchemaTooNew */
    readonly assertServable?: (session: Session) => Promise<void>;
    /** Whether any server shows ads, and so has to be told when they change. */
    readonly announcesAds?: boolean;
  } = {},
): Store {
  const cache = rowCache();
  const listeners: { readonly kinds: readonly TagKind[]; readonly listen: (tags: Changes) => void }[] = [];
  /** Tells the changes of this process from those of others, in the database. @source decision 741 */
  const origin = secureRandom.bytes(8).toString('hex');
  const tablesOf = new WeakMap<Session, Tables>();
  /** The tables are made once for each session, which serves one unit of work at a time. */
  const tablesOn = (session: Session): Tables => {
    let tables = tablesOf.get(session);
    if (!tables) {
      const collected: Collected = { tags: new Set(), appended: [] };
      tables = { collected, parts: partsOn(session, collected) };
      tablesOf.set(session, tables);
    }
    return tables;
  };
  const forget = (): void => {
    cache.invalidate(EVERYTHING);
    for (const { listen } of listeners) listen(EVERYTHING);
  };
  const drop = ({ tags, rows }: UnitChanges): void => {
    if (tags.has(EVERYTHING)) {
      forget();
      return;
    }
    cache.invalidate(rows);
    if (tags.size === 0) return;
    const changed = new Set([...tags].map(kindOf));
    for (const { kinds, listen } of listeners) if (kinds.some((kind) => changed.has(kind))) listen(tags);
  };
  let isSchemaDoubtful = false;
  /**
   * Drops what other processes have changed. What was read before a change is never cached after it: every cache notes
   * its version when a read begins, and each drop changes the version. A read that begins after the drop has a later
   * snapshot than the look, and so sees the change. Units of this process are dropped when they are acknowledged.
   */
  const dropAnnounced = (changes: Changes): void => {
    const announced = changes === EVERYTHING ? EVERYTHING_CHANGED : changesOf(changes);
    if (announced.tags.has(EVERYTHING) || [...announced.tags].some((tag) => kindOf(tag) === 'schema')) {
      isSchemaDoubtful = true;
    }
    drop(announced);
  };
  const { lookForChanges, writeElected, writeTogether } = driver;
  const ends: OutageListener[] = [];
  /** A look, and whether this process may go on, if that is in doubt. @source decision 835 */
  const pass = async (look: NonNullable<typeof lookForChanges>): Promise<void> => {
    await look(origin, dropAnnounced);
    if (!isSchemaDoubtful || !assertServable) return;
    try {
      await driver.read(assertServable);
      isSchemaDoubtful = false;
    } catch (error) {
      if (!(error instanceof SchemaTooNew)) throw error;
      for (const { superseded } of ends) superseded?.(error);
      throw new StoreUnavailable(error);
    }
  };
  /** A unit of work whose outcome is unknown counts as committed. @source decision 418 */
  const forgetInDoubt = (error: unknown): never => {
    if (error instanceof StoreUnavailable && error.isOutcomeUnknown) forget();
    throw error;
  };
  async function writeBy<T>(run: Driver['write'], work: (tx: WriteTransaction) => Promise<T>): Promise<T> {
    let changes: UnitChanges | undefined;
    const unit = run(async (session) => {
      // A unit that begins again must not meet what its first run collects.
      const tags = new Set<string>();
      const rows = new Set<string>();
      const appended: AppendedEvent[] = [];
      const invalidate = (tag: string): void => void tags.add(tag);
      const { parts, collected } = tablesOn(session);
      Object.assign(collected, { tags, appended });
      const summaries = campaignSummariesOn(session, (id) => rows.add(rowName({ name: 'campaign' }, id)));
      const tracked = cache.trackedWrites(summaries.trackedWrites(parts.records), rows);
      const records = announcesAds ? announcingAdChanges(tracked, invalidate) : tracked;
      const done = await work({ ...parts, records, invalidate });
      await summaries.flush();
      if (appended.length > 0) await storeWithoutPositions(session, appended);
      const announced = announceChanges(session, { tags, rows }, origin);
      if (announced) await announced;
      changes = { tags, rows };
      return done;
    });
    const value = await unit.catch(forgetInDoubt);
    drop(changes!);
    return value;
  }
  driver.onRepaired?.(forget);
  // Units of work with an unknown outcome may have changed anything.
  driver.onOutage({ ended: forget });
  return {
    read(work) {
      const position = cache.version();
      return driver.read((session) => {
        const { parts } = tablesOn(session);
        return work({ ...parts, records: cache.cachedReads(parts.records, position) });
      });
    },
    write: (work) => writeBy(driver.write, work),
    writeTogether: (kind, work) => writeBy(writeTogether ? (unit) => writeTogether(kind, unit) : driver.write, work),
    writeUrgent: (work) => writeBy(driver.writeUrgent ?? driver.write, work),
    onInvalidate: (kinds, listen) => void listeners.push({ kinds, listen }),
    fence: lookForChanges && shareLooks(() => pass(lookForChanges)),
    sequencer: writeElected && { sequence: (max) => writeElected((session) => moveToLog(session, max)) },
    clearCaches: forget,
    onOutage(listener) {
      driver.onOutage(listener);
      ends.push(listener);
    },
    ping: () => driver.ping(),
    close: () => driver.close(),
  };
}

const EVERYTHING_CHANGED: UnitChanges = { tags: new Set([EVERYTHING]), rows: new Set() };

/** The changes that the running unit of work of a session collects. */
interface Collected {
  tags: Set<string>;
  appended: AppendedEvent[];
}

interface Tables {
  readonly parts: Omit<WriteTransaction, 'invalidate'>;
  readonly collected: Collected;
}

function partsOn(session: Session, collected: Collected): Tables['parts'] {
  const invalidate = (tag: string): void => void collected.tags.add(tag);
  return {
    records: recordsOn(session),
    accountHistory: accountHistoryOn(session),
    credentials: credentialsOn(session),
    accountMembers: accountMembersOn(session),
    requestTokens: requestTokensOn(session),
    bearerTokens: bearerTokensOn(session),
    sessions: sessionsOn(session),
    passwordLinks: passwordLinksOn(session),
    operatorLinks: operatorLinksOn(session),
    operatorSessions: operatorSessionsOn(session),
    sentForms: sentFormsOn(session),
    secondFactors: secondFactorsOn(session),
    loginTallies: loginTalliesOn(session),
    suggestions: suggestionsOn(session),
    jobs: jobsOn(session),
    nodes: nodesOn(session),
    objectStoreId: objectStoreIdOn(session),
    posts: postsOn(session),
    notifications: notificationsOn(session),
    uploads: uploadsOn(session),
    audiences: customAudiencesOn(session),
    conversions: conversionsOn(session),
    deliveryLedger: deliveryLedgerOn(session),
    statsJobs: statsJobsOn(session),
    advertisers: advertisersOn(session),
    deliveryBeacons: deliveryBeaconsOn(session),
    budgetLeases: budgetLeasesOn(session),
    publishers: publishersOn(session),
    derivedFiles: derivedFilesOn(session),
    directory: directoryOn(session),
    corpus: corpusOn(session),
    audienceLog: audienceLogOn(session),
    events: eventsOn(session, invalidate, (event) => void collected.appended.push(event)),
    subscriptions: subscriptionsOn(session, invalidate),
    applicationLimits: applicationLimitsOn(session),
    applicationUsage: applicationUsageOn(session),
    streamConnections: streamConnectionsOn(session, invalidate),
    messages: messagesOn(session),
    webhooks: webhooksOn(session, invalidate),
    webhookDeliveries: webhookDeliveriesOn(session),
    webhookLeases: webhookLeasesOn(session),
    replays: replaysOn(session),
    restores: restoresOn(session),
    verifiedBackup: verifiedBackupOn(session),
    usedNonces: usedNoncesOn(session),
    audit: auditOn(session),
    cacheChanges: cacheChangesOn(session),
    findNumber: findNumberOn(session),
    takeNumbers: takeNumbersOn(session),
  };
}
