import type { RequestListener } from 'node:http';
import { secureRandom } from '../base/random.ts';
import { refusalText } from '../console/parts/form-problems.ts';
import type { Environment } from '../contract/declare/account-state.ts';
import type { Operation } from '../contract/declare/operation.ts';
import type { Pages } from '../contract/declare/pages.ts';
import { simulator } from '../features/activity/event-simulator.ts';
import { statsFileFinder } from '../features/ads/analytics/stats-files.ts';
import { audienceEstimate } from '../features/ads/audience-estimate.ts';
import { keywordInsights } from '../features/ads/keyword-insights.ts';
import { targetingSuggestions } from '../features/ads/targeting-suggestions.ts';
import { sentForms } from '../features/auth/sent-forms.ts';
import { tagEvents } from '../features/delivery/conversions/tag-events.ts';
import { mediaFinder } from '../features/media/media-finder.ts';
import { addressLimiter } from '../http/address-limiter.ts';
import { addBeaconRoutes } from '../http/beacon-routes.ts';
import type { DrainTimes } from '../http/connection-drain.ts';
import type { DeveloperToolsOf } from '../http/developer-tools.ts';
import { addDocumentation } from '../http/documentation.ts';
import { addDownloadRoutes } from '../http/download-routes.ts';
import type { PipelineDependencies } from '../http/exchange.ts';
import { Listener } from '../http/listener.ts';
import { addTagRoutes } from '../http/measurement/tag-routes.ts';
import { addMediaRoutes } from '../http/media-routes.ts';
import { type Branding, serveBranding } from '../http/pages/branding.ts';
import { browserSessions } from '../http/pages/browser-sessions.ts';
import { serveIslands } from '../http/pages/islands.ts';
import { type PageDeps, pageAnswerer, registerStyles } from '../http/pages/page-handler.ts';
import { consoleApi } from '../http/pages/script-calls.ts';
import { addProbes } from '../http/probes.ts';
import { addHomePage, addProblemPages } from '../http/public-pages.ts';
import { originsReader } from '../http/request-origin.ts';
import { Routes } from '../http/routes.ts';
import { addSimulator } from '../http/simulator.ts';
import type { Tls } from '../http/tls.ts';
import { isLoopbackHost } from '../settings/addresses.ts';
import type { Mode } from '../settings/kinds.ts';
import { rateSettings } from '../settings/rates.ts';
import type { Role } from '../settings/roles.ts';
import { type Dependencies, operations } from './dependencies.ts';
import { keysOf, pick } from './pick.ts';

/** The listeners of both environments. */
interface Listeners {
  /** Opens a listener; resolves with its public base URL. */
  open(environment: Environment, at: { readonly port: number; readonly publicUrl: string }): Promise<string>;
  /** Drains and closes the open listeners; resolves with the number of connections cut. */
  close(times: DrainTimes): Promise<number>;
}

/** The configuration of listeners beside the dependencies of the process. */
export interface ListenerOptions {
  readonly mode: Mode;
  readonly roles: ReadonlySet<Role>;
  readonly pipeline: Omit<PipelineDependencies, 'environment' | 'originsOf' | 'tools'>;
  /** Undefined in production. */
  readonly toolsOf: DeveloperToolsOf | undefined;
  readonly pages: Pages;
  readonly branding: Branding;
  readonly tls: Tls | undefined;
  readonly answerProbe: RequestListener;
  /** Authorizes the event simulator; undefined if there is none. */
  readonly operator_token: string | undefined;
}

