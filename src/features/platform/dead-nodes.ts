import { formatMillisecond } from '../../base/instants.ts';
import { hasEnded } from '../../base/process-identity.ts';
import type { StoredNode } from '../../contract/store/nodes.ts';
import type { WriteTransaction } from '../../storage/unit-of-work.ts';

/** What was released of nodes that ended without signing off. */
export interface Remains {
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
export async function removeFormerNodes(tx: WriteTransaction, self: string, now_ms: number): Promise<Remains> {
  return removeAll(tx, await tx.nodes.listOthers(self), now_ms);
}

/**
 * Removes the nodes of this machine whose process has ended, and releases everything that they held. Whether a silent node
 * of another machine is dead shows only after a while.
 * @source decision 752
 */
export async function removeEndedNodes(tx: WriteTransaction, self: string, now_ms: number): Promise<Remains> {
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
): Promise<Remains> {
  const nodes = await tx.nodes.removeSilent(self, dead_after_s);
  return nodes.length === 0 ? { nodes, streams: 0, jobs: 0, webhooks: 0 } : release(tx, nodes, now_ms);
}

async function removeAll(tx: WriteTransaction, nodes: readonly StoredNode[], now_ms: number): Promise<Remains> {
  for (const { id } of nodes) await tx.nodes.remove(id);
  return release(tx, nodes, now_ms);
}

/** Ends the stream connections of removed nodes, and frees their jobs, webhooks and budgets. @source decision 289, 371, 770, 982 */
async function release(tx: WriteTransaction, nodes: readonly StoredNode[], now_ms: number): Promise<Remains> {
  const streams = await tx.streamConnections.endOrphaned('UpstreamUncleanDisconnect', formatMillisecond(now_ms));
  const jobs = await tx.jobs.releaseOrphaned();
  await tx.budgetLeases.releaseOrphaned();
  return { nodes, streams, jobs, webhooks: await tx.webhookLeases.releaseOrphaned() };
}
