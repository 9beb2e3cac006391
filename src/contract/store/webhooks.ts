import type { Random } from '../../base/random.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import type { Replays } from '../../storage/tables/webhooks.ts';
import type { ReadTransaction, WriteTransaction } from '../../storage/unit-of-work.ts';

/** A stored webhook of an application. Times are UTC texts, secrets are sealed. */
export interface Webhook {
  /** Decimal text. */
  readonly id: string;
  readonly application_id: string;
  /** As received. */
  readonly url: string;
  /** The normalized URL, unique within the application. */
  readonly url_form: string;
  /** 1 while events are delivered to it. */
  readonly valid: 0 | 1;
  readonly created_at: string;
  /** When it last answered a challenge correctly. */
  readonly validated_at: string;
  /** When challenges began to fail; null when the last one passed. */
  readonly failing_since: string | null;
  /** Why it is invalid, or the error of the last challenge; null when there is none. */
  readonly failure: string | null;
  /** The secret of the second signature. */
  readonly secret: string;
  /** The previous secret, which still signs for a while; null when there is none. */
  readonly former_secret: string | null;
  readonly former_until: string | null;
}

/** One delivery attempt. */
export interface DeliveryTry {
  /** UTC text of the second in which the response arrived or the attempt failed. */
  readonly at: string;
  /** Status of the response; undefined when there was none. */
  readonly status?: number;
  /** Why there was no response. */
  readonly reason?: string;
  readonly duration_ms: number;
}

/** `pending`: to be sent, for the first time or again. */
export type DeliveryState = 'pending' | 'delivered' | 'failed';

/** The delivery of one event for one subscription to a webhook, pending or done. */
export interface WebhookDelivery {
  readonly webhook_id: string;
  /** The message id, which stays the same on every attempt. */
  readonly message_id: string;
  /** The position of the event in the log. */
  readonly position: number;
  readonly subscription_id: string;
  readonly event_type: string;
  /** The request body. */
  readonly body: string;
  readonly state: DeliveryState;
  readonly tries: readonly DeliveryTry[];
  /** Attempts before the current schedule, which was restarted. */
  readonly tries_before: number;
  /** When the next attempt is due; null when there is none. */
  readonly next_at: string | null;
  readonly created_at: string;
}

/** The state of a replay. */
export type ReplayState = 'Running' | 'Complete' | 'Incomplete';

/** A replay: events of a time range, sent to a webhook again. @source activity 20 */
export interface Replay {
  /** Decimal text. */
  readonly id: string;
  readonly webhook_id: string;
  readonly application_id: string;
  readonly state: ReplayState;
  /** Events up to this position have been sent. */
  readonly position: number;
  /** Position of the last event of the replay. */
  readonly last_position: number;
  readonly delivered: number;
  readonly failed: number;
  readonly created_at: string;
  readonly ended_at: string | null;
}

/** Runs webhook work while the service is up. */
export interface WebhookReplayer {
  /**
   * Does the next part of a replay; undefined when it is not running. The signal tells it to stop; it then rejects with
   * its reason.
   */
  replay(id: string, signal: AbortSignal): Promise<ReplayStep | undefined>;
}

/** What a part of a replay has changed; with a state, the replay has ended. */
export interface ReplayStep {
  readonly changes: Parameters<Replays['change']>[1];
}

/** The names of what challenges contain: in the query, and in the answer. */
export interface ChallengeNames {
  readonly crc_token: string;
  readonly nonce: string;
  readonly response_token: string;
}

/** Operator settings for webhooks. */
export interface WebhookSettings {
  /** Delays of the retries, in seconds. @source activity 19.4 */
  readonly retries_s: readonly number[];
  /** Whether the legacy replay path treats the end as exclusive. */
  readonly legacyReplayExcludesEnd: boolean;
  /** When the legacy path is removed; undefined when it stays. UTC text. */
  readonly legacyReplayEndsAt: string | undefined;
  readonly challengeNames: ChallengeNames;
}

/** Job kinds that other features plan too. */
export const WEBHOOK_JOBS = { check: 'webhook check', retry: 'webhook retry', replay: 'webhook replay' } as const;

/**
 * Plans an immediate challenge of every valid webhook of an application, after its secret changed.
 * @source activity 19.4
 */
export async function planChallenges(tx: WriteTransaction, application: string, now: string): Promise<void> {
  for (const { id, valid } of await tx.webhooks.list(application)) {
    if (valid) await tx.jobs.plan({ kind: WEBHOOK_JOBS.check, key: id, run_at: now });
  }
}

/** The result of a challenge. */
export interface ChallengeResult {
  readonly hasPassed: boolean;
  /** Why it failed, as far as the application's owner may know; empty when it passed. */
  readonly reason: string;
}

/** What pages and commands may do with the webhooks of an application. */
export interface WebhookAdministration {
  /** Challenges a webhook now; undefined when it was removed meanwhile. Never call inside a unit of work. */
  validate(webhook: Webhook): Promise<ChallengeResult | undefined>;
  /**
   * Rotates the secret of a webhook and returns the new one, which is shown once; undefined when there is no such
   * webhook.
   */
  rotateSecret(
    by: { readonly tx: WriteTransaction; readonly box: SecretBox; readonly random: Random; readonly now: string },
    id: string,
  ): Promise<string | undefined>;
  /** The delivery of a message. */
  findDelivery(tx: ReadTransaction, webhook: string, message: string): Promise<WebhookDelivery | undefined>;
  /** Sends deliveries again. */
  resend(tx: WriteTransaction, deliveries: readonly WebhookDelivery[], now: string): Promise<void>;
  /** The outcome of the last attempt, in few words. */
  lastOutcome(delivery: Pick<WebhookDelivery, 'tries'>): string;
}
