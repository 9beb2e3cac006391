import type { Environment } from '../declare/account-state.ts';
import type { Subject } from './audiences.ts';
import type { LineItemOfCampaign } from './line-items-summary.ts';

/** The subject under which the people of an audience or a list are stored. */
export function subjectOf(kind: 'audience' | 'list', id: string): Subject {
  return `${kind}:${id}`;
}

/** What a grantee may do with an audience. */
export type PermissionLevel = 'READ_ONLY' | 'READ_WRITE';

/** The state of an audience or a do-not-reach list. Booleans are 0 or 1. */
export interface ReportedState {
  /** 1 after it was created or people were uploaded, until that is processed. */
  readonly is_processing: 0 | 1;
  readonly is_targetable: 0 | 1;
  /** The number of members as reported to callers: null while it is below the minimum. */
  readonly size: number | null;
}

/** An audience or a list, as far as its processing needs it. */
export interface StoredAudience extends ReportedState {
  readonly subject: Subject;
  readonly id: string;
  readonly account_id: string;
  readonly environment: Environment;
  /** `LIST` is no audience but a do-not-reach list. */
  readonly audience_type: 'CRM' | 'FLEXIBLE' | 'MOBILE_AUDIENCE' | 'LIST';
  /** JSON text of the tree of a flexible audience, with all defaults filled in; null otherwise. */
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
  /** Whether it is built from an audience that its owner was granted, and no longer is. @source decision 261 */
  readonly is_withdrawn: 0 | 1;
  /** READ_WRITE for the owner. */
  readonly permission_level: PermissionLevel;
}

/** A live audience that delivery may be about. */
export type LiveAudience = Pick<StoredAudience, 'id' | 'is_targetable'>;

/** A line item that targets an audience, and whether it has a creative. */
export interface TargetingLineItem {
  readonly id: string;
  readonly creative: LineItemOfCampaign['creative'];
}

/** What sharing needs of an account. */
export interface SharingAccount {
  readonly id: string;
  readonly environment: Environment;
  readonly business_id: string | null;
}

/**
 * Custom audiences and lists beyond their rows: their state, their grants, and the audiences that flexible ones are
 * built from.
 */
export interface CustomAudiences {
  /**
   * Up to `max` audiences of an environment that have members of their own, after `after`, in an arbitrary stable
   * order.
   */
  listUploaded(environment: Environment, after: string, max: number): Promise<string[]>;
  /** An audience or a list, deleted or not. */
  find(subject: Subject): Promise<StoredAudience | undefined>;
  /** The live audiences among these ids that the account owns or was granted, unordered. */
  listUsable(account: string, ids: readonly string[]): Promise<UsableAudience[]>;
  /** The live audiences among these ids, of whatever account, unordered. */
  listLive(ids: readonly string[]): Promise<LiveAudience[]>;
  /** The live do-not-reach list of an account: its id. */
  findLiveList(account: string): Promise<string | undefined>;
  /** Ids of the live flexible audiences with this audience as a leaf. */
  listBuiltFrom(leaf: string): Promise<string[]>;
  /** Live line items of an account with a live criterion that includes or excludes an audience or its lookalikes. */
  listTargeting(account: string, audience: string): Promise<TargetingLineItem[]>;
  /** Finds a live account. */
  findSharingAccount(id: string): Promise<SharingAccount | undefined>;
  /** Stores the audiences that a flexible audience is built from. */
  addLeaves(flexible: string, leaves: readonly string[]): Promise<void>;
  /** Marks a subject as processing, after an upload. The rest of its state stays. */
  beginProcessing(subject: Subject): Promise<void>;
  /** Stores the state. `updated_at` changes only when the state reported to callers does. */
  settle(subject: Subject, standing: ReportedState, now: string): Promise<void>;
  /** Revokes every grant of an audience. */
  revokeAll(audience: string, now: string): Promise<void>;
}
