import { openRecords, type RecordFile, type RecordKind } from './record-file.ts';

/** Records of matched users: number, effective_at, expires_at; sorted by number, which may repeat. */
export const MATCHED_RECORDS: RecordKind = { mark: 0x4d_41_54_31, width: 3 };

/** The versions of the members and of the directory that a file of matched users was made from. */
export interface MatchedMetadata {
  /** The last merged upload, and when it was accepted. */
  readonly merged: number;
  readonly accepted_at: number;
  /** The version of the directory, and the checksum of its mark. */
  readonly version: number;
  readonly mark: number;
}

/** Opens the matched users of a subject; undefined without a valid file. */
export function openMatched(path: string): (MatchedMetadata & { readonly records: RecordFile }) | undefined {
  const records = openRecords(path, MATCHED_RECORDS);
  if (!records) return undefined;
  const [merged, accepted_at, version, mark] = records.numbers as [number, number, number, number];
  return { merged, accepted_at, version, mark, records };
}

/** The metadata of the file. */
export function matchedMetadataNumbers({ merged, accepted_at, version, mark }: MatchedMetadata): readonly number[] {
  return [merged, accepted_at, version, mark];
}
