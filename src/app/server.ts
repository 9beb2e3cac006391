import { executionAsyncResource } from 'node:async_hooks';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { instantMs } from '../base/instants.ts';
import { secureRandom } from '../base/random.ts';
import type { Page, PageLink } from '../contract/declare/pages.ts';
import { accountAccessCache } from '../features/ads/account-access-cache.ts';
import type { Nonces } from '../features/auth/oauth1/nonces.ts';
import { restoreMessage } from '../features/platform/restore-message.ts';
import { addBacklogMetrics } from '../http/backlog-metrics.ts';
import type { DeveloperToolsOf } from '../http/developer-tools.ts';
import { addConnectionMetrics, addNodeMetrics, addObjectStoreMetrics, addProcessMetrics } from '../http/metrics.ts';
import { loadBranding } from '../http/pages/branding.ts';
import { islands } from '../http/pages/islands.ts';
import { type Check, probes } from '../http/probes.ts';
import { transactionIds } from '../http/reply.ts';
import { replyGroups } from '../http/reply-groups.ts';
import { secureHeadersReader } from '../http/request-origin.ts';
import { streamWriter } from '../http/stream/writer.ts';
import { openTls, type Tls } from '../http/tls.ts';
import type { Mode } from '../settings/kinds.ts';
import { flagOf } from '../settings/load.ts';
import { type Role, rolesOf } from '../settings/roles.ts';
import type { SettingName } from '../settings.ts';
import { diskCheck } from '../storage/core/disk-check.ts';
import { checkSchema } from '../storage/core/migrate.ts';
import { oldestTransaction_s } from '../storage/core/postgres-status.ts';
import { programVersion } from '../version.ts';
import { authenticators } from './authentication.ts';
import { type Background, startBackground } from './background.ts';
import { browserPages } from './browser-pages.ts';
import { sharesDatabase } from './database.ts';
import { type Dependencies, operations, receivedFolder } from './dependencies.ts';
import { createListeners, type ListenerOptions } from './listeners.ts';
import { openNonces } from './nonces.ts';
import { watchObjectStore } from './objects.ts';
import { operatorConsole } from './operator-console.ts';
import { startProbeServer } from './probe-server.ts';
import { createRequestIntake, type RequestIntake } from './request-intake.ts';
import { openSharedServer } from './shared-server.ts';

/** A running service. */
export interface Service extends Dependencies, Background {
  readonly url: string;
  readonly sandboxUrl: string;
  /** The base URL of probes and metrics. */
  readonly operationsUrl: string;
  /** All HTML pages for people. */
  readonly pages: readonly Page[];
  /**
   * Resolves with the reason why the service must stop: another one has taken over its database, or its object store is
   * not that of the database.
   * @source decision 415, 849
   */
  readonly superseded: Promise<string>;
  /**
   * Reloads renewed certificate files; undefined where the service does not terminate TLS itself.
   * @source decision 112
   */
  readonly reloadCertificate: (() => void) | undefined;
  /**
   * Stops accepting, lets requests in flight finish for as long as the settings allow, then closes the database.
   * Resolves with the number of connections that had to be cut.
   * @source decision 436
   */
  close(): Promise<number>;
}

/** Options of development mode. */
export interface DevelopmentOptions {
  /** Authorizes the event simulator. */
  readonly operator_token?: string | undefined;
  /** Creates the tools of each listener. */
  readonly toolsOf?: DeveloperToolsOf;
  /** Links to the pages of tools. */
  readonly toolLinks?: () => readonly PageLink[];
}

/**
 * Starts the listeners: production, sandbox, and in `serve` one for probes and metrics. Takes ownership of the
 * dependencies: a failed start closes them and everything else it opened.
 * @source decision 1, 6
 */
export async function startListeners(
  mode: Mode,
  deps: Dependencies,
  options: DevelopmentOptions = {},
): Promise<Service> {
  keepTickObject();
  const cleanup = new AsyncDisposableStack();
  try {
    return await start(mode, deps, options, cleanup);
  } catch (error) {
    await cleanup.disposeAsync().catch((err) => deps.log.error({ err }, 'could not clean up after a failed start'));
    throw error;
  }
}

