import type { Clock } from '../../base/clock.ts';
import { formatInstant } from '../../base/instants.ts';
import { type Random, secureRandom } from '../../base/random.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import { elapsed_ms } from '../../base/timers.ts';
import type { Store } from '../../contract/store/store.ts';
import { acceptsHtml } from '../../http/accept-header.ts';
import type { ToolsListener } from '../../http/developer-tools.ts';
import type { KnownApplication } from '../signatures/known-keys.ts';
import { storedKeys } from '../signatures/stored-keys.ts';
import { type DevCall, DevError, DevReply, type DevRequest } from '../surface/call.ts';
import { membersOf, numberIn } from '../surface/members.ts';
import type { ToolPages } from '../surface/tool-pages.ts';
import { applicationFinder } from './applications.ts';
import type { Entry } from './entry.ts';
import { waitFor, writeFeed } from './feed.ts';
import { differences, readMatch } from './matching.ts';
import { listPage, requestPage, unknownPage } from './pages.ts';
import { type OwnNames, Redactor } from './redact.ts';
import type { RequestRing } from './ring.ts';
import { detailOf, summaryOf } from './show.ts';
import { signedCurl } from './signed-curl.ts';

/** What the inspector is made of. */
export interface InspectorOptions {
  readonly store: Store;
  /** The ids of all operations. */
  readonly operations: readonly string[];
  readonly box: SecretBox;
  /** The clock by which new signatures are made. */
  readonly clock: Clock;
  readonly random?: Random;
  readonly ownNames: OwnNames;
  /** The base URL of each listener. */
  readonly originOf: (environment: ToolsListener['environment']) => string;
  readonly pages: ToolPages;
}

const LIMIT = { min: 1, max: 200 };
const LIMIT_DEFAULT = 50;
const WAIT_MS = { min: 1, max: 60_000 };
const WAIT_DEFAULT_MS = 10_000;
/** How long the secrets that are redacted wherever they stand are remembered. */
const SECRETS_MS = 1000;

