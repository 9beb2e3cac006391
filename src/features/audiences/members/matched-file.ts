import { openRecords, type RecordFile, type RecordKind } from './record-file.ts';

/** Users of the directory who are in an audience: number, effective_at, expires_at; by number, which may come again. */
export const MATCHED_RECORDS: RecordKind = { mark: 0x4d_41_54_31, width: 3 };

/** Of what a file of matched users was made: of other members or another directory it would be another. */
export interface MatchedNotes {
  /** Up to which upload the members were merged, and when that was accepted. */
  readonly merged: number;
  readonly accepted_at: number;
  /** The version of the directory, and a checksum of its mark. */
  readonly version: number;
  readonly mark: number;
}

/** Opens the matched users of a subject; undefined when there is no sound file. */
export function openMatched(path: string): (MatchedNotes & { readonly records: RecordFile }) | undefined {
  const records = openRecords(path, MATCHED_RECORDS);
  if (!records) return undefined;
  const [merged, accepted_at, version, mark] = records.own as [number, number, number, number];
  return { merged, accepted_at, version, mark, records };
}

/** What the file says of itself. */
export function matchedOwn({ merged, accepted_at, version, mark }: MatchedNotes): readonly number[] {
  return [merged, accepted_at, version, mark];
}
