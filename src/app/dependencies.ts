import { join } from 'node:path';
import { html } from 'ghtml';
import type { Logger } from 'pino';
import { secureRandom } from '../base/random.ts';
import { defaultLimits } from '../contract/declare/application-limits.ts';
import type { Operation, Services } from '../contract/declare/operation.ts';
import type { AnyResource, Environment } from '../contract/declare/resource.ts';
import { withKnownKeys } from '../contract/services/known-keys.ts';
import { rowFactoryWith } from '../engine/new-row.ts';
import { operationsOf } from '../engine/operations.ts';
import { serializerOf } from '../engine/present.ts';
import { openActivity } from '../features/activity/log-follower.ts';
import { openStreams } from '../features/activity/stream/streams.ts';
import { directoryFolder, openDirectory } from '../features/audiences/directory/directory.ts';
import { openMemberships } from '../features/audiences/members/audience-members.ts';
import { openPeopleReader } from '../features/audiences/uploads/upload-parser.ts';
import { type Grants, grants } from '../features/auth/oauth1/grants.ts';
import { outstandingBearers } from '../features/auth/oauth2/outstanding-bearer.ts';
import { keywordsFolder, openKeywords } from '../features/keywords/keywords.ts';
import { idsFrom } from '../features/platform/ids.ts';
import { openLog } from '../http/log.ts';
import { failureLog, outageLog } from '../http/outage-log.ts';
import type { Network } from '../http/sending/network.ts';
import { openSender } from '../http/sending/sender.ts';
import type { Mode } from '../settings/kinds.ts';
import type { Settings } from '../settings.ts';
import { blobFiles } from '../storage/core/blob-files.ts';
import { withDiskFailureMapping } from '../storage/core/disk-failures.ts';
import { catalog } from './catalog.ts';
import { openRuntime, type Runtime, type RuntimeOverrides } from './database.ts';

/** Every declared resource of the catalog, by its plural name. */
const resources = new Map(catalog.filter((entry) => 'fields' in entry).map((entry) => [entry.plural, entry]));

/** Every operation of the catalog, in its order. */
export const operations: readonly Operation[] = catalog.flatMap((entry) =>
  'fields' in entry ? operationsOf(entry as AnyResource) : [entry as Operation],
);

/** What tests and benchmarks may replace; production uses what is left out. */
export interface DependencyOverrides extends RuntimeOverrides {
  readonly log?: Logger;
  /** What lies between the service and other people's servers. */
  readonly network?: Network;
}

/** The parts of a service that commands work with. */
export interface Dependencies extends Runtime {
  readonly services: Services;
  /** The addresses of the listeners, known one after the other as these open. */
  readonly servers: Record<Environment, string>;
  /** Decisions of users on request tokens. */
  readonly grants: Grants;
  readonly log: Logger;
}

/** Puts together what commands and listeners share, on a schema that is up to date. */
export async function openDependencies(
  mode: Mode,
  settings: Settings,
  overrides: DependencyOverrides = {},
): Promise<Dependencies> {
  const runtime = await openRuntime(mode, settings, overrides);
  const { clock, random, store } = runtime;
  const box = withKnownKeys(runtime.box);
  const log = overrides.log ?? openLog(settings.log_level);
  store.onOutage(outageLog(log));
  const ids = idsFrom(store, random);
  const directory = openDirectory({ store, folder: directoryFolder(settings.data_folder), random: secureRandom });
  const servers = { production: settings.public_base_url, sandbox: settings.public_sandbox_url };
  const activity = openActivity({
    store,
    withSubscriptionId: settings.event_include_subscription_id,
    failed: failureLog(log, 'could not read the event log'),
  });
  const applicationLimits = defaultLimits(settings);
  const services: Services = {
    store,
    clock,
    random,
    secrets: secureRandom,
    box,
    ids,
    resources,
    outstandingBearer: outstandingBearers({ store, box, secrets: secureRandom }),
    limits: settings,
    logins: settings,
    auditRetention_days: settings.audit_retention_days,
    blobs: withDiskFailureMapping(blobFiles(join(settings.data_folder, 'media'), secureRandom)),
    uploads: settings,
    media: {
      url: (environment, path) => (settings.media_base_url || `${servers[environment]}/media`) + path,
      isLenient: (environment) => settings[`media_keys_${environment}`] === 'lenient',
    },
    audiences: {
      strategy: (environment) => settings[`audience_matching_${environment}`],
      processing_delay_s: (environment) => settings[`audience_processing_delay_${environment}_s`],
      size_min: settings.audience_size_min,
    },
    directoryIndex: directory,
    keywords: openKeywords({
      store,
      clock,
      random: secureRandom,
      folder: keywordsFolder(settings.data_folder),
      retention_days: settings.keyword_retention_days,
      memory_bytes_max: settings.keyword_memory_bytes_max,
    }),
    audienceMembers: openMemberships({
      store,
      directory,
      folder: join(settings.data_folder, 'audiences', 'memberships'),
    }),
    show: (resource, rows, context) => serializerOf(resource).rows(rows, context),
    making: rowFactoryWith(ids),
    peopleUploads: openPeopleReader(),
    hurry: async () => {},
    pageUrl: (environment, path) => servers[environment] + path,
    postSource: sourceOf(settings),
    activity,
    streams: openStreams({
      ...{ store, clock, random: secureRandom, activity, rules: settings, defaultLimits: applicationLimits },
      failed: (connection, err) => failureLog(log, 'a stream failed')(err, { connection }),
    }),
    activityRules: {
      retention_s: settings.event_retention_s,
      bearerSeesPrivate: settings.allow_bearer_private_subscriptions,
    },
    applicationLimits,
    sender: openSender({
      allowsPrivate: settings.webhook_allow_private,
      privateRanges: settings.webhook_private_ranges,
      proxy: settings.webhook_egress_proxy,
      ownOrigins: () => [...Object.values(servers), settings.public_base_url, settings.public_sandbox_url],
      ...(overrides.network && { network: overrides.network }),
    }),
    webhooks: { resume() {}, replay() {} },
    webhookRules: {
      retries_s: settings.webhook_retry_schedule.map(Number),
      legacyReplayExcludesEnd: settings.legacy_replay_exclusive_end,
      legacyReplayEndsAt: settings.legacy_replay_sunset || undefined,
    },
  };
  return {
    ...runtime,
    box,
    services,
    servers,
    grants: grants({ store, box, clock, random: secureRandom, rules: settings }),
    log,
  };
}

function sourceOf({ post_source_name: name, post_source_url: url }: Settings): string {
  return url === '' ? html`${name}` : html`<a href="${url}" rel="nofollow">${name}</a>`;
}
