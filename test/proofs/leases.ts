import { driverOn } from '../rig/databases.ts';
import type { Site } from './sites.ts';

/** Longer than what a node held may stay with it after it was killed or froze. `docs/operate.md` says so. */
export const HAND_OVER_MAX_S = 15;
/** How often the database is asked. */
const LOOK_MS = 100;
/** The key of the advisory lock of the sequencer. */
const ELECTED = 4_815_162_344;

/** Who holds what, at one moment. */
interface Holdings {
  /** When the database was asked, in milliseconds of the monotonic clock. */
  readonly at_ms: number;
  /** The ids of nodes, by pid. */
  readonly nodes: ReadonlyMap<number, string>;
  /** What is held, with its node and what tells one lease from the next. */
  readonly leases: ReadonlyMap<string, { readonly node: string; readonly lease: string }>;
  /** The process of PostgreSQL that holds the lock of the sequencer; undefined when none does. */
  readonly sequencer: string | undefined;
  /** The oldest event without a position. */
  readonly waiting: string | undefined;
}

/** A lease of a node that went away. */
interface Orphan {
  readonly what: string;
  readonly lease: string;
  readonly pid: number;
  readonly since_ms: number;
}

/** Looks on while leases change hands. */
export interface LeaseWatch {
  /** A node was killed or frozen at a moment of the monotonic clock, in milliseconds: what it holds has to change hands. */
  gone(pid: number, since_ms: number): Promise<void>;
  /** There is a node in its place. What one that was frozen still holds may stay with it. */
  back(pid: number, how: { readonly isSame: boolean }): void;
  /** The pid of a node that delivers to a webhook; undefined when there is none. */
  deliverer(): number | undefined;
  /** What changed hands since the last call, in words. @throws Error when something took longer than it may */
  report(): string[];
  /** The longest times, in words. */
  describe(): string;
  stop(): Promise<void>;
}

/**
 * Watches the leases of webhooks and jobs, the lock of the sequencer and the events that wait for it, in the database of a
 * site.
 */