/** Creates the listeners; opens none yet. @source decision 1 */
export function createListeners(deps: Dependencies, options: ListenerOptions): Listeners {
  const { settings, services, servers, log, vocabulary, wallClock } = deps;
  const { mode, roles, pipeline, branding, tls, operator_token } = options;
  const opened: Listener[] = [];
  const find = mediaFinder(services);
  const findDownload = statsFileFinder(services);
  const simulate = simulator(services);
  const record = tagEvents(services);
  const eventLimiter = addressLimiter({ max: eventsMax(settings), window_s: 900 }, wallClock);
  const limits = pick(settings, keysOf(rateSettings));
  const pages = pagePartsOf(deps, options);

  function listenerOf(environment: Environment, publicUrl: string): Listener {
    const aliases = environment === 'production' ? settings.public_aliases : [];
    const foreign = (vocabulary?.hosts[environment] ?? []).map((host) => `https://${host}`);
    const originsOf = originsReader({
      trustedProxies: settings.trusted_proxies,
      allowsPlainHttp: settings.allow_insecure_loopback && isLoopbackHost(settings.host),
      endsTls: tls !== undefined,
      publicOrigins: publicUrl === '' ? [] : [publicUrl, ...aliases, ...foreign],
      allowsOtherHosts: mode === 'dev',
    });
    const { isDraining } = pipeline;
    const tools = options.toolsOf?.({ environment, originsOf, isDraining, resetRates: () => resetRates(pipeline) });
    const own = { ...pipeline, environment, originsOf, tools };
    // The pages of either listener manage the accounts of both environments.
    const ofPages = { tools: undefined, vocabulary: undefined, textOfError: refusalText };
    const callsIn = (each: Environment) => ({ ...own, environment: each, ...ofPages });
    const pageDeps = { ...pages, originsOf, calls: { production: callsIn('production'), sandbox: callsIn('sandbox') } };
    const [answerPage, answerCall] = [pageAnswerer(pageDeps), consoleApi(pageDeps)];
    const servesOthers = roles.has('api');
    const serves = (operation: Operation): boolean => roles.has(roleOf(operation));
    const onError = (message: string) => (err: unknown) => log.error({ err }, message);
    const routes = new Routes(pipeline.secureHeaders);
    const listener = new Listener(own, operations, {
      ...{ tls, routes, serves, servesOthers, onError: onError('could not answer') },
      answerPage: (request, response) =>
        servesOthers && (answerPage(request, response) || answerCall(request, response)),
    });
    if (!servesOthers) return listener;
    addHomePage(routes, environment, branding, () => servers, tools !== undefined);
    serveBranding(routes, branding);
    addDocumentation(routes, branding.name, () => ({ servers, limits }), tools?.keys);
    addProblemPages(routes, branding, () => servers[environment]);
    registerStyles(routes);
    serveIslands(routes);
    addDownloadRoutes(routes, { ...own, find: findDownload, onError: onError('could not serve a file') });
    addMediaRoutes(routes, { ...own, find, onError: onError('could not serve media') });
    addTagRoutes(routes, { ...own, record, eventLimiter, onError: onError('could not record an event') });
    if (services.delivery.mode(environment) === 'served')
      addBeaconRoutes(routes, { ...own, serving: services.serving });
    if (mode === 'dev' && environment === 'production') addProbes(routes, options.answerProbe);
    if (mode === 'dev' && operator_token) addSimulator(routes, { ...own, operator_token, simulate });
    return listener;
  }

  return {
    async open(environment, { port, publicUrl }) {
      const listener = listenerOf(environment, publicUrl);
      opened.push(listener);
      const url = await listener.listen({ host: settings.host, port });
      servers[environment] = publicUrl || url;
      return servers[environment];
    },
    async close(times) {
      const cut = await Promise.all(opened.map((listener) => listener.close(times)));
      return cut.reduce((total, count) => total + count, 0);
    },
  };
}

/** Website events that an address may send in 15 minutes. */
function eventsMax({ rate_limits, rate_tag_events_per_15min }: Dependencies['settings']): number {
  return rate_limits === 'on' ? rate_tag_events_per_15min : Number.POSITIVE_INFINITY;
}

function resetRates({ rateLimiter, addressLimiter: addresses }: ListenerOptions['pipeline']): boolean {
  addresses?.reset();
  rateLimiter.reset?.();
  return rateLimiter.reset !== undefined;
}

function pagePartsOf(
  { settings, store, wallClock, box, log }: Dependencies,
  { pipeline, branding, pages }: ListenerOptions,
): Omit<PageDeps, 'originsOf' | 'calls'> {
  const max = settings.rate_limits === 'on' ? settings.rate_page_views_per_15min : Number.POSITIVE_INFINITY;
  return {
    ...{ ...pipeline, pages, log },
    branding,
    sessions: browserSessions({ store, clock: wallClock, random: secureRandom }),
    sentForms: sentForms({ store, clock: wallClock, random: secureRandom, box }),
    pageViewLimiter: addressLimiter({ max, window_s: 900 }, wallClock),
    accessLog: settings.access_log,
  };
}

/** The operations that read the directory image or the keyword index, which take memory and processor time. */
const SEARCHES: ReadonlySet<string> = new Set(
  [audienceEstimate, keywordInsights, targetingSuggestions].map(({ id }) => id),
);

/** The role of the servers that answer an operation. @source decision 805 */
function roleOf({ id, shape }: Pick<Operation, 'id' | 'shape'>): Role {
  if (shape === 'stream') return 'stream';
  return SEARCHES.has(id) ? 'search' : 'api';
}
