import type { Environment } from '../declare/resource.ts';
import type { ErrorDetail } from '../problems/problems.ts';

/**
 * The kinds of identifiers by which people are known; the place of a kind is its code, the last byte of an identifier.
 * New kinds come last: codes are stored.
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

/** A kind of identifiers. */
export type IdentifierKind = (typeof IDENTIFIER_KINDS)[number];

/** Bytes of an identifier: the first 15 of its SHA-256, and the code of its kind. Compared as bytes. */
export const IDENTIFIER_BYTES = 16;

/** Whose people: an audience's, or a list's of those who are not to be reached. */
export type Subject = `audience:${string}` | `list:${string}`;

/** An upload as it is kept. Times are whole seconds since 1970. */
export interface AudienceUpload {
  /** Dense from 1, in the order in which uploads were acknowledged. */
  readonly number: number;
  /** Never earlier than that of the upload before it. */
  readonly accepted_at: number;
  /** How many people it names. */
  readonly records: number;
  /** Packed operations: see `features/audiences/uploads/packed-format.ts`. */
  readonly payload: Uint8Array;
}

/** The uploads of subjects: append-only, and the truth about who is in an audience. */
export interface AudienceLog {
  /**
   * Stores what an upload says that is appended later in the same unit. It takes far longer than the rest, and keeps nobody
   * from doing the same at the same time.
   * @param key of this subject and no other upload.
   */
  storePayload(subject: Subject, key: string, payload: Uint8Array): Promise<void>;
  /** Takes the next number for an upload whose payload was brought under a key, and had so many bytes. */
  append(
    subject: Subject,
    upload: Pick<AudienceUpload, 'accepted_at' | 'records'> & { readonly key: string; readonly bytes: number },
  ): Promise<Pick<AudienceUpload, 'number' | 'accepted_at'>>;
  /** Uploads after a number, in order: at least one if there is one, and no more than `bytes_max` of payload hold. */
  findAfter(subject: Subject, number: number, bytes_max: number): Promise<AudienceUpload[]>;
  /** The last upload of a subject, or the one of a number; undefined when there is none. */
  find(subject: Subject, number?: number): Promise<Pick<AudienceUpload, 'number' | 'accepted_at'> | undefined>;
  /** Removes up to `max` uploads of a subject, and once none is left, the subject; false when there are more. */
  remove(subject: Subject, max: number): Promise<boolean>;
}

/**
 * Who counts as in an audience: users of the directory who were active lately and have an identifier in common with it,
 * or every record that was uploaded.
 * @source specification 2
 */
export type MatchingStrategy = 'directory' | 'every-record';

/** Which people are meant: those of a subject, or what a tree of them says. */
export type AudienceTree =
  | { readonly leaf: Subject; readonly negate: boolean }
  | { readonly operator: 'AND' | 'OR'; readonly children: readonly AudienceTree[] };

/** What an audience amounts to at a time. */
export interface AudienceSize {
  /** Up to which upload it was merged; 0 for trees and for subjects without uploads. */
  readonly merged: number;
  readonly size: number;
  /** When the size may next change without an upload, in whole seconds since 1970; undefined for never. */
  readonly next_change_at: number | undefined;
}

/** Who is in audiences: indexes in files, derived from the log and the directory. `now` is in whole seconds since 1970. */
export interface AudienceMembers {
  /** Merges what the log has more than the index, all of it, and counts. */
  mergeAndCount(subject: Subject, strategy: MatchingStrategy, now: number): Promise<AudienceSize>;
  /** Counts what a tree says of its leaves, as far as they are merged. */
  countTree(tree: AudienceTree, strategy: MatchingStrategy, now: number): Promise<AudienceSize>;
  /**
   * The users of the directory whom a tree means, by number, ascending, active or not; as far as its leaves are merged.
   */
  usersOf(tree: AudienceTree, now: number): Promise<Uint32Array>;
  /** Says when the people of a subject were merged last: what was made of `usersOf` is good while it is the same. */
  versionOf(subject: Subject): Promise<string>;
  /** Removes what is derived of a subject. */
  forget(subject: Subject): Promise<void>;
  close(): Promise<void>;
}

/** The kind of jobs that merge, match and count; the key of a job is its subject. An upload plans one in its unit. */
export const AUDIENCE_PROCESSING = 'audience-processing';

/** The kind of jobs that let audiences meet a directory that changed. The key: the audience after which they go on. */
export const AUDIENCE_REMATCHING = 'audience-rematching';

/** The settings of audiences. */
export interface AudienceSettings {
  strategy(environment: Environment): MatchingStrategy;
  /** How long after an upload it is processed. */
  processing_delay_s(environment: Environment): number;
  /** Smaller audiences are not targetable. */
  readonly size_min: number;
}

/** What an operation of an upload says beside its people, as far as it could be read. */
export interface UploadOperation {
  readonly operation_type: 'Update' | 'Delete' | undefined;
  /** UTC text, when one was given. */
  readonly expires_at: string | undefined;
  /** How many people it names. */
  readonly records: number;
}

/** An upload of people that is sound. */
export interface ParsedUpload {
  readonly records: number;
  readonly operations: readonly UploadOperation[];
  /** Packed operations: see `features/audiences/uploads/packed-format.ts`. */
  readonly payload: Uint8Array<ArrayBuffer>;
}

/** What is wrong with an upload: as a whole, or with each of its operations. */
export type UploadErrors =
  | { readonly whole: readonly ErrorDetail[] }
  | { readonly items: readonly (readonly ErrorDetail[])[]; readonly operations: readonly UploadOperation[] };

/** What an upload of people may say. */
export interface UploadRules {
  /** The kinds of identifiers that are taken. */
  readonly kinds: readonly IdentifierKind[];
  /** Whether operations may say from when on they hold. */
  readonly acceptsEffectiveAt: boolean;
  /** Whether the end must not be later than the one that is there when none is given. */
  readonly limitsExpiry: boolean;
}

/** Reads uploads of people, off the request loop. */
export interface UploadParser {
  /** @param body is given away: it is empty afterwards. */
  read(body: Uint8Array<ArrayBuffer>, now_s: number, rules: UploadRules): Promise<ParsedUpload | UploadErrors>;
  close(): Promise<void>;
}
