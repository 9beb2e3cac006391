import type { Clock } from '../../base/clock.ts';
import { formatMillisecond } from '../../base/instants.ts';
import { hasEnded } from '../../base/process-identity.ts';
import { elapsed_ms, every, pause } from '../../base/timers.ts';
import { DEAD_AFTER_S, type Heartbeat, type NewNode, type StoredNode } from '../../contract/store/nodes.ts';
import type { Store, WriteTransaction } from '../../storage/unit-of-work.ts';
import { clockSkew_ms, SKEW_REPORTED_MS } from './clock-skew.ts';
import { keyConflict } from './master-keys.ts';

/** This process as one of the servers of a database. */
export interface Node {
  /** Unique among all starts of all servers. */
  readonly id: string;
  /**
   * Resolves when other nodes consider this one alive: at once, or after a heartbeat. Await it before taking leases for the
   * node. Rejects if no heartbeat can be stored.
   */
  ensureAlive(): Promise<void>;
}

/** The heartbeats of this node. */
export interface Heartbeats {
  /** Time since the last stored heartbeat, in seconds. */
  age_s(): number;
  /** How far the machine's clock was ahead of the database's at the last heartbeat, in seconds. */
  skew_s(): number;
}

/** Callbacks of a node. */
interface NodeObserver {
  /** Nodes that ended without signing off were removed. */
  cleanedUp(remains: RemovedNodes): void;
  /** Without a stored heartbeat for so long, other nodes may consider this one dead. */
  fellSilent(): void;
  /** Another node has removed this one and released its work. */
  wasRemoved(): void;
  /**
   * The clocks of the machine and the database differ by more than usual; zero: no longer.
   * @param isWrong by more than a start allows.
   */
  clockSkewed(skew_s: number, isWrong: boolean): void;
  /** Live nodes use another Redis than this one; false: no longer. */
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
/** Heartbeats after which all nodes of a Redis know its id again if it was lost. @source decision 850 */
const SETTLED_BEATS = 3;

/**
 * This process as a node, from its start to its end: stores a heartbeat every two seconds, and removes nodes that have
 * stored none for ten. It judges others only after ten seconds in which none of its own was late: an outage of the database
 * silences all nodes alike.
 * @source decision 751, 752
 */
export class RunningNode implements Node {
  readonly id: string;
  /** Undefined where no other process can share the database. */
  readonly heartbeats: Heartbeats | undefined;
  readonly #deps: NodeDeps;
  readonly #deadAfter_s: number;
  readonly #beat_ms: number;
  /** When the last stored heartbeat was sent. */
  #beatAt_ms = Number.NEGATIVE_INFINITY;
  /** Since when no heartbeat was late. */
  #steadySince_ms = 0;
  #skew_ms = 0;
  #others = { others: 0, othersAnswering: 0 };
  #redisId = async (): Promise<string> => '';
  /** Heartbeats in a row at which others used another Redis. */
  #beatsApart = 0;
  #isSilent = false;
  #isStopped = false;
  #beating: Promise<void> | undefined;
  #stopBeating = (): void => {};

