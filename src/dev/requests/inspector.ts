import type { Clock } from '../../base/clock.ts';
import { formatInstant } from '../../base/instants.ts';
import { type Random, secureRandom } from '../../base/random.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import { elapsed_ms } from '../../base/timers.ts';
import type { Operation } from '../../contract/declare/operation.ts';
import type { ToolsListener } from '../../http/developer-tools.ts';
import { acceptsHtml } from '../../http/routes.ts';
import type { Store } from '../../storage/unit-of-work.ts';
import { type KnownApplication, secretsOf } from '../signatures/known-keys.ts';
import { storedKeys } from '../signatures/stored-keys.ts';
import { type DevCall, DevError, DevReply, type DevRequest, devCall, membersOf, numberIn } from '../surface/call.ts';
import type { ToolPages } from '../surface/tool-pages.ts';
import type { Entry } from './entry.ts';
import { waitFor, writeFeed } from './feed.ts';
import { applicationFinder, differences, type KnownNames, readMatch } from './matching.ts';
import { listItem, listPage, requestPage, unknownPage } from './pages.ts';
import { type OwnNames, Redactor } from './redact.ts';
import type { RequestRing } from './ring.ts';
import { type Detail, detailOf, summaryOf } from './show.ts';
import { signedCurl } from './signed-curl.ts';

/** The dependencies of the inspector. */
export interface InspectorOptions {
  readonly store: Store;
  readonly operations: readonly Operation[];
  readonly box: SecretBox;
  /** The clock of new signatures. */
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
/** The secrets to be redacted are read again after this long. */
const SECRETS_MS = 1000;
const CURSOR = { min: 0, max: Number.MAX_SAFE_INTEGER };

/** Shows the last requests. */
export class Inspector {
  readonly #ring: RequestRing;
  readonly #options: InspectorOptions;
  readonly #names: KnownNames;
  #redactor: { readonly value: Promise<Redactor>; readonly at_ms: number } | undefined;

  constructor(ring: RequestRing, options: InspectorOptions) {
    this.#ring = ring;
    this.#options = options;
    this.#names = { applicationIdOf: applicationFinder(options.store), operations: options.operations };
  }

