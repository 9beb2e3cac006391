import { hostname } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Logger } from 'pino';
import { type Clock, systemClock } from '../base/clock.ts';
import { html } from '../base/html.ts';
import { processIdentity } from '../base/process-identity.ts';
import { secureRandom } from '../base/random.ts';
import type { Environment } from '../contract/declare/account-state.ts';
import { defaultLimits } from '../contract/declare/application-limits.ts';
import type {
  ActivityServices,
  AudienceServices,
  JobServices,
  MediaServices,
  Operation,
  Services,
} from '../contract/declare/operation.ts';
import { withKnownKeys } from '../contract/services/known-keys.ts';
import type { ObjectStore } from '../contract/services/objects.ts';
import type { Sender } from '../contract/services/sending.ts';
import type { JobKind } from '../contract/store/jobs.ts';
import { shortNodeId } from '../contract/store/nodes.ts';
import { rowFactoryWith } from '../engine/new-row.ts';
import { operationsOf } from '../engine/operations.ts';
import { openEventFeed } from '../features/activity/event-feed.ts';
import { ProcessStreams } from '../features/activity/stream/streams.ts';
import { Deliverer, WEBHOOK_LEASE_S } from '../features/activity/webhooks/deliverer.ts';
import { getStats } from '../features/ads/analytics/get-stats.ts';
import { AudienceMemberIndex } from '../features/audiences/members/audience-members.ts';
import { openUploadParser } from '../features/audiences/uploads/upload-parser.ts';
import { type Grants, grants } from '../features/auth/oauth1/grants.ts';
import { bearerTokens } from '../features/auth/oauth2/bearer-tokens.ts';
import { Serving } from '../features/delivery/serving/serving.ts';
import { skewMax_ms } from '../features/platform/clock-skew.ts';
import { type BlockIds, blockIds } from '../features/platform/ids.ts';
import { JobRunner } from '../features/platform/job-runner.ts';
import { type Node, RunningNode } from '../features/platform/node.ts';
import { hashPassword } from '../features/platform/password-hashing.ts';
import { type BackgroundMetrics, backgroundMetrics } from '../http/background-metrics.ts';
import { openLog } from '../http/log.ts';
import { Registry } from '../http/metrics.ts';
import { nodeLog } from '../http/node-log.ts';
import { failureLog, outageLog } from '../http/outage-log.ts';
import { transactionIds } from '../http/reply.ts';
import type { Network } from '../http/sending/network.ts';
import { openSender } from '../http/sending/sender.ts';
import { challengeNamesOf, withForeignHeaders } from '../http/vocabulary/event-words.ts';
import type { Vocabulary } from '../http/vocabulary/vocabulary.ts';
import { serializerOf } from '../rows/serializer.ts';
import type { Mode } from '../settings/kinds.ts';
import { bucketOf } from '../settings/objects.ts';
import { rolesOf } from '../settings/roles.ts';
import { streamSettings } from '../settings/streams.ts';
import { uploadSettings } from '../settings/uploads.ts';
import type { Settings } from '../settings.ts';
import { withDiskFailureMapping } from '../storage/core/disk-failures.ts';
import { receivedFiles } from '../storage/core/received-files.ts';
import { SCHEMA_LEVEL } from '../storage/core/schema-level.ts';
import type { ObjectStoreListener } from '../storage/objects/attempts.ts';
import { cachedReader } from '../storage/objects/cached-reader.ts';
import { directReader } from '../storage/objects/direct-reader.ts';
import type { Store } from '../storage/unit-of-work.ts';
import { programVersion } from '../version.ts';
import { catalog, jobKinds } from './catalog.ts';
import { masterKeysOf, openRuntime, type Runtime, type RuntimeOverrides, sharesDatabase } from './database.ts';
import { createDelivery } from './delivery.ts';
import { audiencesFolder, openAudienceFiles, openKeywordSearch } from './derived-files.ts';
import { type OpenObjects, openObjects } from './objects.ts';
import { keysOf, pick } from './pick.ts';
import { openVocabulary } from './vocabulary.ts';

