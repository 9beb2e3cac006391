import assert from 'node:assert/strict';
import { type IncomingMessage, request } from 'node:http';
import { barker, flagsOf, toldBy } from '../commands/program.ts';
import { basic, type Pair } from '../rig/application.ts';
import { until } from '../rig/patience.ts';
import type { Line } from '../rig/streams.ts';
import { env, type Site } from './sites.ts';
import { asking } from './verify.ts';

/** How often the nodes of a proof send keep-alives, in seconds. */
export const KEEP_ALIVE_S = 1;
/** After so long without a byte a reader opens its stream again: 5 s longer than keep-alives, as in `docs/streams.md`. */
const SILENCE_MS = KEEP_ALIVE_S * 1000 + 5000;

/** What a reader asks for when it opens its stream again. */
export type Resumption = 'backfill_minutes' | 'start_time';
const BACKFILL_MIN = 5;
/** How long before the last line a reader with `start_time` begins. @source decision 853 */
const OVERLAP_MS = 60_000;

/** A stream that was opened, and what came of it. */
interface Opening {
  /** The seconds between which it had to begin, in milliseconds; undefined when only what is new was asked for. */
  readonly from_ms: readonly [earliest: number, latest: number] | undefined;
  /** Positions in the log, in the order in which they came. */
  readonly positions: number[];
  /** Whether the reader gave it up because it was silent. */
  isSilent: boolean;
}

/** A client of the stream that misses nothing, as `docs/streams.md` advises. */
export interface Reader {
  /** Waits until all events of the log have come, ends, and throws when one was missed, out of place or repeated more than documented. */
  verify(): Promise<void>;
  /** How often it opened its stream, gave one up and received an event, in words. */
  describe(): string;
  openings(): number;
  stop(): Promise<void>;
}

/** Opens a reader of what the user of a site says of themselves, with an application of its own; resolves when it reads. */
export async function openReader(site: Site, resumption: Resumption): Promise<Reader> {
  const bearer = await subscribedApplication(site, resumption);
  const openings: Opening[] = [];
  const refusals: number[] = [];
  /** Each line by its position: it is the same however often it comes. */
  const lines = new Map<number, string>();
  const reading = Promise.withResolvers<void>();
  const stopping = Promise.withResolvers<void>();
  let isStopped = false;
  /** When the last line came, empty ones included. */
  let heardAt_ms = 0;

  const take = (opening: Opening, line: string): void => {
    const { data, errors } = JSON.parse(line) as Line;
    if (errors) return;
    const position = positionOf(data.event_uuid);
    assert.equal(lines.get(position) ?? line, line, 'an event came twice, with other words');
    lines.set(position, line);
    opening.positions.push(position);
  };
  /** Reads until the stream ends, breaks or is silent. */
  const read = async (stream: IncomingMessage, opening: Opening): Promise<void> => {
    let rest = '';
    let silence: NodeJS.Timeout | undefined;
    const listen = (): void => {
      clearTimeout(silence);
      silence = setTimeout(() => {
        opening.isSilent = true;
        stream.destroy();
      }, SILENCE_MS);
    };
    listen();
    try {
      for await (const chunk of stream.setEncoding('utf8')) {
        listen();
        const parts = (rest + chunk).split('\r\n');
        rest = parts.pop()!;
        if (parts.length > 0) heardAt_ms = Date.now();
        for (const part of parts) if (part !== '') take(opening, part);
        reading.resolve();
      }
    } catch (error) {
      if (error instanceof assert.AssertionError || error instanceof SyntaxError) throw error;
      // It broke, or was silent.
    } finally {
      clearTimeout(silence);
      stream.destroy();
    }
  };
  const follow = async (): Promise<void> => {
    for (let failures = 0; !isStopped; ) {
      const sentAt_ms = Date.now();
      const start_ms = toSecond(heardAt_ms - OVERLAP_MS);
      const past = openings.length === 0 ? undefined : { resumption, start_ms };
      const attempt = await connect(site, bearer, past, stopping.promise).catch(() => undefined);
      if (isStopped) return void (typeof attempt === 'object' && attempt.destroy());
      if (typeof attempt === 'object') {
        failures = 0;
        const window = [sentAt_ms, Date.now()].map((ms) => toSecond(ms - BACKFILL_MIN * 60_000)) as [number, number];
        const from_ms = resumption === 'start_time' ? ([start_ms, start_ms] as const) : window;
        const opening = { from_ms: past && from_ms, positions: [], isSilent: false };
        openings.push(opening);
        void stopping.promise.then(() => attempt.destroy());
        await read(attempt, opening);
      } else if (attempt !== undefined) refusals.push(attempt);
      failures += 1;
      await Promise.race([stopping.promise, pause(waitAfter(attempt, failures))]);
    }
  };
  const following = follow();
  following.catch(reading.reject);
  await reading.promise;

  const stop = async (): Promise<void> => {
    isStopped = true;
    stopping.resolve();
    await following;
  };
  return {
    stop,
    openings: () => openings.length,
    describe() {
      const silent = openings.filter(({ isSilent }) => isSilent).length;
      const count = openings.reduce((sum, { positions }) => sum + positions.length, 0);
      const refused = refusals.length === 0 ? '' : `, refused with ${refusals.join(', ')}`;
      return `a stream with ${resumption}, opened ${openings.length} times, ${silent} of them silent${refused}: ${lines.size} events, ${count - lines.size} repeats, no gap`;
    },
    async verify() {
      const log = await asking(site, (ask) =>
        ask("select position, text, created_at from events where event_type = 'profile.update.bio' order by position"),
      );
      for (const { position, text } of log) {
        await until(`a stream with ${resumption} has ${text}`, async () => {
          // Throws what the stream has failed with.
          await Promise.race([following, undefined]);
          return lines.has(position);
        });
        assert.equal((JSON.parse(lines.get(position)!) as Line).data.payload.after, text);
      }
      await stop();
      verifyOpenings(openings, log);
    },
  };
}

