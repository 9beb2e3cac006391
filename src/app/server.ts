import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { Registry } from 'prom-client';
import { formatInstant } from '../base/instants.ts';
import { secureRandom } from '../base/random.ts';
import type { Page } from '../contract/declare/pages.ts';
import type { Environment } from '../contract/declare/resource.ts';
import { eventExpiryAt } from '../features/activity/event-expiry-job.ts';
import { simulator } from '../features/activity/event-simulator.ts';
import { DEPRECATED_TYPE_NAMES } from '../features/activity/event-types.ts';
import { forgetStreams } from '../features/activity/stream/streams.ts';
import {
  findDelivery,
  lastOutcome,
  resend,
  rotateSecret,
  validating,
} from '../features/activity/webhooks/administration.ts';
import { openWebhooks } from '../features/activity/webhooks/running-webhooks.ts';
import { accountAccessCache } from '../features/ads/account-access-cache.ts';
import { previewPage } from '../features/ads/previews/preview-page.ts';
import { previewUrl } from '../features/ads/previews/preview-url.ts';
import { loginExpiryAt } from '../features/auth/logins/expiry.ts';
import { knownBrowsers } from '../features/auth/logins/known-browsers.ts';
import { loginThrottle } from '../features/auth/logins/throttle.ts';
import { authenticator } from '../features/auth/oauth1/authenticate.ts';
import { knownCredentials } from '../features/auth/oauth1/known-credentials.ts';
import { leniently } from '../features/auth/oauth1/lenient.ts';
import { nonceMemory } from '../features/auth/oauth1/nonces.ts';
import { tokenUses } from '../features/auth/oauth1/token-uses.ts';
import { consumerAuthenticator, requestTokenAuthenticator } from '../features/auth/oauth1/tokenless.ts';
import { basicAuthenticator } from '../features/auth/oauth2/authenticate-basic.ts';
import { bearerAlone, bearerOrUser, userOrBasic } from '../features/auth/oauth2/authenticate-bearer.ts';
import { knownBearers } from '../features/auth/oauth2/known-bearers.ts';
import { pagesOf } from '../features/auth/pages/pages.ts';
import { refusal } from '../features/auth/pages/refusals.ts';
import { loginFirst } from '../features/auth/pages/session-pages.ts';
import { mediaFinder } from '../features/media/media-finder.ts';
import { auditExpiryAt } from '../features/platform/audit-expiry.ts';
import { sealFirstSecret } from '../features/platform/first-secret.ts';
import { type JobRunner, jobRunner } from '../features/platform/job-runner.ts';
import { hashPassword, isPassword } from '../features/platform/passwords.ts';
import { addressLimiter } from '../http/address-limiter.ts';
import { addApiDescriptions } from '../http/api-descriptions.ts';
import { auditLog } from '../http/audit-log.ts';
import { backgroundMetrics } from '../http/background-metrics.ts';
import { addBacklogMetrics } from '../http/backlog-metrics.ts';
import { type ConnectionDrain, watchConnections } from '../http/connection-drain.ts';
import { connectionLimiter } from '../http/connection-limiter.ts';
import { addConnectionMetrics } from '../http/connection-metrics.ts';
import { addEventTypeNamesPage } from '../http/event-type-names-page.ts';
import { addHomePage } from '../http/home-page.ts';
import { createListener } from '../http/listener.ts';
import { addMediaRoutes } from '../http/media-routes.ts';
import { failureLog } from '../http/outage-log.ts';
import { addBranding, openBranding } from '../http/pages/branding.ts';
import { addPages } from '../http/pages/routes.ts';
import { browserSessions } from '../http/pages/sessions.ts';
import { addProbes, probes } from '../http/probes.ts';
import { addProblemPages } from '../http/problem-pages.ts';
import { addProcessMetrics } from '../http/process-metrics.ts';
import { rateLimiter } from '../http/rate-limiter.ts';
import { transactionIds } from '../http/reply.ts';
import { requestBuffers } from '../http/request-buffers.ts';
import { requestObserver } from '../http/request-observer.ts';
import { addressReader, originsReader, proxyMatcher, secureHeadersReader } from '../http/request-origin.ts';
import { addSimulator } from '../http/simulator.ts';
import { streamWriter } from '../http/stream/writer.ts';
import { openTls, type Tls } from '../http/tls.ts';
import { isLoopbackHost } from '../settings/addresses.ts';
import type { Mode } from '../settings/kinds.ts';
import { flagOf } from '../settings/load.ts';
import { passwordRulesOf } from '../settings/logins.ts';
import type { SettingName } from '../settings.ts';
import { diskCheck } from '../storage/core/disk-check.ts';
import { watchExternalChanges } from '../storage/core/external-changes.ts';
import { checkSchema } from '../storage/core/migrate.ts';
import { openNonceLog } from '../storage/core/nonce-log.ts';
import { programVersion } from '../version.ts';
import { jobKinds } from './catalog.ts';
import { type Dependencies, operations } from './dependencies.ts';