/** The calls that show the last requests. */
export function inspectorCalls(ring: RequestRing, options: InspectorOptions): readonly DevCall[] {
  const { store, pages, operations } = options;
  const known = { applicationIdOf: applicationFinder(store), operations };
  let redactor: { readonly value: Promise<Redactor>; readonly at_ms: number } | undefined;
  const redactorNow = (): Promise<Redactor> => {
    if (!redactor || elapsed_ms() - redactor.at_ms > SECRETS_MS) {
      redactor = {
        value: knownSecrets(options).then((secrets) => new Redactor(secrets, options.ownNames)),
        at_ms: elapsed_ms(),
      };
    }
    return redactor.value;
  };
  const find = (id: string): Entry | undefined =>
    ring.find(Number(id)) ?? ring.list().find(({ transactionId }) => transactionId === id);
  const found = (id: string): Entry => {
    const entry = find(id);
    if (entry) return entry;
    throw new DevError(404, 'REQUEST_UNKNOWN', 'this request is not known, or no longer', 'id');
  };

  async function listed(query: URLSearchParams) {
    const { after, limit, ...match } = Object.fromEntries([...query].filter(([, value]) => value !== ''));
    const wanted = await readMatch(match, known);
    const from = numberIn(numeric(after), 'after', ID) ?? 0;
    const most = numberIn(numeric(limit), 'limit', LIMIT) ?? LIMIT_DEFAULT;
    const entries = ring
      .list()
      .filter((entry) => entry.id > from && differences(entry, wanted).length === 0)
      .reverse();
    const shown = await redactorNow();
    return { requests: entries.slice(0, most).map((entry) => summaryOf(entry, shown)), count: entries.length };
  }

  return [
    {
      ...{ method: 'GET', path: '/_dev/requests' },
      about: 'Lists the last requests, newest first; filters: after, limit, and the members of a match.',
      async perform({ query, request }: DevRequest) {
        if (!acceptsHtml(request.headers.accept)) return listed(query);
        const entered = Object.fromEntries(query);
        try {
          return listPage(await listed(query), entered, pages);
        } catch (error) {
          if (!(error instanceof DevError)) throw error;
          return listPage({ requests: [], count: 0, error }, entered, pages);
        }
      },
    },
    {
      ...{ method: 'DELETE', path: '/_dev/requests' },
      about: 'Forgets all requests.',
      perform: () => ring.clear(),
    },
    {
      ...{ method: 'GET', path: '/_dev/requests/stream' },
      about: 'Sends each request when it has ended, as server-sent events; Last-Event-ID continues after a break.',
      async perform({ query, request, listener }) {
        const match = await readMatch(Object.fromEntries(query), known);
        const lastEnd = numberIn(numeric(request.headers['last-event-id'] as string | undefined), 'Last-Event-ID', ID);
        const show = async (entry: Entry) => summaryOf(entry, await redactorNow());
        const feed = writeFeed(ring, { match, lastEnd, show, isDraining: listener.isDraining });
        return new DevReply(200, feed, { 'content-type': 'text/event-stream' });
      },
    },
    {
      ...{ method: 'POST', path: '/_dev/requests/wait' },
      about: 'Waits for requests: { "match", "count", "since", "timeout_ms" }; 408 tells what came instead.',
      async perform({ body, listener }) {
        const members = membersOf(body ?? {}, ['match', 'count', 'since', 'timeout_ms'], 'body');
        const awaited = {
          match: await readMatch(members.match, known),
          count: numberIn(members.count, 'count', LIMIT) ?? 1,
          since: numberIn(numeric(members.since), 'since', ID) ?? 0,
          timeout_ms: numberIn(members.timeout_ms, 'timeout_ms', WAIT_MS) ?? WAIT_DEFAULT_MS,
        };
        const result = await waitFor(ring, awaited, listener.isDraining);
        const shown = await redactorNow();
        if ('found' in result) return { requests: result.found.map((entry) => detailOf(entry, shown)) };
        const message = `there were ${result.came} of ${awaited.count} such requests within ${awaited.timeout_ms} ms`;
        const near_misses = result.nearMisses.map(({ entry, differs }) => ({ ...summaryOf(entry, shown), differs }));
        return new DevReply(408, { error: { code: 'TIMED_OUT', message }, near_misses });
      },
    },
    {
      ...{ method: 'GET', path: '/_dev/requests/:id' },
      about: 'Shows a request, by its id or by the transaction id of its reply.',
      async perform({ path, request }) {
        if (!acceptsHtml(request.headers.accept)) return detailOf(found(path.id!), await redactorNow());
        const entry = find(path.id!);
        return entry ? requestPage(detailOf(entry, await redactorNow()), pages) : unknownPage(pages);
      },
    },
    {
      ...{ method: 'GET', path: '/_dev/requests/:id/json' },
      about: 'Shows a request as JSON, also to browsers.',
      async perform({ path }) {
        return detailOf(found(path.id!), await redactorNow());
      },
    },
    {
      ...{ method: 'GET', path: '/_dev/requests/:id/curl' },
      about: 'The request as a curl command, signed anew.',
      async perform({ path }) {
        const entry = found(path.id!);
        const { clock, random = secureRandom, originOf } = options;
        const command = signedCurl(entry, {
          ...{ clock, random, origin: originOf(entry.environment ?? 'production') },
          known: await knownKeys(options),
          demoKey: (await store.read(({ credentials }) => credentials.findDemo()))?.consumer_key,
        });
        return new DevReply(200, command, { 'content-type': 'text/plain; charset=utf-8' });
      },
    },
  ];
}

const ID = { min: 0, max: Number.MAX_SAFE_INTEGER };

/** A number that came as text; anything else as it is. */
function numeric(text: unknown): unknown {
  return typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : text;
}

function knownKeys({ store, box, clock }: InspectorOptions): Promise<KnownApplication[]> {
  return storedKeys(store, box, { consumerKey: '', token: '' }, formatInstant(clock.now()));
}

async function knownSecrets(options: InspectorOptions): Promise<string[]> {
  const known = await knownKeys(options);
  return known.flatMap(({ consumerSecret, tokens }) => [consumerSecret, ...tokens.map((each) => each.tokenSecret)]);
}
