import { openRecords, type RecordFile, type RecordKind, type RecordMetadata } from './record-file.ts';

/** Records of members: identifier (four numbers), member number, effective_at, expires_at; sorted by identifier. */
export const MEMBER_RECORDS: RecordKind = { mark: 0x4d_45_4d_31, width: 7 };

/** Numbers in a record. */
export const MEMBER_WIDTH = MEMBER_RECORDS.width;

/** The metadata of a file of members. */
export interface MemberMetadata {
  /** The last merged upload, and when it was accepted. */
  readonly merged: number;
  readonly accepted_at: number;
  /** The number of the next new member. */
  readonly next: number;
  /** The number of members of each window. */
  readonly windows: Uint32Array;
}

/** An open file of members. */
export interface MemberFile extends MemberMetadata {
  readonly records: RecordFile;
  close(): void;
}

/** Nothing merged yet. Numbers start at 1: 0 marks free slots. */
export const NO_MEMBERS: MemberMetadata = { merged: 0, accepted_at: 0, next: 1, windows: new Uint32Array(0) };

/** Opens the members of a subject; undefined without a valid file. */
export function openMembers(path: string): MemberFile | undefined {
  const records = openRecords(path, MEMBER_RECORDS);
  if (!records) return undefined;
  const [merged, accepted_at, next] = records.numbers as [number, number, number];
  return { merged, accepted_at, next, windows: records.trailer, records, close: records.close };
}

/** The metadata of the file. */
export function recordMetadataOf({ merged, accepted_at, next, windows }: MemberMetadata): RecordMetadata {
  return { numbers: [merged, accepted_at, next], trailer: windows };
}