/** Functions deferred to `cleanup` run in reverse order, at shutdown and when the start fails. */
async function start(
  mode: Mode,
  deps: Dependencies,
  { operator_token, toolsOf, toolLinks }: DevelopmentOptions,
  cleanup: AsyncDisposableStack,
): Promise<Service> {
  const { settings, store, services, driver, vocabulary } = deps;
  let probeServer: Awaited<ReturnType<typeof startProbeServer>> | undefined;
  // Probes answer until the very end.
  cleanup.defer(() => probeServer?.close());
  let releaseLock = async (): Promise<void> => {};
  cleanup.defer(() => releaseLock());
  closeWithService(deps, cleanup);
  const tls = await tlsOf(deps);
  const branding = { ...(await loadBranding(settings)), ...(toolLinks && { toolLinks }) };
  if (Object.keys(islands).length === 0) {
    deps.log.warn('the scripts of pages are not built, so pages do without them; run: npm run build');
  }
  const superseded = Promise.withResolvers<string>();
  store.onOutage({ superseded: ({ message }) => superseded.resolve(message) });
  releaseLock = await driver.acquireServerLock({ isShared: sharesDatabase(settings) });
  await naming('object_store', watchObjectStore(deps, superseded.resolve, cleanup));
  const sharedServer = await openSharedServer(deps);
  cleanup.defer(() => sharedServer?.close());
  const nonces = await openNonces(deps, sharedServer, cleanup);
  const roles = rolesOf(settings);
  const { standstill } = await startBackground(deps, { roles, sharedServer }, cleanup);
  let isDraining = false;
  const notBefore_s = await store.read((tx) => tx.restores.findRequestsNotBefore());
  if (notBefore_s * 1000 > deps.wallClock.now()) deps.log.warn(restoreMessage(notBefore_s));
  const intake = createRequestIntake(deps, sharedServer);
  cleanup.defer(() => intake.close());
  cleanup.defer(() => intake.usage.close());
  const secureHeaders = secureHeadersReader(
    { trustedProxies: settings.trusted_proxies, endsTls: tls !== undefined },
    HSTS_S[mode],
  );
  const pipeline: ListenerOptions['pipeline'] = {
    ...intake,
    ...authenticators(deps, nonces, notBefore_s),
    ...{ services, operations, vocabulary, secureHeaders },
    fence: store.fence,
    accountAccess: accountAccessCache(store),
    request_head_timeout_s: settings.request_head_timeout_s,
    reply_stall_timeout_s: settings.reply_stall_timeout_s,
    replyGroups: replyGroups(),
    streamWriter: streamWriter(settings.stream_keep_alive_s * 1000),
    nextTransactionId: transactionIds(secureRandom),
    body_bytes_max: settings.body_bytes_max,
    isDraining: () => isDraining,
    includesHints: mode === 'dev',
  };
  addMetrics(deps, intake, { nonces, tls });
  const pages = browserPages(mode, deps, intake);
  const answerProbe = probesOf(deps, roles, sharedServer, () => isDraining);
  const listeners = createListeners(deps, {
    ...{ mode, roles, pipeline, pages, branding, tls, answerProbe, operator_token, toolsOf },
  });
  let cutCount = 0;
  cleanup.defer(async () => {
    isDraining = true;
    cutCount = await listeners.close({
      grace_ms: settings.shutdown_grace_s * 1000,
      timeout_ms: settings.shutdown_timeout_s * 1000,
      endLasting: () => services.activity.streams.stop(),
    });
  });
  if (hasListeners(roles)) {
    const { port, public_base_url, sandbox_port, public_sandbox_url } = settings;
    await naming('port', listeners.open('production', { port, publicUrl: public_base_url }));
    await naming('sandbox_port', listeners.open('sandbox', { port: sandbox_port, publicUrl: public_sandbox_url }));
  }
  const { production: url, sandbox: sandboxUrl } = deps.servers;
  driver.noteServer?.(`${process.pid}${url && `, at ${url}`}`);
  // In development, the production listener serves them too.
  if (mode === 'serve' || !hasListeners(roles) || settings.operator_console) {
    const at = { host: settings.operations_host, port: settings.operations_port };
    const answer = settings.operator_console ? operatorConsole(deps, branding, answerProbe) : answerProbe;
    probeServer = await naming('operations_port', startProbeServer(answer, at));
  }
  return {
    ...deps,
    ...{ url, sandboxUrl, superseded: superseded.promise },
    standstill: (work) => intake.usage.standstill(() => standstill(work)),
    operationsUrl: probeServer?.url ?? url,
    pages: pages.list,
    reloadCertificate: tls?.reload,
    async close() {
      await cleanup.disposeAsync();
      return cutCount;
    },
  };
}