/** Every resource of the catalog, by its plural name. */
const resources = new Map(catalog.filter((entry) => 'fields' in entry).map((entry) => [entry.plural, entry]));

/** Every operation of the catalog, in its order. */
export const operations: readonly Operation[] = catalog.flatMap((entry) =>
  'fields' in entry ? operationsOf(entry) : [entry as Operation],
);

/** Overrides for tests and benchmarks; production uses the defaults. */
export interface DependencyOverrides extends RuntimeOverrides {
  readonly log?: Logger;
  /** The network for requests to other servers. */
  readonly network?: Network;
  /** Wraps the sender of requests to other servers. */
  readonly aroundSender?: (sender: Sender) => Sender;
  /** Wraps the kinds of jobs. */
  readonly aroundJobKinds?: (kinds: readonly JobKind[]) => readonly JobKind[];
  readonly hashPassword?: HashPassword;
  /** The machine clock, which is compared with that of the database. */
  readonly machineClock?: Clock;
  /** Whether objects in a folder are synced to disk; true by default. */
  readonly syncsObjects?: boolean;
  /** Maximum number of 50 ms waits of an ad decision for the database; 20 by default. */
  readonly decisionWaits?: number;
}

/** Hashes a new password for storage. */
type HashPassword = (password: string) => Promise<string>;

/** The dependencies that commands and listeners share. */
export interface Dependencies extends Runtime {
  readonly services: Services;
  /** Generates the ids of the services. */
  readonly ids: BlockIds;
  /** The base URLs of the listeners; each is set once its listener is open. */
  readonly servers: Record<Environment, string>;
  /** Records the decisions of users on request tokens. */
  readonly grants: Grants;
  readonly hashPassword: HashPassword;
  readonly log: Logger;
  /** Runs background jobs once it is started. */
  readonly jobs: JobRunner;
  /** This process as a node of the database, once it is started. */
  readonly node: RunningNode;
  /** Delivers events to webhooks once it is started. */
  readonly webhooks: Deliverer;
  readonly registry: Registry;
  readonly objects: OpenObjects;
  /** The vocabulary of another interface; undefined without an alias file. */
  readonly vocabulary: Vocabulary | undefined;
}