  calls(): readonly DevCall[] {
    return [
      devCall(
        'GET /_dev/requests',
        'Lists the last requests, newest first; filters: after, limit, and the members of a match.',
        ({ query, request }) => (acceptsHtml(request.headers.accept) ? this.#listPage(query) : this.#list(query)),
      ),
      devCall('DELETE /_dev/requests', 'Forgets all requests.', () => this.#ring.clear()),
      devCall(
        'GET /_dev/requests/stream',
        'Sends each request when it has ended, as server-sent events; Last-Event-ID continues after a break.',
        (request) => this.#stream(request),
      ),
      devCall(
        'POST /_dev/requests/wait',
        'Waits for requests: { "match", "count", "since", "timeout_ms" }; 408 tells what came instead.',
        (request) => this.#wait(request),
      ),
      devCall(
        'GET /_dev/requests/:id',
        'Shows a request, by its id or by the transaction id of its reply.',
        async ({ path, request }) => {
          if (!acceptsHtml(request.headers.accept)) return this.#show(path.id!);
          const entry = this.find(path.id!);
          const { pages } = this.#options;
          return entry ? requestPage(detailOf(entry, await this.#redactorNow()), pages) : unknownPage(pages);
        },
      ),
      devCall('GET /_dev/requests/:id/json', 'Shows a request as JSON, also to browsers.', ({ path }) =>
        this.#show(path.id!),
      ),
      devCall('GET /_dev/requests/:id/curl', 'The request as a curl command, signed anew.', async ({ path }) => {
        const entry = this.#known(path.id!);
        const { store, clock, random = secureRandom, originOf } = this.#options;
        const command = signedCurl(entry, {
          clock,
          random,
          origin: originOf(entry.environment ?? 'production'),
          known: await this.#keys(),
          demoKey: (await store.read(({ credentials }) => credentials.findDemo()))?.consumer_key,
        });
        return new DevReply(200, command, { 'content-type': 'text/plain; charset=utf-8' });
      }),
    ];
  }

  /** The last requests as list items, the latest first. */
  async lastItems(count: string) {
    const { requests } = await this.#list(new URLSearchParams({ limit: count }));
    return requests.map(listItem);
  }

  async #list(query: URLSearchParams) {
    const { after, limit, ...match } = Object.fromEntries([...query].filter(([, value]) => value !== ''));
    const wanted = await readMatch(match, this.#names);
    const from = numberIn(numeric(after), 'after', CURSOR) ?? 0;
    const most = numberIn(numeric(limit), 'limit', LIMIT) ?? LIMIT_DEFAULT;
    const entries = this.#ring
      .list()
      .filter((entry) => entry.id > from && differences(entry, wanted).length === 0)
      .reverse();
    const redactor = await this.#redactorNow();
    return { requests: entries.slice(0, most).map((entry) => summaryOf(entry, redactor)), count: entries.length };
  }

  async #listPage(query: URLSearchParams): Promise<DevReply> {
    const entered = Object.fromEntries(query);
    const { pages } = this.#options;
    try {
      return listPage(await this.#list(query), entered, pages);
    } catch (error) {
      if (!(error instanceof DevError)) throw error;
      return listPage({ requests: [], count: 0, error }, entered, pages);
    }
  }

  async #stream({ query, request, listener }: DevRequest): Promise<DevReply> {
    const match = await readMatch(Object.fromEntries(query), this.#names);
    const lastEnd = numberIn(numeric(request.headers['last-event-id']), 'Last-Event-ID', CURSOR);
    const show = async (entry: Entry) => summaryOf(entry, await this.#redactorNow());
    const feed = writeFeed(this.#ring, { match, lastEnd, show, isDraining: listener.isDraining });
    return new DevReply(200, feed, { 'content-type': 'text/event-stream' });
  }

  async #wait({ body, listener }: DevRequest): Promise<unknown> {
    const members = membersOf(body ?? {}, ['match', 'count', 'since', 'timeout_ms'], 'body');
    const awaited = {
      match: await readMatch(members.match, this.#names),
      count: numberIn(members.count, 'count', LIMIT) ?? 1,
      since: numberIn(numeric(members.since), 'since', CURSOR) ?? 0,
      timeout_ms: numberIn(members.timeout_ms, 'timeout_ms', WAIT_MS) ?? WAIT_DEFAULT_MS,
    };
    const result = await waitFor(this.#ring, awaited, listener.isDraining);
    const redactor = await this.#redactorNow();
    if ('found' in result) return { requests: result.found.map((entry) => detailOf(entry, redactor)) };
    const message = `there were ${result.came} of ${awaited.count} such requests within ${awaited.timeout_ms} ms`;
    const near_misses = result.nearMisses.map(({ entry, differs }) => ({ ...summaryOf(entry, redactor), differs }));
    return new DevReply(408, { error: { code: 'TIMED_OUT', message }, near_misses });
  }

  async #show(id: string) {
    return detailOf(this.#known(id), await this.#redactorNow());
  }

  /** A request by its id, or by the transaction id of its reply. */
  find(id: string): Entry | undefined {
    return this.#ring.find(Number(id)) ?? this.#ring.list().find(({ transactionId }) => transactionId === id);
  }

  async detail(entry: Entry): Promise<Detail> {
    return detailOf(entry, await this.#redactorNow());
  }

  /** @throws DevError */
  #known(id: string): Entry {
    const entry = this.find(id);
    if (entry) return entry;
    throw new DevError(404, 'REQUEST_UNKNOWN', 'this request is not known, or no longer', 'id');
  }

  #redactorNow(): Promise<Redactor> {
    if (!this.#redactor || elapsed_ms() - this.#redactor.at_ms > SECRETS_MS) {
      const value = this.#keys().then((keys) => new Redactor(secretsOf(keys), this.#options.ownNames));
      this.#redactor = { value, at_ms: elapsed_ms() };
    }
    return this.#redactor.value;
  }

  #keys(): Promise<KnownApplication[]> {
    const { store, box, clock } = this.#options;
    return storedKeys(store, box, { consumerKey: '', token: '' }, formatInstant(clock.now()));
  }
}

/** A number that came as text; anything else as it is. */
function numeric(text: unknown): unknown {
  return typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : text;
}
