import { formatMillisecond } from '../../base/instants.ts';
import { hasEnded } from '../../base/process-identity.ts';
import type { StoredNode } from '../../contract/store/nodes.ts';
import type { WriteTransaction } from '../../contract/store/store.ts';

/** What nodes left behind that ended without signing off. */
export interface Remains {
  readonly nodes: readonly StoredNode[];
  /** The stream connections that were ended. */
  readonly streams: number;
  /** The jobs that were freed. */
  readonly jobs: number;
  /** The webhooks that were freed. */
  readonly webhooks: number;
}

/**
 * Removes all nodes except this one, with all that they held: where only one process can open the database as a server.
 * @source decision 752
 */
export async function removeFormerNodes(tx: WriteTransaction, self: string, now_ms: number): Promise<Remains> {
  return removeAll(tx, await tx.nodes.listOthers(self), now_ms);
}

/**
 * Removes the nodes of this machine whose process has ended, with all that they held; what others hold stays. Whether a
 * silent node of another machine is dead shows only after a while.
 * @source decision 752
 */
export async function removeEndedNodes(tx: WriteTransaction, self: string, now_ms: number): Promise<Remains> {
  const others = await tx.nodes.listOthers(self);
  return removeAll(
    tx,
    others.filter(({ process }) => hasEnded(process)),
    now_ms,
  );
}

/** Removes the nodes without a heartbeat for this long, with all that they held; what others hold stays. @source decision 752 */
export async function removeDeadNodes(
  tx: WriteTransaction,
  self: string,
  dead_after_s: number,
  now_ms: number,
): Promise<Remains> {
  const nodes = await tx.nodes.removeSilent(self, dead_after_s);
  return nodes.length === 0 ? { nodes, streams: 0, jobs: 0, webhooks: 0 } : { nodes, ...(await release(tx, now_ms)) };
}

async function removeAll(tx: WriteTransaction, nodes: readonly StoredNode[], now_ms: number): Promise<Remains> {
  for (const { id } of nodes) await tx.nodes.remove(id);
  return { nodes, ...(await release(tx, now_ms)) };
}

/** Ends the stream connections of nodes that are no more, and frees their jobs, webhooks and budgets. @source decision 289, 371, 770, 982 */
async function release(tx: WriteTransaction, now_ms: number): Promise<Omit<Remains, 'nodes'>> {
  const streams = await tx.streamConnections.endOrphaned('UpstreamUncleanDisconnect', formatMillisecond(now_ms));
  const jobs = await tx.jobs.releaseOrphaned();
  await tx.budgetLeases.releaseOrphaned();
  return { streams, jobs, webhooks: await tx.webhookLeases.releaseOrphaned() };
}