/** Builds the shared dependencies; requires a current schema. Starts nothing. */
export async function openDependencies(
  mode: Mode,
  settings: Settings,
  overrides: DependencyOverrides = {},
): Promise<Dependencies> {
  const vocabulary = await openVocabulary(settings, operations);
  const runtime = await openRuntime(mode, settings, overrides);
  const { clock, wallClock, random, store } = runtime;
  const box = withKnownKeys(runtime.box);
  const nodeId = secureRandom.bytes(16).toString('hex');
  const log = overrides.log ?? openLog(settings.log_level, undefined, { host: hostname(), node: shortNodeId(nodeId) });
  store.onOutage(outageLog(log));
  const ids = blockIds(store, random, { isShared: sharesDatabase(settings) });
  const listener: ObjectStoreListener = {
    lost: (because) => log.error({ because }, 'object store unavailable; answering 503 where it is needed'),
    back: () => log.warn('object store available again'),
  };
  const objects = await openObjects(settings, listener, { isSynced: overrides.syncsObjects ?? true });
  const servers = { production: settings.public_base_url, sandbox: settings.public_sandbox_url };
  const registry = new Registry();
  const metrics = backgroundMetrics(registry);
  const loginRules = pick(settings, LOGIN_SETTINGS);
  // Only one process can open a SQLite database as a server.
  const hasPeers = runtime.driver.dialect === 'postgres';
  const machineClock = overrides.machineClock ?? systemClock;
  const node = new RunningNode({
    ...{ store, clock, id: nodeId, hostname: hostname(), version: programVersion },
    process: processIdentity(),
    machineClock,
    hasPeers,
    master_keys: masterKeysOf(settings),
    roles: [...rolesOf(settings)].join(','),
    schema_level: SCHEMA_LEVEL,
    skewMax_ms: skewMax_ms(settings.timestamp_window_s),
    observer: nodeLog(log),
  });
  const { webhooks, ...activity } = activityServices({
    ...{ ...runtime, box, settings, servers, log, metrics, overrides, node, hasPeers, vocabulary },
  });
  // Other roles leave the job to workers and do not wait for it.
  const runNow: JobServices['runNow'] = rolesOf(settings).has('worker')
    ? (kind, key) => jobs.runNow(kind, key)
    : async () => {};
  const audiences = audienceServices(settings, store, clock, objects.store);
  const keywords = openKeywordSearch({ settings, store, clock, objects: objects.store, runNow });
  const others: Omit<Services, 'serving'> = {
    ...{ store, clock, wallClock, random, box, ids, resources },
    secrets: secureRandom,
    serializeRows: (resource, rows, context) => serializerOf(resource).rows(rows, context),
    rowFactory: rowFactoryWith(ids),
    pageUrl: (environment, path) => servers[environment] + path,
    calledUrl: undefined,
    jobs: { runNow },
    audit: { retention_days: settings.audit_retention_days },
    history: { retention_days: settings.history_retention_days },
    auth: { bearerTokens: bearerTokens({ store, box, secrets: secureRandom }), loginRules },
    ads: {
      limits: pick(settings, ['active_campaigns_max', 'active_line_items_max', 'campaign_line_items_max']),
      statsWords: vocabulary ? inWords(vocabulary.of(getStats).replyOut) : (pieces) => pieces,
      postSource: sourceOf(settings),
    },
    objects: objects.store,
    media: mediaServices({ settings, servers, objects: objects.store, machineClock }),
    audiences,
    delivery: createDelivery(
      mode,
      settings,
      { store, clock, audiences, keywords, serving: () => services.serving },
      log,
    ),
    keywords,
    activity: { ...activity, webhooks },
  };
  const services: Services = {
    ...others,
    serving: new Serving({
      ...{ services: others, node: node.id, onDropped: metrics.beaconDropped },
      onError: failureLog(log, 'could not store beacons'),
      waitsMax: overrides.decisionWaits,
    }),
  };
  const jobs = new JobRunner({
    ...{ store, clock, services, node },
    random: secureRandom,
    kinds: overrides.aroundJobKinds?.(jobKinds) ?? jobKinds,
    onEnded: metrics.jobEnded,
    onFailed: (job, error) =>
      log.error({ job: job.kind, key: job.key, attempts: job.attempts, err: error }, 'a job failed'),
  });
  return {
    ...runtime,
    ...{ box, ids, services, servers, log, jobs, node, webhooks, registry, objects, vocabulary },
    grants: grants({ store, box, clock, random: secureRandom, rules: loginRules }),
    hashPassword: overrides.hashPassword ?? ((password) => hashPassword(password, secureRandom)),
  };
}

const LOGIN_SETTINGS = [
  'request_token_ttl_s',
  'verifier_ttl_s',
  'verifier_attempts_max',
  'revoke_on_verifier_reuse',
] as const;

/** How long backups may still read objects that are no longer used. @source decision 785 */
const REMOTE_REMOVAL_DELAY_S = 3600;

/** The folder for incoming files: on the disk of the object store, if that is a folder of this machine. */
export function receivedFolder({ object_store: place, data_folder }: Settings): string {
  const home = place !== '' && bucketOf(place) === undefined ? place : data_folder;
  return join(home, 'media', 'incoming');
}

function mediaServices({
  settings,
  servers,
  objects,
  machineClock,
}: Pick<Dependencies, 'settings' | 'servers'> & {
  readonly objects: ObjectStore;
  readonly machineClock: Clock;
}): MediaServices {
  const isLocal = bucketOf(settings.object_store) === undefined;
  const folder = join(settings.data_folder, 'media', 'cache');
  // Several servers of a machine may share a separate object folder, but not the data folder.
  const sharedBy = isLocal && settings.object_store !== '' ? machineClock : undefined;
  const cache = { folder, bytes_max: settings.object_cache_bytes_max, random: secureRandom };
  return {
    received: withDiskFailureMapping(
      receivedFiles(receivedFolder(settings), secureRandom, { isHashed: !isLocal, sharedBy }),
    ),
    reader: isLocal ? directReader(objects) : withDiskFailureMapping(cachedReader(objects, cache)),
    removal_delay_s: isLocal ? 0 : REMOTE_REMOVAL_DELAY_S,
    machineClock,
    uploadRules: pick(settings, keysOf(uploadSettings)),
    addresses: {
      url: (environment, path) => (settings.media_base_url || `${servers[environment]}/media`) + path,
      isLenient: (environment) => settings[`media_keys_${environment}`] === 'lenient',
    },
  };
}

