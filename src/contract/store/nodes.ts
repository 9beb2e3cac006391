/** A node without a heartbeat for this long is dead. @source decision 751 */
export const DEAD_AFTER_S = 10;

/** A running server, from its start to its end. Times are of the clock of the database: UTC texts with milliseconds. */
export interface StoredNode {
  /** Unique among all starts of all servers. */
  readonly id: string;
  readonly hostname: string;
  readonly version: string;
  /** The identity of its process; empty when it is unknown. */
  readonly process: string;
  /** Its master keys, as `describeMasterKeys` returns them; empty when they are unknown. */
  readonly master_keys: string;
  /** The id of the Redis that it uses; empty when it is unknown or there is none. */
  readonly shared_server: string;
  /** What it does, separated by commas: `api`, `stream`, `worker`, `search`. */
  readonly roles: string;
  /** The last migration that it knows; empty when that is unknown. */
  readonly schema_level: string;
  readonly started_at: string;
  readonly heartbeat_at: string;
}

/** The id of a node as people see it, in its log and where nodes are listed. */
export function shortNodeId(id: string): string {
  return id.slice(0, 8);
}

/** What a node tells about itself. */
export type NewNode = Omit<StoredNode, 'shared_server' | 'started_at' | 'heartbeat_at'>;

/** A stored heartbeat. */
export interface Heartbeat {
  readonly at: string;
  /** The number of other nodes with a recent one. */
  readonly others: number;
  /** The number of those that answer requests: all but mere workers. */
  readonly othersAnswering: number;
  /** The number of those that use another Redis than this one. */
  readonly othersApart: number;
}