/** A row of the log. */
interface Logged {
  readonly position: number;
  readonly text: string;
  readonly created_at: string;
}

/** Each stream has the log in order without a gap, begins where it had to, and none begins after what those before it had. */
function verifyOpenings(openings: readonly Opening[], log: readonly Logged[]): void {
  const places = new Map(log.map(({ position }, place) => [position, place]));
  const placeFrom = (ms: number): number => {
    const found = log.findIndex(({ created_at }) => Date.parse(created_at) >= ms);
    return found === -1 ? log.length : found;
  };
  let reached = -1;
  for (const [number, { positions, from_ms }] of openings.entries()) {
    // What was stored after the log was read.
    const known = positions.filter((position) => places.has(position)).map((position) => places.get(position)!);
    const [first] = known;
    if (first === undefined) continue;
    assert.deepEqual(
      known,
      known.map((_, index) => first + index),
      `stream ${number} is out of order or has a gap`,
    );
    assert.ok(first <= reached + 1, `between stream ${number} and those before it: ${log[first - 1]?.text} is missing`);
    if (from_ms) {
      const [earliest, latest] = from_ms.map(placeFrom) as [number, number];
      assert.ok(first >= earliest, `stream ${number} repeats ${log[first]!.text}, which is older than was asked for`);
      assert.ok(first <= latest, `stream ${number} begins with ${log[first]!.text}, later than was asked for`);
    }
    reached = Math.max(reached, known.at(-1)!);
  }
}

/** An application that is subscribed to what the user says of themselves; its bearer token. */
async function subscribedApplication(site: Site, name: string): Promise<string> {
  const website = ['--website', 'https://a.test', '--callback', 'https://a.test/back'];
  const create = ['app', 'create', `Streams ${name}`, '--owner', 'ada', '--level', 'read-write', ...website];
  const app = toldBy(await barker([...create, ...flagsOf(site.place)], { env }));
  const post = async (path: string, authorization: string, body: string, type: string) => {
    const headers = { authorization, 'content-type': type };
    const reply = await fetch(site.production + path, { method: 'POST', headers, body });
    const text = await reply.text();
    assert.equal(reply.status, 200, `${path}: ${text}`);
    return JSON.parse(text);
  };
  const form = 'application/x-www-form-urlencoded';
  const pair = app as unknown as Pair;
  const { access_token } = await post('/oauth2/token', basic(pair), 'grant_type=client_credentials', form);
  const filter = { event_type: 'profile.update.bio', filter: { user_id: site.user_id } };
  await post('/2/activity/subscriptions', `Bearer ${access_token}`, JSON.stringify(filter), 'application/json');
  return access_token;
}

/** Opens a stream with a connection of its own; resolves with the status when it is refused. Rejects when nothing answers in time. */
function connect(
  { production }: Site,
  bearer: string,
  past: { readonly resumption: Resumption; readonly start_ms: number } | undefined,
  stopped: Promise<void>,
): Promise<IncomingMessage | number> {
  const start = past && `${new Date(past.start_ms).toISOString().slice(0, -'.000Z'.length)}Z`;
  const value = past?.resumption === 'start_time' ? encodeURIComponent(start!) : BACKFILL_MIN;
  const query = past ? `?${past.resumption}=${value}` : '';
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${bearer}` };
    const outgoing = request(`${production}/2/activity/stream${query}`, { headers, agent: false }, (incoming) => {
      clearTimeout(silence);
      if (incoming.statusCode === 200) return resolve(incoming);
      incoming.resume();
      resolve(incoming.statusCode!);
    });
    const silence = setTimeout(() => outgoing.destroy(new Error('no answer')), SILENCE_MS);
    void stopped.then(() => outgoing.destroy());
    outgoing.on('error', (error) => {
      clearTimeout(silence);
      reject(error);
    });
    outgoing.end();
  });
}

/** How long to wait after a stream that ended, a connection that failed, or a refusal with a status, as documented. */
function waitAfter(attempt: IncomingMessage | number | undefined, failures: number): number {
  if (typeof attempt !== 'number') return Math.min(250 * failures, 16_000);
  return attempt === 429 ? 60_000 * 2 ** (failures - 1) : Math.min(5000 * 2 ** (failures - 1), 320_000);
}

/** `event_uuid` is 73 and the position. */
function positionOf(event_uuid: string): number {
  assert.match(event_uuid, /^73\d{17}$/);
  return Number(event_uuid.slice(2));
}

const toSecond = (ms: number): number => Math.floor(ms / 1000) * 1000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