function audienceServices(settings: Settings, store: Store, clock: Clock, objects: ObjectStore): AudienceServices {
  const { derived, directory } = openAudienceFiles({ settings, store, clock, objects });
  return {
    rules: {
      strategy: (environment) => settings[`audience_matching_${environment}`],
      processing_delay_s: (environment) => settings[`audience_processing_delay_${environment}_s`],
      size_min: settings.audience_size_min,
    },
    members: new AudienceMemberIndex({
      ...{ store, directory, derived },
      folder: join(audiencesFolder(settings), 'memberships'),
    }),
    directory,
    uploads: openUploadParser(),
  };
}

function activityServices(
  deps: Pick<Dependencies, 'store' | 'clock' | 'wallClock' | 'box' | 'settings' | 'servers' | 'log'> & {
    readonly metrics: BackgroundMetrics;
    readonly node: Node;
    readonly hasPeers: boolean;
    readonly overrides: DependencyOverrides;
    readonly vocabulary: Vocabulary | undefined;
  },
): ActivityServices & { readonly webhooks: Deliverer } {
  const { store, clock, wallClock, box, settings, servers, log, metrics, node, hasPeers, overrides, vocabulary } = deps;
  const feed = openEventFeed({
    store,
    withSubscriptionId: settings.event_include_subscription_id,
    translate: vocabulary?.event,
    onError: failureLog(log, 'could not read the event log'),
  });
  const { aroundSender = (each) => each } = overrides;
  const opened = openSender({
    allowsPrivate: settings.webhook_allow_private,
    privateRanges: settings.webhook_private_ranges,
    proxy: settings.webhook_egress_proxy,
    ownOrigins: () => [...Object.values(servers), settings.public_base_url, settings.public_sandbox_url],
    ...(overrides.network && { network: overrides.network }),
  });
  const ownSender = aroundSender(opened);
  const sender = vocabulary ? withForeignHeaders(ownSender, vocabulary.header) : ownSender;
  const applicationLimits = defaultLimits(settings);
  const retries_s = settings.webhook_retry_schedule.map(Number);
  return {
    ...{ feed, applicationLimits, sender },
    rules: {
      retention_s: settings.event_retention_s,
      bearerSeesPrivate: settings.allow_bearer_private_subscriptions,
    },
    streams: new ProcessStreams({
      ...{ store, clock, node: node.id, random: secureRandom, feed, defaultLimits: applicationLimits },
      rules: pick(settings, keysOf(streamSettings)),
      onError: (connection, err) => failureLog(log, 'a stream failed')(err, { connection }),
    }),
    webhooks: new Deliverer({
      ...{ store, clock, wallClock, box, retries_s, node },
      lease_s: hasPeers ? WEBHOOK_LEASE_S : undefined,
      feed,
      sender: metrics.counted(sender),
      nextTransactionId: transactionIds(secureRandom),
      onDelivered: metrics.delivered,
      onLeaseLost: metrics.webhookLost,
      onError: failureLog(log, 'webhook delivery failed'),
    }),
    webhookRules: {
      retries_s,
      legacyReplayExcludesEnd: settings.legacy_replay_exclusive_end,
      legacyReplayEndsAt: settings.legacy_replay_sunset || undefined,
      challengeNames: challengeNamesOf(vocabulary),
    },
  };
}

/** Translates a streamed text as a whole, because pieces could split names and values. */
function inWords(rewrite: (whole: string) => string): Services['ads']['statsWords'] {
  return async function* (pieces) {
    yield rewrite(await text(pieces));
  };
}

function sourceOf({ post_source_name: name, post_source_url: url }: Settings): string {
  return (url === '' ? html`${name}` : html`<a href="${url}" rel="nofollow">${name}</a>`).render();
}
