/** A running server, from its start to its end. Times are of the clock of the database: UTC texts with milliseconds. */
export interface StoredNode {
  /** Unique among all starts of all servers. */
  readonly id: string;
  readonly hostname: string;
  readonly version: string;
  readonly started_at: string;
  readonly heartbeat_at: string;
}

/** Selects nodes: those with these ids, or all except one. */
export type NodeSelection = { readonly ids: readonly string[] } | { readonly allExcept: string };

/** The nodes of a database. */
export interface Nodes {
  /** The time of the database. */
  findTime(): Promise<string>;
  /** The number of nodes with a heartbeat within this time. */
  findCount(silence_s: number): Promise<number>;
  /** Adds a node, with a first heartbeat. */
  add(node: Pick<StoredNode, 'id' | 'hostname' | 'version'>): Promise<void>;
  /** Stores a heartbeat; returns its time, or undefined when the node was removed because it was taken for dead. */
  beat(id: string): Promise<string | undefined>;
  /** Removes a node that ends. */
  remove(id: string): Promise<void>;
  /** Removes all nodes except this one; returns them. */
  removeOthers(id: string): Promise<StoredNode[]>;
  /** Removes the nodes without a heartbeat for this long, except this one; returns them. */
  removeSilent(id: string, silence_s: number): Promise<StoredNode[]>;
}
