import type { Clock } from '../../base/clock.ts';
import { formatMillisecond } from '../../base/instants.ts';
import { elapsed_ms, every, pause } from '../../base/timers.ts';
import { DEAD_AFTER_S, type Heartbeat, type NewNode } from '../../contract/store/nodes.ts';
import type { Store } from '../../contract/store/store.ts';
import { clockSkew_ms, SKEW_REPORTED_MS } from './clock-skew.ts';
import { type Remains, removeDeadNodes, removeEndedNodes, removeFormerNodes } from './dead-nodes.ts';
import { keyConflict } from './node-keys.ts';

/** This process among those that work on the same database, as its background work sees it. */
export interface Node {
  /** Unique among all starts of all servers. */
  readonly id: string;
  /**
   * Resolves when other nodes take this one for alive: at once, or after a heartbeat. Callers that hold leases in
   * the name of the node await it first. Rejects when no heartbeat can be stored.
   */
  ensureAlive(): Promise<void>;
}

/** This process as a node, from its start to its end. */
export interface RunningNode extends Node {
  /**
   * Adds the node to those of the database, and removes those that have certainly ended; others are left to the regular
   * check.
   * @param redisId The id of the Redis that it shares with others; empty while it is unknown.
   * @throws Error when the clock of the machine is wrong, or when live nodes have other master keys or another Redis
   */
  start(redisId?: () => Promise<string>): Promise<void>;
  /** Removes the node, when it holds nothing any more. */
  stop(): Promise<void>;
  /** The number of nodes that were alive at the last heartbeat, with this one. */
  liveNodes(): number;
  /** Whether the clocks of the machine and the database differed at the last heartbeat by more than a start allows. */
  isClockWrong(): boolean;
  /** The number of those that answer requests, with this one. */
  answeringNodes(): number;
  /** Whether live nodes have used another Redis than this one at several heartbeats. */
  hasOtherRedis(): boolean;
  /** Undefined where no other process can share the database, so that nobody waits for heartbeats. */
  readonly heartbeats: Heartbeats | undefined;
}

/** The heartbeats of this node. */
export interface Heartbeats {
  /** Time since the last stored one, in seconds. */
  age_s(): number;
  /** How far the clock of the machine was ahead of the clock of the database at the last one, in seconds. */
  skew_s(): number;
}

/** What a node reports. */
export interface NodeObserver {
  /** Nodes that ended without signing off were removed. */
  cleanedUp(remains: Remains): void;
  /** No heartbeat could be stored for so long that other nodes may take this one for dead. */
  fellSilent(): void;
  /** Another node has removed this one meanwhile, with all that it held. */
  wasRemoved(): void;
  /**
   * The clocks of the machine and the database differ by more than usual; zero: no longer.
   * @param isWrong by more than a start allows.
   */
  clockSkewed(skew_s: number, isWrong: boolean): void;
  /** Live nodes use another Redis than this one, or no longer. */
  redisDiffers(isOther: boolean): void;
  failed(error: unknown): void;
}

/** The dependencies of a node. */
export interface NodeDeps extends NewNode {
  readonly store: Store;
  /** The clock of the service. */
  readonly clock: Clock;
  /** The clock of the machine, which is compared with that of the database. */
  readonly machineClock: Clock;
  /** Whether other processes may be nodes of the database. */
  readonly hasPeers: boolean;
  /** The node does not start when the clocks differ by more than this. */
  readonly skewMax_ms: number;
  /** A node is dead without a heartbeat for this long; heartbeats are five times as frequent. */
  readonly dead_after_s?: number;
  readonly observer: NodeObserver;
}

const BEATS = 5;
/** After so many heartbeats, all nodes of a Redis know its id again if it was lost. @source decision 850 */
const SETTLED_BEATS = 3;

/**
 * This process as a node: stores a heartbeat every two seconds, and removes nodes that have stored none for ten. It
 * judges others only after ten seconds in which none of its own was late: an outage of the database silences all nodes
 * alike.
 * @source decision 751, 752
 */
