import type { Environment } from '../declare/account-state.ts';
import type { Subject } from './audiences.ts';
import type { SummarizedLineItem } from './line-items-summary.ts';

/** The subject under which the people of an audience or a list are stored. */
export function subjectOf(kind: 'audience' | 'list', id: string): Subject {
  return `${kind}:${id}`;
}

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

/** A line item that targets an audience, and whether it has a creative. */
export interface TargetingLineItem {
  readonly id: string;
  readonly creative: SummarizedLineItem['creative'];
}
