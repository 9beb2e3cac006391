import { formatMillisecond } from '../../base/instants.ts';
import type { NodeSelection, StoredNode } from '../../contract/store/nodes.ts';
import type { WriteTransaction } from '../../contract/store/store.ts';

/** A node without a heartbeat for this long is dead. @source decision 751 */
export const DEAD_AFTER_S = 10;

/** What nodes left behind that ended without signing off. */
export interface Remains {
  readonly nodes: readonly StoredNode[];
  /** The stream connections that were ended. */
  readonly streams: number;
  /** The jobs that were freed. */
  readonly jobs: number;
}

/**
 * Removes all nodes except this one, with all that they held: for a node that holds the server lock, so that no other
 * can be alive.
 * @source decision 752
 */
export async function removeFormerNodes(tx: WriteTransaction, self: string, now_ms: number): Promise<Remains> {
  const nodes = await tx.nodes.removeOthers(self);
  return { nodes, ...(await release(tx, { allExcept: self }, now_ms)) };
}

/** Removes the nodes without a heartbeat for this long, with all that they held; what others hold stays. @source decision 752 */
export async function removeDeadNodes(
  tx: WriteTransaction,
  self: string,
  dead_after_s: number,
  now_ms: number,
): Promise<Remains> {
  const nodes = await tx.nodes.removeSilent(self, dead_after_s);
  return { nodes, ...(await release(tx, { ids: nodes.map(({ id }) => id) }, now_ms)) };
}

/** Ends the stream connections of nodes and frees their jobs. @source decision 289, 371 */
async function release(
  tx: WriteTransaction,
  nodes: NodeSelection,
  now_ms: number,
): Promise<Pick<Remains, 'streams' | 'jobs'>> {
  const streams = await tx.streamConnections.endOfNodes(nodes, 'UpstreamUncleanDisconnect', formatMillisecond(now_ms));
  return { streams, jobs: await tx.jobs.releaseNodes(nodes) };
}
