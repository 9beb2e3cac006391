import { DEAD_AFTER_S } from '../../contract/store/nodes.ts';
import type { ReadTransaction } from '../../contract/store/store.ts';
import { type Finding, warning } from './finding.ts';

/** A webhook changes hands within a few seconds. */
const FREE_S = 60;

/** Checks that live servers include a worker, deliver to all webhooks, and that no event waits for one of them since before a time. */
export async function examineWebhooks(tx: ReadTransaction, overdue: string): Promise<Finding[]> {
  const findings: Finding[] = [];
  const live = await tx.nodes.listLive('', DEAD_AFTER_S);
  const { free, workers } = await tx.webhookLeases.findShares({ silence_s: DEAD_AFTER_S, free_s: FREE_S });
  if (live.length > 0 && workers === 0) {
    const advice = 'start one: jobs, webhooks and new events wait for it';
    findings.push(warning('no running server has the role worker', advice));
  } else if (free > 0 && workers > 0) {
    const advice = 'do the servers run the same release? Their logs say why they do not take them';
    findings.push(warning(`no server delivers to ${free} webhooks`, advice));
  }
  const settled = await tx.webhookLeases.findSettled();
  const [first] = settled === undefined ? [] : await tx.events.list({ after: settled, limit: 1 });
  if (first && first.created_at < overdue) {
    const advice = 'is the server running? Its log says why deliveries cannot be stored';
    findings.push(warning(`events since ${first.created_at} are not settled for every webhook`, advice));
  }
  return findings;
}