/** A running service. */
export interface Service extends Dependencies {
  readonly url: string;
  readonly sandboxUrl: string;
  /** Where probes and metrics answer. */
  readonly operationsUrl: string;
  /** Every page that browsers are shown. */
  readonly pages: readonly Page[];
  /** Does what is planned for later. */
  readonly jobs: JobRunner;
  /** Resolves with the reason why the service cannot go on: another one has taken over its database. */
  readonly superseded: Promise<string>;
  /** Takes up certificate files that were renewed; undefined where the service does not speak https by itself. */
  readonly reloadCertificate: (() => void) | undefined;
  /**
   * Stops accepting, lets requests in flight finish for as long as the settings say, then closes the database.
   * Resolves with the number of connections that had to be cut.
   */
  close(): Promise<number>;
}

/** Starts the listeners: production, sandbox, and in production one for probes and metrics. */
export async function startListeners(
  mode: Mode,
  deps: Dependencies,
  /** Lets its bearer make any event happen; development only. */
  { operator_token }: { readonly operator_token?: string | undefined } = {},
): Promise<Service> {
  const { settings, clock, store, services, servers, log, box, driver } = deps;
  const failed = async (error: unknown): Promise<never> => {
    await store.close();
    throw error;
  };
  const tls = await tlsOf(deps).catch(failed);
  const branding = await openBranding(settings).catch(failed);
  const ended = new Promise<string>((resolve) => {
    store.onOutage({ superseded: ({ message }) => resolve(message) });
  });
  const release = await driver.acquireServerLock().catch(failed);
  await Promise.all([sealFirstSecret(store, box), services.blobs.sweep()]).catch(failed);
  await store
    .write(async (tx) => {
      await tx.jobs.releaseAll();
      await tx.jobs.planNoLaterThan(eventExpiryAt(formatInstant(clock.now())));
      await tx.jobs.planNoLaterThan(loginExpiryAt(formatInstant(clock.now())));
      await tx.jobs.planNoLaterThan(auditExpiryAt(formatInstant(clock.now())));
    })
    .catch(failed);
  const registry = new Registry();
  const work = backgroundMetrics(registry);
  const webhooks = openWebhooks({
    store,
    clock,
    box,
    activity: services.activity,
    sender: work.counted(services.sender),
    retries_s: services.webhookRules.retries_s,
    nextTransactionId: transactionIds(secureRandom),
    delivered: work.delivered,
    failed: failureLog(log, 'webhook delivery failed'),
  });
  const jobs = jobRunner({
    ...deps,
    services: { ...services, webhooks },
    random: secureRandom,
    kinds: jobKinds,
    ended: work.jobEnded,
    failed: (job, error) =>
      log.error({ job: job.kind, key: job.key, attempts: job.attempts, err: error }, 'a job failed'),
  });
  await services.activity.start().catch(failed);
  await store.write((tx) => forgetStreams(tx, clock)).catch(failed);
  await webhooks.start().catch(failed);
  const stopFollowing = await watchExternalChanges(store).catch(failed);
  const nonceLog = openNonceLog(join(settings.data_folder, 'nonces'), settings.timestamp_window_s, { clock });
  const nonces = nonceMemory(nonceLog, settings.timestamp_window_s);
  const credentials = knownCredentials(store, box);
  let isDraining = false;
  const isLimited = settings.rate_limits === 'on';
  const flood = isLimited
    ? addressLimiter({ max: settings.rate_requests_per_address_per_min, window_s: 60 }, clock)
    : undefined;
  const addressOfCaller = addressReader(settings.trusted_proxies);
  const arriving = requestBuffers(settings, addressOfCaller);
  const { unauthenticatedMemory, authenticatedMemory, firstRequestBuffer, unauthenticatedBodies } = arriving;
  const connections = connectionLimiter(
    isLimited ? settings : { ...settings, connections_per_address_max: Number.POSITIVE_INFINITY },
    proxyMatcher(settings.trusted_proxies),
    unauthenticatedMemory.evictOldest,
  );
  const watching = requestObserver({ log, accessLog: settings.access_log, registry, addressOf: addressOfCaller });
  const auditing = auditLog({ log, store, clock, random: secureRandom });
  addProcessMetrics(registry, programVersion);
  addConnectionMetrics(registry, { connections, memory: unauthenticatedMemory });
  addBacklogMetrics(registry, {
    ...{ clock, store, driver, nonces, webhooks, tls },
    streams: services.streams,
    dataFolder: settings.data_folder,
  });
  const notBefore_s = await store.read((tx) => tx.restores.findRequestsNotBefore()).catch(failed);
  const window_s = settings.timestamp_window_s;
  const judging = { credentials, nonces, clock, random: secureRandom, window_s, notBefore_s };
  const bearers = knownBearers(store);
  const user = authenticator({ ...judging, uses: tokenUses(store) });
  const basic = basicAuthenticator(services);
  const exchanging = requestTokenAuthenticator({ ...judging, store, box });
  const shared = {
    services: { ...services, webhooks, hurry: jobs.hurry },
    operations,
    authenticator: user,
    authenticators: {
      consumer: consumerAuthenticator({ ...judging, store, box }),
      'request-token': settings.lenient_access_token ? leniently(exchanging, services) : exchanging,
      basic,
      bearer: bearerAlone(bearers, user),
      'user-or-bearer': bearerOrUser(bearers, user),
      'owner-or-basic': userOrBasic(user, basic, settings.allow_basic_invalidate),
    },
    addressOf: addressOfCaller,
    secureHeaders: secureHeadersReader(
      { trustedProxies: settings.trusted_proxies, endsTls: tls !== undefined },
      HSTS_S[mode],
    ),
    accountAccess: accountAccessCache(store),
    addressLimiter: flood,
    unauthenticatedBodies,
    connectionLimiter: connections,
    ...{ firstRequestBuffer, authenticatedMemory },
    request_head_timeout_s: settings.request_head_timeout_s,
    reply_stall_timeout_s: settings.reply_stall_timeout_s,
    rateLimiter: rateLimiter({ ...settings, isOn: isLimited }, clock),
    observer: watching,
    auditLog: auditing,
    streamWriter: streamWriter(settings.stream_keep_alive_s * 1000),
    nextTransactionId: transactionIds(secureRandom),
    body_bytes_max: settings.body_bytes_max,
    isDraining: () => isDraining,
    includesHints: mode === 'dev',
  };
  const browsing = {
    face: branding,
    pages: pagesOf(
      {
        store,
        throttle: loginThrottle({ store, clock, limits: settings }),
        browsers: knownBrowsers({ box, clock, random: secureRandom }),
        isPassword,
        hashPassword: (password) => hashPassword(password, secureRandom),
        passwords: passwordRulesOf(settings),
        supportContact: settings.support_contact,
        reauthentication_s: settings.reauthentication_s,
        grants: deps.grants,
        denyRedirect: settings.deny_redirect,
        clock,
        box,
        secrets: secureRandom,
        applicationsMax: settings.applications_per_user_max,
        callbackSchemes: settings.callback_schemes,
        webhooks: {
          validate: validating(services, { tellsHints: mode === 'dev' }),
          rotateSecret,
          findDelivery,
          resend,
          lastOutcome,
        },
        verifier_ttl_s: settings.verifier_ttl_s,
        leadsTo: ({ environment, account_id: account, subject_id: id, user_id: user }) =>
          previewUrl(box, { type: 'DRAFT', environment, account, id, user }),
      },
      [previewPage({ store, box, clock, media: services.media, notFound: () => refusal('page'), loginFirst })],
    ),
    sessions: browserSessions({ store, clock, random: secureRandom }),
    counts: addressLimiter(
      { max: isLimited ? settings.rate_page_views_per_15min : Number.POSITIVE_INFINITY, window_s: 900 },
      clock,
    ),
    ...{ flood, strangers: unauthenticatedBodies, connections, log },
    observer: watching,
    auditLog: auditing,
    accessLog: settings.access_log,
    nextTransactionId: shared.nextTransactionId,
    addressOf: shared.addressOf,
    secureHeaders: shared.secureHeaders,
    isDraining: shared.isDraining,
  };
  const answerProbe = probes({
    checks: {
      database: () => store.ping(),
      schema: () => checkSchema(driver),
      disk: diskCheck(settings.data_folder),
      nonces: diskCheck(join(settings.data_folder, 'nonces')),
      media: diskCheck(join(settings.data_folder, 'media', 'incoming')),
    },
    isDraining: () => isDraining,
    clock,
    metrics: settings.metrics ? { text: () => registry.metrics(), contentType: registry.contentType } : undefined,
  });
  const find = mediaFinder(services);
  const simulating = simulator(services);
  const opened: { app: FastifyInstance; drain: ConnectionDrain }[] = [];
  const start = async (environment: Environment, port: number, publicUrl: string): Promise<string> => {
    const origins = originsReader({
      trustedProxies: settings.trusted_proxies,
      allowsPlainHttp: settings.allow_insecure_loopback && isLoopbackHost(settings.host),
      endsTls: tls !== undefined,
      publicOrigins:
        publicUrl === '' ? [] : [publicUrl, ...(environment === 'production' ? settings.public_aliases : [])],
      allowsOtherHosts: mode === 'dev',
    });
    const app = createListener({ ...shared, environment, originsOf: origins }, operations, tls);
    addHomePage(app, environment, branding, () => servers);
    addBranding(app, branding);
    addApiDescriptions(app, branding.name, operations, () => ({ servers, limits: settings }));
    addProblemPages(app, branding, () => servers[environment]);
    addEventTypeNamesPage(app, branding, DEPRECATED_TYPE_NAMES);
    addPages(app, { ...browsing, origins });
    addMediaRoutes(app, {
      ...shared,
      environment,
      originsOf: origins,
      find,
      onError: (err) => log.error({ err }, 'media not served'),
    });
    if (mode === 'dev' && environment === 'production') addProbes(app, answerProbe);
    if (mode === 'dev' && operator_token)
      addSimulator(app, { ...shared, originsOf: origins, operator_token, simulate: simulating });
    opened.push({ app, drain: watchConnections(app.server) });
    const url = await app.listen({ host: settings.host, port });
    servers[environment] = publicUrl || (tls ? url.replace('http:', 'https:') : url);
    return servers[environment];
  };
  let probing: Server | undefined;
  const close = async (): Promise<number> => {
    isDraining = true;
    await services.streams.stop();
    const times = { grace_ms: settings.shutdown_grace_s * 1000, timeout_ms: settings.shutdown_timeout_s * 1000 };
    const cut = await Promise.all(opened.map(({ drain }) => drain.finish(times)));
    await Promise.all(opened.map(({ app }) => app.close()));
    arriving.close();
    stopFollowing();
    await jobs.stop();
    await services.activity.stop();
    await webhooks.stop();
    await services.peopleUploads.close();
    await services.audienceMembers.close();
    await services.directoryIndex.close();
    await services.keywords.close();
    nonceLog.close();
    await store.close();
    await release();
    probing?.close();
    probing?.closeAllConnections();
    return cut.reduce((total, count) => total + count, 0);
  };
  try {
    const url = await naming('port', start('production', settings.port, settings.public_base_url));
    const sandboxUrl = await naming(
      'sandbox_port',
      start('sandbox', settings.sandbox_port, settings.public_sandbox_url),
    );
    if (mode === 'serve') {
      const { operations_host: host, operations_port: port } = settings;
      probing = await naming('operations_port', listen(answerProbe, host, port));
    }
    const operationsUrl = probing ? addressOf(probing) : url;
    return {
      ...deps,
      url,
      sandboxUrl,
      operationsUrl,
      pages: browsing.pages.list,
      jobs,
      superseded: ended,
      reloadCertificate: tls?.reload,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Browsers remember it for a host with all its ports: development must not lock up what else runs on `localhost`. */
const HSTS_S: Readonly<Record<Mode, number>> = { dev: 0, serve: 31_536_000 };

async function tlsOf({ settings, clock, log }: Dependencies): Promise<Tls | undefined> {
  const { tls_cert: cert, tls_key: key } = settings;
  if (cert === '') return undefined;
  return openTls({ cert, key, flags: { cert: flagOf('tls_cert'), key: flagOf('tls_key') } }, clock, log);
}

/** Adds to a failure the flag of the setting that could not be followed. */
async function naming<T>(setting: SettingName, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw Object.assign(error as Error, { flag: flagOf(setting) });
  }
}

async function listen(answer: RequestListener, host: string, port: number): Promise<Server> {
  const server = createServer(answer);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, resolve);
  });
  return server;
}

function addressOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
