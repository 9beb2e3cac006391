import type { Environment } from '../declare/resource.ts';
import type { Subject } from './audiences.ts';
import type { LineItemOfCampaign } from './delivery.ts';

/** What a row of either is called where its people are kept. */
export function subjectOf(kind: 'audience' | 'list', id: string): Subject {
  return `${kind}:${id}`;
}

/** What a grantee may do with an audience. */
export type PermissionLevel = 'READ_ONLY' | 'READ_WRITE';

/** Where an audience, or a list of people who are never to be reached, stands. Booleans are 0 or 1. */
export interface ReportedState {
  /** Something was uploaded, or it was made, and is not processed yet. */
  readonly is_processing: 0 | 1;
  readonly is_targetable: 0 | 1;
  /** How many people count, as callers are told: null while there are too few. */
  readonly size: number | null;
}

/** An audience or a list, as far as those who keep its people need it. */
export interface StoredAudience extends ReportedState {
  readonly subject: Subject;
  readonly id: string;
  readonly account_id: string;
  readonly environment: Environment;
  /** `LIST` is no audience: people who are never to be reached. */
  readonly audience_type: 'CRM' | 'FLEXIBLE' | 'MOBILE_AUDIENCE' | 'LIST';
  /** JSON text of the tree of a flexible audience, every default filled in; null for all others. */
  readonly segments: string | null;
  readonly deleted: 0 | 1;
}

/** An audience that an account owns or was granted. */
export interface UsableAudience {
  readonly id: string;
  readonly name: string;
  readonly owner_account_id: string;
  readonly audience_type: StoredAudience['audience_type'];
  readonly is_targetable: 0 | 1;
  /** READ_WRITE for the owner. */
  readonly permission_level: PermissionLevel;
}

/** A line item that targets an audience, with what it has to show. */
export interface TargetingLineItem {
  readonly id: string;
  readonly creative: LineItemOfCampaign['creative'];
}

/** What sharing looks at of an account. */
export interface SharingAccount {
  readonly id: string;
  readonly environment: Environment;
  readonly business_id: string | null;
}

/** Custom audiences and lists beyond their rows: what they stand at, who may use them, which are made of which. */
export interface CustomAudiences {
  /** Up to `max` audiences of an environment that hold people themselves, after one of them, in an order of their own. */
  listUploaded(environment: Environment, after: string, max: number): Promise<string[]>;
  /** An audience or list, deleted ones too. */
  find(subject: Subject): Promise<StoredAudience | undefined>;
  /** The live audiences among these ids that the account owns or was granted, in no order. */
  listUsable(account: string, ids: readonly string[]): Promise<UsableAudience[]>;
  /** Ids of the live flexible audiences that have this one as a leaf. */
  listBuiltFrom(leaf: string): Promise<string[]>;
  /** The live line items of an account with a live criterion that includes or excludes an audience, or who is like it. */
  listTargeting(account: string, audience: string): Promise<TargetingLineItem[]>;
  /** A live account. */
  findSharingAccount(id: string): Promise<SharingAccount | undefined>;
  /** Says of which audiences a flexible one is made. */
  addLeaves(flexible: string, leaves: readonly string[]): Promise<void>;
  /** Says that something was uploaded: it is processed from now on. What it stands at otherwise stays. */
  beginProcessing(subject: Subject): Promise<void>;
  /** Stores where it stands. The time of change moves when callers are told something else than before. */
  settle(subject: Subject, standing: ReportedState, now: string): Promise<void>;
  /** Takes back every grant of an audience. */
  revokeAll(audience: string, now: string): Promise<void>;
}
