import type { Logger } from 'pino';
import { StoreUnavailable } from '../contract/problems/store-unavailable.ts';

/** Logs what a node reports: see `NodeObserver`, whose shape this has. */
export function nodeLog(log: Logger) {
  return {
    cleanedUp({
      nodes,
      streams,
      jobs,
      webhooks,
    }: {
      readonly nodes: readonly { readonly id: string; readonly hostname: string; readonly version: string }[];
      readonly streams: number;
      readonly jobs: number;
      readonly webhooks: number;
    }): void {
      const named = nodes.map(({ id, hostname, version }) => ({ id, hostname, version }));
      log.warn({ nodes: named, streams, jobs, webhooks }, 'cleaned up after servers that ended without signing off');
    },
    fellSilent(): void {
      log.warn('no heartbeat could be stored for 10 s; this server takes no jobs until one is');
    },
    wasRemoved(): void {
      log.warn('another server took this one for dead; its streams end and its jobs are done by others');
    },
    clockSkewed(skew_s: number, isWrong: boolean): void {
      const differ = 'the clocks of this machine and the database differ by more than';
      if (skew_s === 0) log.info('the clocks of this machine and the database agree again');
      else if (!isWrong) log.warn({ skew_s }, `${differ} 5 s`);
      else log.error({ skew_s }, `${differ} a start allows; this server is not ready while others are alive`);
    },
    redisDiffers(isOther: boolean): void {
      if (isOther) log.error('other servers of this database use another Redis; give all the same redis_url');
      else log.info('all servers of this database use the same Redis again');
    },
    /** Outages are logged separately. */
    failed(err: unknown): void {
      if (!(err instanceof StoreUnavailable)) log.error({ err }, 'could not store a heartbeat');
    },
  };
}