export function watchLeases({ place }: Pick<Site, 'place'>): LeaseWatch {
  const driver = driverOn(place, { connectionsMax: 2 });
  let last: Holdings | undefined;
  let orphans: Orphan[] = [];
  /** Whose sequencer it was when a node went away, if it was one. */
  let left: { readonly sequencer: string; readonly since_ms: number } | undefined;
  let waiting: { readonly id: string; readonly since_ms: number } | undefined;
  const news: string[] = [];
  const late = new Map<string, string>();
  const longest_s = { webhook: 0, job: 0, sequencer: 0, event: 0 };
  const counts = { webhook: 0, job: 0, sequencer: 0 };
  let isStopped = false;

  const note = (kind: keyof typeof longest_s, took_ms: number, what: string): void => {
    const took_s = took_ms / 1000;
    longest_s[kind] = Math.max(longest_s[kind], took_s);
    if (took_s > HAND_OVER_MAX_S) late.set(what, `${what}: ${took_s.toFixed(1)} s`);
  };
  const changed = (kind: keyof typeof counts, took_ms: number, what: string): void => {
    counts[kind] += 1;
    note(kind, took_ms, what);
    news.push(`${what} changed hands after ${(took_ms / 1000).toFixed(1)} s`);
  };
  const kindOf = (what: string): 'webhook' | 'job' => (what.startsWith('webhook') ? 'webhook' : 'job');

  const compare = (now: Holdings): void => {
    orphans = orphans.filter(({ what, lease, since_ms }) => {
      const held = now.leases.get(what);
      const took_ms = now.at_ms - since_ms;
      // A webhook is delivered to when another node holds it; a job that is free or gone needs nobody.
      const isOver = kindOf(what) === 'webhook' ? held !== undefined && held.lease !== lease : held?.lease !== lease;
      if (isOver) changed(kindOf(what), took_ms, what);
      else note(kindOf(what), took_ms, what);
      return !isOver;
    });
    if (left && now.sequencer !== undefined && now.sequencer !== left.sequencer) {
      changed('sequencer', now.at_ms - left.since_ms, 'the sequencer');
      left = undefined;
    }
    if (waiting && waiting.id === now.waiting)
      note('event', now.at_ms - waiting.since_ms, 'an event without a position');
    else waiting = now.waiting === undefined ? undefined : { id: now.waiting, since_ms: now.at_ms };
  };

  const look = async (): Promise<Holdings> => {
    const at_ms = performance.now();
    const [row] = await driver.read((session) => session.allRaw<{ held: string }>(HOLDINGS));
    const { nodes, webhooks, jobs, sequencer, waiting } = JSON.parse(row!.held);
    const leases = new Map<string, { node: string; lease: string }>();
    for (const { id, node, fencing_number } of webhooks)
      leases.set(`webhook ${id}`, { node, lease: `${fencing_number}` });
    for (const { kind, key, node, lease } of jobs) leases.set(`job ${kind} ${key}`, { node, lease });
    const byPid = (nodes as { id: string; process: string }[]).map(
      ({ id, process }) => [Number(process.split(' ').at(-1)), id] as const,
    );
    const now = {
      at_ms,
      nodes: new Map(byPid),
      leases,
      sequencer: sequencer ?? undefined,
      waiting: waiting ?? undefined,
    };
    compare(now);
    last = now;
    return now;
  };
  const looking = (async () => {
    while (!isStopped) {
      await look().catch(() => {
        // Without a database, nothing gets a position.
        waiting = undefined;
      });
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  })();

  return {
    async gone(pid, since_ms) {
      left = last?.sequencer === undefined ? undefined : { sequencer: last.sequencer, since_ms };
      const node = last?.nodes.get(pid);
      // What it held in the end: nobody changes that before the lease ends, or another node removes it.
      const { leases } = await look();
      for (const [what, held] of leases)
        if (held.node === node) orphans.push({ what, lease: held.lease, pid, since_ms });
    },
    back(pid, { isSame }) {
      left = undefined;
      if (isSame) orphans = orphans.filter((orphan) => orphan.pid !== pid);
    },
    deliverer() {
      const [, held] = [...(last?.leases ?? [])].find(([what]) => kindOf(what) === 'webhook') ?? [];
      return [...(last?.nodes ?? [])].find(([, id]) => id === held?.node)?.[0];
    },
    report() {
      if (late.size > 0) throw new Error(`longer than ${HAND_OVER_MAX_S} s:\n${[...late.values()].join('\n')}`);
      return news.splice(0);
    },
    describe() {
      const parts = Object.entries(counts).map(
        ([kind, count]) => `${count} x ${kind} (at most ${longest_s[kind as keyof typeof counts].toFixed(1)} s)`,
      );
      return `changed hands: ${parts.join(', ')}; events waited for their positions for at most ${longest_s.event.toFixed(1)} s`;
    },
    async stop() {
      isStopped = true;
      await looking;
      await driver.close();
    },
  };
}

/** One statement, so that it is of one moment. */
const HOLDINGS = `select json_build_object(
  'nodes', (select coalesce(json_agg(json_build_object('id', id, 'process', process)), '[]') from nodes),
  'webhooks', (select coalesce(json_agg(json_build_object('id', id, 'node', node, 'fencing_number', fencing_number)), '[]')
    from webhooks where node is not null),
  'jobs', (select coalesce(json_agg(json_build_object('kind', kind, 'key', key, 'node', node, 'lease', lease)), '[]')
    from jobs where lease is not null),
  'sequencer', (select pid::text from pg_locks where locktype = 'advisory' and granted
    and database = (select oid from pg_database where datname = current_database())
    and (classid::bigint << 32) + objid::bigint = ${ELECTED} limit 1),
  'waiting', (select id::text from event_outbox order by id limit 1))::text as held`;
