import { openRecords, type RecordFile, type RecordKind, type RecordNotes } from './record-file.ts';

/** Entries of who is in an audience: identifier (four numbers), member, effective_at, expires_at; by identifier. */
export const MEMBER_RECORDS: RecordKind = { mark: 0x4d_45_4d_31, width: 7 };

/** Numbers of an entry. */
export const MEMBER_WIDTH = MEMBER_RECORDS.width;

/** What a file of members is at. */
export interface MemberNotes {
  /** Up to which upload of the log it is merged, and when that was accepted. */
  readonly merged: number;
  readonly accepted_at: number;
  /** The number that the next new member gets. */
  readonly next: number;
  /** How many members have each window. */
  readonly windows: Uint32Array;
}

/** An open file of members. */
export interface MemberFile extends MemberNotes {
  readonly records: RecordFile;
  close(): void;
}

/** Nothing merged yet. Member 0 does not exist: it marks free places. */
export const NO_MEMBERS: MemberNotes = { merged: 0, accepted_at: 0, next: 1, windows: new Uint32Array(0) };

/** Opens the members of a subject; undefined when there is no sound file. */
export function openMembers(path: string): MemberFile | undefined {
  const records = openRecords(path, MEMBER_RECORDS);
  if (!records) return undefined;
  const [merged, accepted_at, next] = records.own as [number, number, number];
  return { merged, accepted_at, next, windows: records.trailer, records, close: records.close };
}

/** What the file says of itself. */
export function notesOf({ merged, accepted_at, next, windows }: MemberNotes): RecordNotes {
  return { own: [merged, accepted_at, next], trailer: windows };
}
