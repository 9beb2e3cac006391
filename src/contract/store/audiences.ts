import type { Environment } from '../declare/account-state.ts';
import type { ErrorDetail } from '../problems/problems.ts';
import type { BuiltFiles } from './derived-files.ts';

/**
 * The kinds of identifiers. The index of a kind is its code, the last byte of an identifier. Codes are stored, so
 * append new kinds at the end.
 * @source creatives 19.1
 */
export const IDENTIFIER_KINDS = [
  'email',
  'phone_number',
  'handle',
  'service_user_id',
  'device_id',
  'partner_user_id',
] as const;

/** A kind of identifier. */
export type IdentifierKind = (typeof IDENTIFIER_KINDS)[number];

/** Whether identifiers of a kind are sent hashed. */
export function isHashedKind(kind: IdentifierKind): boolean {
  return kind !== 'partner_user_id';
}

/** Length of an identifier in bytes: the first 15 of its SHA-256, then the code of its kind. Compared bytewise. */
export const IDENTIFIER_BYTES = 16;

/** What people are uploaded to: an audience or a do-not-reach list. */
export type Subject = `audience:${string}` | `list:${string}`;

/** A stored upload. Times are in whole seconds since 1970. */
export interface AudienceUpload {
  /** Consecutive from 1, in the order in which uploads were acknowledged. */
  readonly number: number;
  /** Never earlier than that of the previous upload. */
  readonly accepted_at: number;
  /** How many people it contains. */
  readonly records: number;
  /** Packed operations: see `features/audiences/uploads/packed-format.ts`. */
  readonly payload: Uint8Array;
}

/**
 * Who counts as a member of an audience: recently active users of the directory who share an identifier with it, or
 * every uploaded record.
 * @source specification 2
 */
export type MatchingStrategy = 'directory' | 'every-record';

/** A set of people: the members of a subject, or a boolean combination of such sets. */
export type AudienceTree =
  | { readonly leaf: Subject; readonly negate: boolean }
  | { readonly operator: 'AND' | 'OR'; readonly children: readonly AudienceTree[] };

/** The unit of the second significant digit of a number of people. @source decision 291 and 1275 */
export function roundingStep(count: number): number {
  return 10 ** Math.max(0, String(count).length - 2);
}

/** A number of people, rounded down to two significant digits. @source decision 1275 */
export function roundedPeople(count: number): number {
  const step = roundingStep(count);
  return Math.floor(count / step) * step;
}

/** The size of an audience at a point in time. */
export interface AudienceSize {
  /** Number of the last merged upload; 0 for trees and for subjects without uploads. */
  readonly merged: number;
  readonly size: number;
  /** When the size may next change without an upload, in whole seconds since 1970; undefined when never. */
  readonly next_change_at: number | undefined;
}

/** The size of an audience, and the files from which it was counted, to be recorded with it. */
export interface ProcessedAudience extends AudienceSize {
  readonly built: readonly BuiltFiles[];
}

/**
 * The members of audiences: index files derived from the log and the directory. `now` is in Unix seconds. Work whose
 * signal is aborted stops before its next step, and rejects with the reason.
 */
export interface AudienceMembers {
  /** Merges all uploads of the log that the index lacks, and counts. */
  mergeAndCount(
    subject: Subject,
    strategy: MatchingStrategy,
    now: number,
    signal?: AbortSignal,
  ): Promise<ProcessedAudience>;
  /** Merges the uploads of the leaves of a tree too, and counts its people. */
  countTree(
    tree: AudienceTree,
    strategy: MatchingStrategy,
    now: number,
    signal?: AbortSignal,
  ): Promise<ProcessedAudience>;
  /**
   * Numbers of the directory users in a tree, ascending, active or not; from what is recorded of its leaves, whichever
   * node has built it. Files that are lost are built anew.
   */
  usersOf(tree: AudienceTree, now: number): Promise<Uint32Array>;
  /** Changes whenever the members of a subject are merged: a result of `usersOf` is valid while it stays the same. */
  versionOf(subject: Subject): Promise<string>;
  /** Removes everything derived from a subject from this machine. */
  forget(subject: Subject): Promise<void>;
  close(): Promise<void>;
}

/** Job kind that merges, matches and counts; the key is the subject. An upload plans the job in its own unit. */
export const AUDIENCE_PROCESSING = 'audience-processing';

/** Job kind that rematches audiences against a changed directory. The key is the audience after which to continue. */
export const AUDIENCE_REMATCHING = 'audience-rematching';

/** Settings for audiences. */
export interface AudienceSettings {
  strategy(environment: Environment): MatchingStrategy;
  /** Delay between an upload and its processing. */
  processing_delay_s(environment: Environment): number;
  /** Smaller audiences are not targetable. */
  readonly size_min: number;
}

/** What an operation of an upload contains beside its people, as far as it could be parsed. */
export interface UploadOperation {
  readonly operation_type: 'Update' | 'Delete' | undefined;
  /** UTC text, when present. */
  readonly expires_at: string | undefined;
  /** How many people it contains. */
  readonly records: number;
}

/** A valid upload of people. */
export interface ParsedUpload {
  readonly records: number;
  readonly operations: readonly UploadOperation[];
  /** Packed operations: see `features/audiences/uploads/packed-format.ts`. */
  readonly payload: Uint8Array<ArrayBuffer>;
}

/** The errors of an upload: of the upload as a whole, or of each operation. */
export type UploadErrors =
  | { readonly whole: readonly ErrorDetail[] }
  | { readonly items: readonly (readonly ErrorDetail[])[]; readonly operations: readonly UploadOperation[] };

/** What an upload of people may contain. */
export interface UploadRules {
  /** The accepted kinds of identifiers. */
  readonly kinds: readonly IdentifierKind[];
  /** Whether operations may have an `effective_at`. */
  readonly acceptsEffectiveAt: boolean;
  /** Whether an end may not be later than the default one. */
  readonly limitsExpiry: boolean;
}

/** Parses uploads of people off the main thread. */
export interface UploadParser {
  /** @param body is transferred: it is empty afterwards. */
  read(body: Uint8Array<ArrayBuffer>, now_s: number, rules: UploadRules): Promise<ParsedUpload | UploadErrors>;
  close(): Promise<void>;
}