/** Builds the probes of a server, with the checks of its roles. */
function probesOf(
  deps: Dependencies,
  roles: ReadonlySet<Role>,
  sharedServer: Awaited<ReturnType<typeof openSharedServer>>,
  isDraining: () => boolean,
): RequestListener {
  const { settings, store, driver, services, node, objects, registry, wallClock } = deps;
  const servesAds = [settings.delivery_production, settings.delivery_sandbox].includes('served');
  return probes({
    checks: {
      database: () => store.ping(),
      schema: () => checkSchema(driver),
      disk: diskCheck(settings.data_folder),
      ...(hasListeners(roles) && { nonces: diskCheck(join(settings.data_folder, 'nonces')) }),
      ...(roles.has('api') && { media: diskCheck(receivedFolder(settings)) }),
      ...(roles.has('api') && servesAds && { ads: () => services.serving.ready() }),
      ...(node.heartbeats && { clock: clockCheck(node) }),
    },
    optionalChecks: {
      ...(sharedServer && { redis: sharedServer.check }),
      ...(objects.check && { objects: objects.check }),
    },
    isDraining,
    clock: wallClock,
    metrics: settings.metrics ? { text: () => registry.metrics(), contentType: registry.contentType } : undefined,
  });
}

/** Whether servers of these roles receive API requests; workers do not. */
function hasListeners(roles: ReadonlySet<Role>): boolean {
  return roles.has('api') || roles.has('stream') || roles.has('search');
}

/**
 * A server with a wrong clock refuses requests that others accept, but a single server is better than none.
 * @source decision 824
 */
function clockCheck({ isClockWrong, liveNodes }: Dependencies['node']): Check {
  return async () => {
    if (isClockWrong() && liveNodes() > 1) throw new Error('the clock of this machine is wrong');
  };
}

/** Closes at shutdown the resources that were opened before the listeners, the database last. */
function closeWithService({ store, services, objects }: Dependencies, cleanup: AsyncDisposableStack): void {
  const { audiences, keywords } = services;
  cleanup.defer(() => store.close());
  cleanup.defer(() => objects.close());
  cleanup.defer(() => keywords.close());
  cleanup.defer(() => audiences.directory.close());
  cleanup.defer(() => audiences.members.close());
  cleanup.defer(() => audiences.uploads.close());
}

/** Adds the metrics of the process, its connections and its backlog. */
function addMetrics(
  { registry, clock, store, driver, node, webhooks, services, settings, objects }: Dependencies,
  {
    connectionLimiter,
    unauthenticatedMemory: memory,
  }: Pick<RequestIntake, 'connectionLimiter' | 'unauthenticatedMemory'>,
  of: { readonly nonces: Nonces; readonly tls: Tls | undefined },
): void {
  addProcessMetrics(registry, programVersion);
  if (objects.isUp) addObjectStoreMetrics(registry, objects.isUp);
  addConnectionMetrics(registry, { connectionLimiter, memory });
  addBacklogMetrics(registry, {
    ...{ clock, store, driver, webhooks, ...of },
    streams: services.activity.streams,
    dataFolder: settings.data_folder,
  });
  if (!node.heartbeats) return;
  // After the metric of waiting units of work, which must not count the unit below.
  const eventsWait_s = async (): Promise<number> => {
    const oldest = await store.read((tx) => tx.events.findOldestWaiting());
    return oldest === undefined ? 0 : Math.max(0, (clock.now() - instantMs(oldest)) / 1000);
  };
  addNodeMetrics(registry, {
    heartbeats: node.heartbeats,
    liveNodes: node.liveNodes,
    eventsWait_s,
    oldestTransaction_s: () => oldestTransaction_s(driver),
  });
}

/**
 * Browsers apply HSTS to all ports of a host: development must not lock out other services on `localhost`.
 * @source decision 107
 */
const HSTS_S: Readonly<Record<Mode, number>> = { dev: 0, serve: 31_536_000 };

async function tlsOf({ settings, wallClock, log }: Dependencies): Promise<Tls | undefined> {
  const { tls_cert: cert, tls_key: key } = settings;
  if (cert === '') return undefined;
  return openTls({ cert, key, flags: { cert: flagOf('tls_cert'), key: flagOf('tls_key') } }, wallClock, log);
}

/** Adds the flag of a setting to errors of the work that it configures. */
async function naming<T>(setting: SettingName, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw Object.assign(error as Error, { flag: flagOf(setting) });
  }
}

const kept: object[] = [];

/**
 * Keeps `process.nextTick` fast, which every request of `node:http` calls several times. Node.js builds an object for
 * each call. If a full garbage collection finds none of them alive, V8 drops their hidden class, regards the next one
 * as a new class and never optimizes the code that builds them again: a call then takes 290 ns instead of 30. One
 * object that stays alive prevents that. Call it early: lost optimizations do not come back.
 * @source decision 731
 */
function keepTickObject(): void {
  if (kept.length === 0) process.nextTick(() => kept.push(executionAsyncResource()));
}
