import type { Random } from '../../base/random.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import type { ReadTransaction, WriteTransaction } from './store.ts';

/** An address of an application to which events are sent, as it is kept. Times are UTC texts, secrets are sealed. */
export interface Webhook {
  /** Decimal text. */
  readonly id: string;
  readonly application_id: string;
  /** As it was given. */
  readonly url: string;
  /** As every parser of addresses writes it: no application has one twice. */
  readonly url_form: string;
  /** 1 while events are sent there. */
  readonly valid: 0 | 1;
  readonly created_at: string;
  /** When it last answered a challenge rightly. */
  readonly validated_at: string;
  /** Since when challenges have gone unanswered; null when the last one was answered. */
  readonly failing_since: string | null;
  /** Why it is not valid, or what was wrong with the last challenge; null when nothing is. */
  readonly failure: string | null;
  /** The secret of the second signature. */
  readonly secret: string;
  /** The secret before this one, which goes on signing for a while; null when there is none. */
  readonly former_secret: string | null;
  readonly former_until: string | null;
}

/** Webhooks, as they are kept. Every change touches `webhook:<id>`. */
export interface Webhooks {
  find(id: string): Promise<Webhook | undefined>;
  /** Finds it and keeps other units that do the same waiting until this one ends. */
  lock(id: string): Promise<Webhook | undefined>;
  /** Those of an application, oldest first. */
  list(application: string): Promise<Webhook[]>;
  /** All of them, by id; the next `limit` after an id. */
  listAll(after: string, limit: number): Promise<Webhook[]>;
  add(webhook: Webhook): Promise<void>;
  change(id: string, changes: Partial<Omit<Webhook, 'id'>>): Promise<void>;
  /** Takes it away; what was sent there goes later. */
  remove(id: string): Promise<void>;
}

/** One try to deliver. */
export interface DeliveryTry {
  /** UTC text of the second in which the answer came, or failed to. */
  readonly at: string;
  /** The status of the answer; undefined when none came. */
  readonly status?: number;
  /** Why none came. */
  readonly reason?: string;
  readonly duration_ms: number;
}

/** `pending`: to be sent, for the first time or again. */
export type DeliveryState = 'pending' | 'delivered' | 'failed';

/** One event for one subscription, on its way to a webhook or arrived. */
export interface WebhookDelivery {
  readonly webhook_id: string;
  /** The id of the message, which stays the same when it is sent again. */
  readonly message_id: string;
  /** The place of the event in the log. */
  readonly position: number;
  readonly subscription_id: string;
  readonly event_type: string;
  /** The body, as it is sent. */
  readonly body: string;
  readonly state: DeliveryState;
  readonly tries: readonly DeliveryTry[];
  /** How many tries came before those of the present schedule: it was begun anew by somebody. */
  readonly tries_before: number;
  /** When it is to be sent; null when it is not. */
  readonly next_at: string | null;
  readonly created_at: string;
}

/** A page of deliveries, newest first. */
export interface DeliveryPage {
  readonly webhook: string;
  /** Only those in this state; all when it is undefined. */
  readonly state: DeliveryState | undefined;
  /** The last one of the page before; undefined for the first page. */
  readonly after: Pick<WebhookDelivery, 'position' | 'message_id'> | undefined;
  readonly limit: number;
}

/** Deliveries, as they are kept. */
export interface WebhookDeliveries {
  find(key: Pick<WebhookDelivery, 'webhook_id' | 'position' | 'message_id'>): Promise<WebhookDelivery | undefined>;
  page(query: DeliveryPage): Promise<WebhookDelivery[]>;
  /** Those of a webhook that are to be sent by now, those that wait longest first. */
  listDue(webhook: string, now: string, limit: number): Promise<WebhookDelivery[]>;
  /** When the next one of a webhook is to be sent, after a time; undefined when none is. */
  findNext(webhook: string, after: string): Promise<string | undefined>;
  /** Which webhooks have any that are to be sent, and when the first of each is. */
  listWaiting(): Promise<{ readonly webhook_id: string; readonly next_at: string }[]>;
  /** Which messages of events above a position are kept, by webhook and message. */
  listMessagesAfter(position: number): Promise<Pick<WebhookDelivery, 'webhook_id' | 'message_id'>[]>;
  /** Stores what came of them; those that are kept already are replaced. */
  putAll(deliveries: readonly WebhookDelivery[]): Promise<void>;
  /** Makes those due that are to be sent after a time. */
  bringForward(now: string, after: string): Promise<void>;
  /** Gives up all of a webhook that are still to be sent. */
  giveUp(webhook: string): Promise<void>;
  /** Forgets those of events up to a position that are not to be sent any more, at most `limit`; how many that were. */
  removeUpTo(position: number, limit: number): Promise<number>;
  /** Up to which position of the log everything is stored here that had to be; undefined before the first. */
  findProgress(): Promise<number | undefined>;
  putProgress(position: number): Promise<void>;
}

