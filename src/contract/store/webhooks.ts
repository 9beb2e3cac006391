import type { Random } from '../../base/random.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import type { ReadTransaction, WriteTransaction } from './store.ts';

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

/** The stored webhooks. Every change invalidates `webhook:<id>`. */
export interface Webhooks {
  find(id: string): Promise<Webhook | undefined>;
  /** Finds and locks it until the unit ends. */
  lock(id: string): Promise<Webhook | undefined>;
  /** The webhooks of an application, oldest first. */
  list(application: string): Promise<Webhook[]>;
  /** All webhooks by id: the first `limit` after an id. */
  listAll(after: string, limit: number): Promise<Webhook[]>;
  /** Adds it, free for any node; events up to a position of the log are not for it. */
  add(webhook: Webhook, settled_position: number): Promise<void>;
  change(id: string, changes: Partial<Omit<Webhook, 'id'>>): Promise<void>;
  /** Removes it; its deliveries are removed later. */
  remove(id: string): Promise<void>;
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

/** A page of deliveries, newest first. */
export interface DeliveryPage {
  readonly webhook: string;
  /** Only those in this state; all when undefined. */
  readonly state: DeliveryState | undefined;
  /** The last delivery of the previous page; undefined for the first page. */
  readonly after: Pick<WebhookDelivery, 'position' | 'message_id'> | undefined;
  readonly limit: number;
}

/** The stored deliveries. */
export interface WebhookDeliveries {
  find(key: Pick<WebhookDelivery, 'webhook_id' | 'position' | 'message_id'>): Promise<WebhookDelivery | undefined>;
  page(query: DeliveryPage): Promise<WebhookDelivery[]>;
  /** The due deliveries of a webhook, longest waiting first. */
  listDue(webhook: string, now: string, limit: number): Promise<WebhookDelivery[]>;
  /** When the next delivery of a webhook after `after` is due; undefined when there is none. */
  findNext(webhook: string, after: string): Promise<string | undefined>;
  /** The webhooks with pending deliveries, and when the first of each is due. */
  listWaiting(): Promise<{ readonly webhook_id: string; readonly next_at: string }[]>;
  /** The stored deliveries to some webhooks of events above a position. */
  listMessagesAfter(
    webhooks: readonly string[],
    position: number,
  ): Promise<Pick<WebhookDelivery, 'webhook_id' | 'message_id'>[]>;
  /** Stores deliveries with their outcome, replacing existing ones. */
  putAll(deliveries: readonly WebhookDelivery[]): Promise<void>;
  /** Makes deliveries due that wait for a time after `after`. */
  bringForward(now: string, after: string): Promise<void>;
  /** Gives up all pending deliveries of a webhook. */
  giveUp(webhook: string): Promise<void>;
  /** Removes at most `limit` deliveries of events up to a position that are not pending; returns how many. */
  removeUpTo(position: number, limit: number): Promise<number>;
}

/** The state of a replay. */
export type ReplayState = 'Running' | 'Complete' | 'Incomplete';

/** A replay: events of a time range, sent to a webhook again. @source activity gaps 20 */
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

/** The stored replays. */
export interface Replays {
  find(id: string): Promise<Replay | undefined>;
  findRunning(webhook: string): Promise<Replay | undefined>;
  /** @throws ConstraintViolated when the webhook has a running replay. */
  add(replay: Replay): Promise<void>;
  change(
    id: string,
    changes: Partial<Pick<Replay, 'state' | 'position' | 'delivered' | 'failed' | 'ended_at'>>,
  ): Promise<void>;
  /** Removes at most `limit` that ended before a time; returns how many. */
  removeBefore(time: string, limit: number): Promise<number>;
}

/** Runs webhook work while the service is up. */
export interface WebhookRunner {
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
  /** Delays of the retries, in seconds. @source activity gaps 19.4 */
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
 * @source activity gaps 19.4
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
