/** The right of a node to deliver to a webhook, until another node takes the webhook. */
export interface WebhookLease {
  readonly webhook_id: string;
  /** Larger than that of every earlier lease of the webhook. */
  readonly fencing_number: number;
}

/** A lease, and what its node knows of the webhook. */
export interface LeasedPosition extends WebhookLease {
  /** The log position up to which all necessary deliveries are stored. */
  readonly settled_position: number;
}

/** How many webhooks there are for how many nodes. */
export interface WebhookShares {
  readonly webhooks: number;
  /** Those to which no node delivers. */
  readonly free: number;
  /** Those that one node holds. */
  readonly own: number;
  /** The live nodes with the role `worker`; 0 where nodes have no heartbeats. */
  readonly workers: number;
}

/** Which free webhooks to lease, by whom and for how long. */
export interface FreeWebhooks {
  readonly node: string;
  /** How long the lease lasts, by the clock of the database; undefined: until it is given back. */
  readonly lease_s: number | undefined;
  /** Only those that have been free for at least this long. */
  readonly free_s: number;
  readonly max: number;
}

/**
 * Who delivers to which webhook. All times are of the clock of the database.
 * @source decision 770
 */
export interface WebhookLeases {
  /**
   * Counts the webhooks, those free for at least `free_s`, those of a node, and the workers with a heartbeat
   * within `silence_s`.
   */
  findShares(query: {
    readonly node?: string;
    readonly silence_s: number;
    readonly free_s: number;
  }): Promise<WebhookShares>;
  /** The position up to which the log is settled for every webhook; undefined when there are no webhooks. */
  findSettled(): Promise<number | undefined>;
  /** The leases of a node. */
  listOf(node: string): Promise<WebhookLease[]>;
  /** Leases free webhooks, by id, under new fencing numbers. */
  take(free: FreeWebhooks): Promise<LeasedPosition[]>;
  /**
   * Stores the positions of webhooks that the node still holds, and extends their leases; returns the ids of those that
   * it still holds. The others are not changed, and nothing else may be stored for them.
   */
  keep(node: string, leases: readonly LeasedPosition[], lease_s: number | undefined): Promise<ReadonlySet<string>>;
  /**
   * Extends leases to this long from now, except those that are lost and those of webhooks that another unit of work is
   * just changing; returns the ids of the others.
   */
  renew(node: string, leases: readonly WebhookLease[], lease_s: number): Promise<ReadonlySet<string>>;
  /** Gives leases back, if the node still holds them. */
  giveBack(node: string, leases: readonly WebhookLease[]): Promise<void>;
  /** Frees the webhooks of nodes that are no more; returns how many. */
  releaseOrphaned(): Promise<number>;
}