export function openNode(parts: NodeDeps): RunningNode {
  const { store, clock, machineClock, observer, id, hasPeers, skewMax_ms, dead_after_s = DEAD_AFTER_S } = parts;
  const dead_after_ms = dead_after_s * 1000;
  const beat_ms = dead_after_ms / BEATS;
  /** When the last stored heartbeat was sent. */
  let beatAt_ms = Number.NEGATIVE_INFINITY;
  /** Since when none was late. */
  let steadySince_ms = 0;
  let skew_ms = 0;
  let others = { others: 0, othersAnswering: 0 };
  let redisId = async (): Promise<string> => '';
  /** Heartbeats in a row at which others used another Redis. */
  let beatsApart = 0;
  let isSilent = false;
  let isStopped = false;
  let beating: Promise<void> | undefined;
  let stopBeating = (): void => {};

  const isAlive = (): boolean => !hasPeers || elapsed_ms() - beatAt_ms < dead_after_ms;

  const hasOtherRedis = (): boolean => beatsApart >= SETTLED_BEATS;

  const isClockWrong = (): boolean => Math.abs(skew_ms) > skewMax_ms;
  const isReported = (): boolean => isClockWrong() || Math.abs(skew_ms) > SKEW_REPORTED_MS;
  const noteSkew = (now_ms: number): void => {
    const [wasReported, wasWrong] = [isReported(), isClockWrong()];
    skew_ms = now_ms;
    if (isReported() === wasReported && isClockWrong() === wasWrong) return;
    observer.clockSkewed(isReported() ? skew_ms / 1000 : 0, isClockWrong());
  };

  const noteBeat = (sentAt_ms: number, stored: Heartbeat): void => {
    // One or more have failed, perhaps those of other nodes too.
    if (sentAt_ms - beatAt_ms > 2 * beat_ms) steadySince_ms = sentAt_ms;
    beatAt_ms = sentAt_ms;
    others = stored;
    const wasApart = hasOtherRedis();
    beatsApart = stored.othersApart > 0 ? beatsApart + 1 : 0;
    if (hasOtherRedis() !== wasApart) observer.redisDiffers(!wasApart);
    isSilent = false;
  };

  const storeBeat = async (): Promise<void> => {
    const shared = await redisId();
    const sentAt_ms = elapsed_ms();
    const before_ms = machineClock.now();
    const [stored, wasThere] = await store.writeUrgent(async (tx) => {
      const beaten = await tx.nodes.beat(id, dead_after_s, shared);
      return [beaten ?? (await tx.nodes.add(parts, dead_after_s, shared)), beaten !== undefined];
    });
    noteBeat(sentAt_ms, stored);
    if (wasThere) return noteSkew(clockSkew_ms(before_ms, stored.at, machineClock.now()));
    observer.wasRemoved();
    // Its streams find out that they were ended; and whatever it remembers may have changed since.
    store.clearCaches();
  };
  const beat = (): Promise<void> => {
    beating ??= storeBeat().finally(() => {
      beating = undefined;
    });
    return beating;
  };

  const tick = async (): Promise<void> => {
    if (!isAlive() && !isSilent) {
      isSilent = true;
      observer.fellSilent();
    }
    await beat();
    if (elapsed_ms() - steadySince_ms < dead_after_ms) return;
    report(await store.write((tx) => removeDeadNodes(tx, id, dead_after_s, clock.now())));
  };
  const refuse = async (because: string): Promise<never> => {
    await store.write((tx) => tx.nodes.remove(id));
    throw new Error(because);
  };
  const report = (remains: Remains): void => {
    const { nodes, streams, jobs, webhooks } = remains;
    if (nodes.length + streams + jobs + webhooks > 0) observer.cleanedUp(remains);
  };

  return {
    id,
    async ensureAlive() {
      // One that was under way may have been sent too long ago.
      while (!isAlive()) await beat();
    },
    async start(idOfRedis = redisId) {
      redisId = idOfRedis;
      if (hasPeers) noteSkew(await checkedSkew_ms(store, machineClock, skewMax_ms));
      const shared = await redisId();
      const startedAt_ms = elapsed_ms();
      const remove = hasPeers ? removeEndedNodes : removeFormerNodes;
      const [remains, stored] = await store.write(async (tx) => [
        await remove(tx, id, clock.now()),
        await tx.nodes.add(parts, dead_after_s, shared),
      ]);
      report(remains);
      noteBeat(startedAt_ms, stored);
      if (!hasPeers) return;
      // Of two that start at once, at least one finds the other here.
      const live = await store.read((tx) => tx.nodes.listLive(id, dead_after_s));
      const conflict = keyConflict(parts.master_keys, live);
      if (conflict !== undefined)
        await refuse(`${conflict}; check master_key, master_key_id and master_keys_old of both`);
      while (beatsApart > 0 && !hasOtherRedis()) {
        await pause(beat_ms);
        await beat();
      }
      if (hasOtherRedis()) {
        await refuse(
          'other servers of this database use another Redis; give all the same redis_url, to its last digit',
        );
      }
      stopBeating = every(beat_ms, () => void tick().catch(observer.failed));
      // The next heartbeat after an outage tells others and the jobs of this node as soon as possible.
      store.onOutage({ ended: () => void (isStopped || beat().catch(observer.failed)) });
    },
    async stop() {
      isStopped = true;
      stopBeating();
      await beating?.catch(() => undefined);
      // A node that cannot sign off is removed when it has been silent for long enough.
      await store.write((tx) => tx.nodes.remove(id)).catch(() => undefined);
    },
    isClockWrong,
    liveNodes: () => 1 + others.others,
    answeringNodes: () => 1 + others.othersAnswering,
    hasOtherRedis,
    heartbeats: hasPeers ? { age_s: () => (elapsed_ms() - beatAt_ms) / 1000, skew_s: () => skew_ms / 1000 } : undefined,
  };
}

/**
 * With a wrong clock a node would refuse signatures that others accept, and forget nonces too early.
 * @source decision 754
 */
async function checkedSkew_ms(store: Store, machineClock: Clock, max_ms: number): Promise<number> {
  const before_ms = machineClock.now();
  const database = await store.read((tx) => tx.nodes.findTime());
  const skew_ms = clockSkew_ms(before_ms, database, machineClock.now());
  if (Math.abs(skew_ms) <= max_ms) return skew_ms;
  throw new Error(
    `the clock of this machine shows ${formatMillisecond(before_ms)} and that of the database ${database}: more than ${max_ms / 1000} s apart; synchronize both clocks`,
  );
}
