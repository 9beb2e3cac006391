import type { Sender, SendResult } from '../contract/services/sending.ts';
import type { Job } from '../contract/store/jobs.ts';
import { Counter, Histogram, type Registry } from './metrics.ts';

/** Counts background work: jobs and webhook deliveries. */
export interface BackgroundMetrics {
  /** A job ended in any way, after this many seconds and deleted `removed` rows. */
  jobEnded(job: Job, outcome: 'done' | 'failed' | 'lost', duration_s: number, removed: number): void;
  /** A webhook accepted a delivery this long after the event happened. */
  delivered(age_s: number): void;
  /** Another server took a webhook over, or it was removed. */
  webhookLost(): void;
  /** A beacon of an ad was dropped. */
  beaconDropped(): void;
  /** Wraps a sender so that every attempt is counted. */
  counted(sender: Sender): Sender;
}

/** Adds the metrics to a registry. */
export function backgroundMetrics(registry: Registry): BackgroundMetrics {
  const registers = [registry];
  const jobs = new Histogram({
    name: 'barker_job_duration_seconds',
    help: 'Job duration, by kind and outcome.',
    labelNames: ['kind', 'outcome'],
    buckets: [0.01, 0.05, 0.25, 1, 5, 30, 120, 600],
    registers,
  });
  const removed = new Counter({
    name: 'barker_rows_removed_total',
    help: 'Expired rows deleted, by kind of job.',
    labelNames: ['kind'],
    registers,
  });
  const attempts = new Histogram({
    name: 'barker_webhook_attempt_duration_seconds',
    help: 'Response time of webhooks, by outcome: 2xx, 3xx, 4xx, 5xx or the reason why there was no response.',
    labelNames: ['outcome'],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const ages = new Histogram({
    name: 'barker_webhook_delivery_delay_seconds',
    help: 'Time from an event until a webhook accepted it, retries included.',
    buckets: [1, 2, 5, 10, 30, 60, 300, 1800, 7200],
    registers,
  });
  const lost = new Counter({
    name: 'barker_webhook_leases_lost_total',
    help: 'Webhooks to which this server stopped delivering because another one took them over or they were removed.',
    registers,
  });
  const dropped = new Counter({
    name: 'barker_beacons_dropped_total',
    help: 'Impressions and clicks that were not counted, because too many waited for the database.',
    registers,
  });
  return {
    beaconDropped: () => dropped.inc(),
    jobEnded({ kind }, outcome, duration_s, rows) {
      jobs.observe({ kind, outcome }, duration_s);
      if (rows > 0) removed.inc({ kind }, rows);
    },
    delivered: (age_s) => ages.observe(age_s),
    webhookLost: () => lost.inc(),
    counted: (sender) => ({
      urlError: (url) => sender.urlError(url),
      close: () => sender.close(),
      async send(request) {
        const sent = await sender.send(request);
        attempts.observe({ outcome: outcomeOf(sent) }, sent.duration_ms / 1000);
        return sent;
      },
    }),
  };
}

function outcomeOf(sent: SendResult): string {
  return sent.outcome === 'answered' ? `${Math.floor(sent.status / 100)}xx` : sent.reason;
}