/** How a replay stands. */
export type ReplayState = 'Running' | 'Complete' | 'Incomplete';

/** Events of a time that are sent to a webhook once more. @source activity gaps 20 */
export interface Replay {
  /** Decimal text. */
  readonly id: string;
  readonly webhook_id: string;
  readonly application_id: string;
  readonly state: ReplayState;
  /** Events up to this position have been sent. */
  readonly position: number;
  /** The position of the last event that is meant. */
  readonly last_position: number;
  readonly delivered: number;
  readonly failed: number;
  readonly created_at: string;
  readonly ended_at: string | null;
}

/** Replays, as they are kept. */
export interface Replays {
  find(id: string): Promise<Replay | undefined>;
  findRunning(webhook: string): Promise<Replay | undefined>;
  listRunning(): Promise<Replay[]>;
  /** @throws ConstraintViolated when one of the webhook is running. */
  add(replay: Replay): Promise<void>;
  change(
    id: string,
    changes: Partial<Pick<Replay, 'state' | 'position' | 'delivered' | 'failed' | 'ended_at'>>,
  ): Promise<void>;
  /** Forgets those that ended before a time. */
  removeBefore(time: string): Promise<void>;
}

/** What is done with webhooks while the service runs. */
export interface WebhookRunner {
  /** Sends what is to be sent to a webhook by now. */
  resume(webhook: string): void;
  /** Goes on with a replay that is stored as running. */
  replay(id: string): void;
}

/** Rules of webhooks that an operator sets. */
export interface WebhookSettings {
  /** After how many seconds each further try is made. @source activity gaps 19.4 */
  readonly retries_s: readonly number[];
  /** The old path of replays excludes the end that it names. */
  readonly legacyReplayExcludesEnd: boolean;
  /** From when on the old path is gone; undefined when it stays. UTC text. */
  readonly legacyReplayEndsAt: string | undefined;
}

/** The kinds of jobs that others plan too. */
export const WEBHOOK_JOBS = { check: 'webhook check', retry: 'webhook retry' } as const;

/** Plans that every webhook of an application is challenged now: its secret is another one. @source activity gaps 19.4 */
export async function planChallenges(tx: WriteTransaction, application: string, now: string): Promise<void> {
  for (const { id, valid } of await tx.webhooks.list(application)) {
    if (valid) await tx.jobs.plan({ kind: WEBHOOK_JOBS.check, key: id, run_at: now });
  }
}

/** What came of a challenge. */
export interface ChallengeResult {
  readonly hasPassed: boolean;
  /** Why it was not answered rightly, as far as the owner of the application may know it; empty when it was. */
  readonly reason: string;
}

/** What the owner of an application may do with its webhooks besides calls: pages and commands. */
export interface WebhookAdministration {
  /** Challenges a webhook now; undefined when it was removed meanwhile. Never inside a unit of work. */
  validate(webhook: Webhook): Promise<ChallengeResult | undefined>;
  /** Gives a webhook a new secret, which is told once; undefined when there is no such webhook. */
  rotateSecret(
    by: { readonly tx: WriteTransaction; readonly box: SecretBox; readonly random: Random; readonly now: string },
    id: string,
  ): Promise<string | undefined>;
  /** The delivery of a message. */
  findDelivery(tx: ReadTransaction, webhook: string, message: string): Promise<WebhookDelivery | undefined>;
  /** Sends deliveries once more. */
  resend(tx: WriteTransaction, deliveries: readonly WebhookDelivery[], now: string): Promise<void>;
  /** What became of a delivery the last time, in few words. */
  lastOutcome(delivery: Pick<WebhookDelivery, 'tries'>): string;
}