  constructor(deps: NodeDeps) {
    this.#deps = deps;
    this.id = deps.id;
    this.#deadAfter_s = deps.dead_after_s ?? DEAD_AFTER_S;
    this.#beat_ms = (this.#deadAfter_s * 1000) / BEATS;
    this.heartbeats = deps.hasPeers
      ? { age_s: () => (elapsed_ms() - this.#beatAt_ms) / 1000, skew_s: () => this.#skew_ms / 1000 }
      : undefined;
  }

  /** The number of nodes that were alive at the last heartbeat, with this one. */
  readonly liveNodes = (): number => 1 + this.#others.others;

  /** The number of those that answer requests, with this one. */
  readonly answeringNodes = (): number => 1 + this.#others.othersAnswering;

  /** Whether the clocks of the machine and the database differed at the last heartbeat by more than a start allows. */
  readonly isClockWrong = (): boolean => Math.abs(this.#skew_ms) > this.#deps.skewMax_ms;

  /** Whether live nodes have used another Redis than this one at several heartbeats. */
  hasOtherRedis(): boolean {
    return this.#beatsApart >= SETTLED_BEATS;
  }

  async ensureAlive(): Promise<void> {
    // One that was under way may have been sent too long ago.
    while (!this.#isAlive()) await this.#beat();
  }

  /**
   * Adds the node to those of the database, and removes those that have certainly ended; others are left to the regular
   * check.
   * @param redisId the id of the Redis that it shares with others; empty while it is unknown.
   * @throws Error when the clock of the machine is wrong, or when live nodes have other master keys or another Redis.
   */
  async start(redisId = this.#redisId): Promise<void> {
    const { store, clock, machineClock, observer, hasPeers, skewMax_ms, master_keys } = this.#deps;
    this.#redisId = redisId;
    if (hasPeers) this.#noteSkew(await checkedSkew_ms(store, machineClock, skewMax_ms));
    const shared = await redisId();
    const startedAt_ms = elapsed_ms();
    const remove = hasPeers ? removeEndedNodes : removeFormerNodes;
    const [remains, stored] = await store.write(async (tx) => [
      await remove(tx, this.id, clock.now()),
      await tx.nodes.add(this.#deps, this.#deadAfter_s, shared),
    ]);
    this.#report(remains);
    this.#noteBeat(startedAt_ms, stored);
    if (!hasPeers) return;
    // Of two that start at once, at least one finds the other here.
    const live = await store.read((tx) => tx.nodes.listLive(this.id, this.#deadAfter_s));
    const conflict = keyConflict(master_keys, live);
    if (conflict !== undefined) {
      await this.#refuse(`${conflict}; check master_key, master_key_id and master_keys_old of both`);
    }
    while (this.#beatsApart > 0 && !this.hasOtherRedis()) {
      await pause(this.#beat_ms);
      await this.#beat();
    }
    if (this.hasOtherRedis()) {
      await this.#refuse(
        'other servers of this database use another Redis; give all the same redis_url, to its last digit',
      );
    }
    this.#stopBeating = every(this.#beat_ms, () => void this.#tick().catch(observer.failed));
    // The next heartbeat after an outage tells others and the jobs of this node as soon as possible.
    store.onOutage({ ended: () => void (this.#isStopped || this.#beat().catch(observer.failed)) });
  }

  /** Removes the node, when it holds nothing any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopBeating();
    await this.#beating?.catch(() => undefined);
    // A node that cannot sign off is removed when it has been silent for long enough.
    await this.#remove().catch(() => undefined);
  }

  #isAlive(): boolean {
    return !this.#deps.hasPeers || elapsed_ms() - this.#beatAt_ms < this.#deadAfter_s * 1000;
  }

  #isSkewReported(): boolean {
    return this.isClockWrong() || Math.abs(this.#skew_ms) > SKEW_REPORTED_MS;
  }

  #noteSkew(skew_ms: number): void {
    const [wasReported, wasWrong] = [this.#isSkewReported(), this.isClockWrong()];
    this.#skew_ms = skew_ms;
    const [isReported, isWrong] = [this.#isSkewReported(), this.isClockWrong()];
    if (isReported === wasReported && isWrong === wasWrong) return;
    this.#deps.observer.clockSkewed(isReported ? skew_ms / 1000 : 0, isWrong);
  }

  #noteBeat(sentAt_ms: number, stored: Heartbeat): void {
    // One or more have failed, perhaps those of other nodes too.
    if (sentAt_ms - this.#beatAt_ms > 2 * this.#beat_ms) this.#steadySince_ms = sentAt_ms;
    this.#beatAt_ms = sentAt_ms;
    this.#others = stored;
    const wasApart = this.hasOtherRedis();
    this.#beatsApart = stored.othersApart > 0 ? this.#beatsApart + 1 : 0;
    if (this.hasOtherRedis() !== wasApart) this.#deps.observer.redisDiffers(!wasApart);
    this.#isSilent = false;
  }

  #beat(): Promise<void> {
    this.#beating ??= this.#storeBeat().finally(() => {
      this.#beating = undefined;
    });
    return this.#beating;
  }

  async #storeBeat(): Promise<void> {
    const { store, machineClock, observer } = this.#deps;
    const shared = await this.#redisId();
    const sentAt_ms = elapsed_ms();
    const before_ms = machineClock.now();
    const [stored, wasThere] = await store.writeUrgent(async (tx) => {
      const beaten = await tx.nodes.beat(this.id, this.#deadAfter_s, shared);
      return [beaten ?? (await tx.nodes.add(this.#deps, this.#deadAfter_s, shared)), beaten !== undefined];
    });
    this.#noteBeat(sentAt_ms, stored);
    if (wasThere) return this.#noteSkew(clockSkew_ms(before_ms, stored.at, machineClock.now()));
    observer.wasRemoved();
    // Its streams find out that they were ended; its caches may be stale.
    store.clearCaches();
  }

  async #tick(): Promise<void> {
    const { store, clock, observer } = this.#deps;
    if (!this.#isAlive() && !this.#isSilent) {
      this.#isSilent = true;
      observer.fellSilent();
    }
    await this.#beat();
    if (elapsed_ms() - this.#steadySince_ms < this.#deadAfter_s * 1000) return;
    this.#report(await store.write((tx) => removeDeadNodes(tx, this.id, this.#deadAfter_s, clock.now())));
  }

  #report(remains: RemovedNodes): void {
    const { nodes, streams, jobs, webhooks } = remains;
    if (nodes.length + streams + jobs + webhooks > 0) this.#deps.observer.cleanedUp(remains);
  }

  async #refuse(because: string): Promise<never> {
    await this.#remove();
    throw new Error(because);
  }

  #remove(): Promise<void> {
    return this.#deps.store.write((tx) => tx.nodes.remove(this.id));
  }
}

/** @throws Error if the clocks are too far apart: the node would refuse valid signatures, and drop nonces too early. @source decision 754 */
async function checkedSkew_ms(store: Store, machineClock: Clock, max_ms: number): Promise<number> {
  const before_ms = machineClock.now();
  const database = await store.read((tx) => tx.nodes.findTime());
  const skew_ms = clockSkew_ms(before_ms, database, machineClock.now());
  if (Math.abs(skew_ms) <= max_ms) return skew_ms;
  throw new Error(
    `the clock of this machine shows ${formatMillisecond(before_ms)} and that of the database ${database}: more than ${max_ms / 1000} s apart; synchronize both clocks`,
  );
}

/** Removed nodes that had ended without signing off, and their released work. */
export interface RemovedNodes {
  readonly nodes: readonly StoredNode[];
  /** Ended stream connections. */
  readonly streams: number;
  /** Freed jobs. */
  readonly jobs: number;
  /** Freed webhooks. */
  readonly webhooks: number;
}

/**
 * Removes all nodes except this one, and releases everything that they held: where only one process can open the database
 * as a server.
 * @source decision 752
 */
export async function removeFormerNodes(tx: WriteTransaction, self: string, now_ms: number): Promise<RemovedNodes> {
  return removeAll(tx, await tx.nodes.listOthers(self), now_ms);
}

/**
 * Removes the nodes of this machine whose process has ended, and releases everything that they held. Whether a silent node
 * of another machine is dead shows only after a while.
 * @source decision 752
 */
async function removeEndedNodes(tx: WriteTransaction, self: string, now_ms: number): Promise<RemovedNodes> {
  const others = await tx.nodes.listOthers(self);
  const ended = others.filter(({ process }) => hasEnded(process));
  return removeAll(tx, ended, now_ms);
}

/** Removes the nodes without a heartbeat for this long, and releases everything that they held. @source decision 752 */
export async function removeDeadNodes(
  tx: WriteTransaction,
  self: string,
  dead_after_s: number,
  now_ms: number,
): Promise<RemovedNodes> {
  const nodes = await tx.nodes.removeSilent(self, dead_after_s);
  return nodes.length === 0 ? { nodes, streams: 0, jobs: 0, webhooks: 0 } : release(tx, nodes, now_ms);
}

async function removeAll(tx: WriteTransaction, nodes: readonly StoredNode[], now_ms: number): Promise<RemovedNodes> {
  for (const { id } of nodes) await tx.nodes.remove(id);
  return release(tx, nodes, now_ms);
}

/** Ends the stream connections of removed nodes, and frees their jobs, webhooks and budgets. @source decision 289, 371, 770, 982 */
async function release(tx: WriteTransaction, nodes: readonly StoredNode[], now_ms: number): Promise<RemovedNodes> {
  const streams = await tx.streamConnections.endOrphaned('UpstreamUncleanDisconnect', formatMillisecond(now_ms));
  const jobs = await tx.jobs.releaseOrphaned();
  await tx.budgetLeases.releaseOrphaned();
  return { nodes, streams, jobs, webhooks: await tx.webhookLeases.releaseOrphaned() };
}
