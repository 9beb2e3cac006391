import type { AccountState } from '../../../contract/declare/resource.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import {
  type MediaCategory,
  type MediaKey,
  type MediaType,
  type MediaUrls,
  mediaKeyOf,
  parseMediaKey,
} from '../../../contract/services/media.ts';
import type { ReadTransaction } from '../../../contract/store/store.ts';
import type { Upload, UploadState } from '../../../contract/store/uploads.ts';
import { describeMedia, ownersOf } from './describe-media.ts';
import { libraryRows } from './library-rows.ts';

/** What cards and posts may know of media that the account may use. */
export interface MediaDetails {
  readonly key: string;
  readonly category: MediaCategory;
  readonly type: MediaType;
  readonly state: UploadState;
  /** Pixels; null until it was measured. */
  readonly width: number | null;
  readonly height: number | null;
  /** Null for images and animations. */
  readonly duration_ms: number | null;
  /** Null where nobody uploaded it. */
  readonly bytes: number | null;
  /** `w:h` in lowest terms; null until it was measured. */
  readonly aspect_ratio: string | null;
  readonly url: string;
  /** The first frame; null for images. */
  readonly poster_url: string | null;
  /** Where the files of a video are listed, and its playlist; null for others. */
  readonly vmap_url: string | null;
  readonly hls_url: string | null;
  /** It is the first frame of a video or GIF, under a key of an image: it is in no library by itself. */
  readonly isFrame: boolean;
  /** False where nobody uploaded it: then its size is only assumed. */
  readonly isUploaded: boolean;
  /** Who uploaded it and who else may use it; undefined where nobody uploaded it. */
  readonly owners: readonly string[] | undefined;
}

/** Where media is looked for: a `Change` is one. */
export interface MediaContext {
  readonly tx: ReadTransaction;
  readonly media: MediaUrls | undefined;
  readonly account: AccountState | undefined;
}

/**
 * The media that an account may use, by key: what is in its library, and with `owners` also what one of these users
 * uploaded or may use without it being there. Keys that it may not use, malformed ones among them, are absent.
 * @source creatives 2.3
 */
export async function findUsableMedia(
  { tx, media, account }: MediaContext,
  keys: readonly string[],
  { owners = [] }: { readonly owners?: readonly string[] } = {},
): Promise<ReadonlyMap<string, MediaDetails>> {
  const wanted = keys.flatMap((key) => {
    const parsed = parseMediaKey(key);
    return parsed ? [[key, parsed] as const] : [];
  });
  const uploads = await uploadsById(
    tx,
    wanted.map(([, { number }]) => number),
  );
  const shelved = await libraryStates(tx, account!.id, [
    ...wanted.map(([key]) => key),
    ...[...uploads.values()].map(keyOf),
  ]);
  const place = { media: media!, environment: account!.environment };
  const found = new Map<string, MediaDetails>();
  for (const [key, parsed] of wanted) {
    const upload = uploads.get(parsed.number);
    if (upload && !keyMatchesUpload(parsed, upload)) continue;
    const isMine = upload
      ? ownersOf(upload).some((owner) => owners.includes(owner))
      : place.media.isLenient(place.environment);
    if (shelved.get(upload ? keyOf(upload) : key) ?? isMine) found.set(key, describeMedia(key, upload, place));
  }
  return found;
}

/** The uploads of these numbers, by number. */
export async function uploadsById(
  tx: ReadTransaction,
  numbers: readonly string[],
): Promise<ReadonlyMap<string, Upload>> {
  const found = await tx.uploads.list([...new Set(numbers)]);
  return new Map(found.map((upload) => [upload.id, upload]));
}

/** Whether each of these keys is in the library, or was: then it is false; those that never were are absent. */
async function libraryStates(
  tx: ReadTransaction,
  account: string,
  keys: readonly string[],
): Promise<Map<string, boolean>> {
  const rows = await tx.records.getMany(libraryRows, account, [...new Set(keys)], { deleted: 'shown' });
  return new Map(rows.map(({ id, deleted }) => [id, deleted === 0]));
}

function keyOf({ category, id }: Upload): string {
  return mediaKeyOf(category, id);
}

/** Whether a key names an upload: its own, or the first frame of what moves. */
function keyMatchesUpload({ category }: MediaKey, upload: Upload): boolean {
  return category === upload.category || (category === 'POST_IMAGE' && upload.media_type !== 'IMAGE');
}

/** A use of media: which parameter names the key, and what it must be. */
export interface MediaUse {
  readonly parameter: string;
  readonly key: string;
  readonly types: readonly MediaType[];
  /** Who will show it, where that must be one of its owners. */
  readonly asUser?: string;
}

/** What is wrong with uses of media: malformed keys, unknown ones, the wrong kind, what is not transcoded. */
export function checkMediaUses(known: ReadonlyMap<string, MediaDetails>, uses: readonly MediaUse[]): ErrorDetail[] {
  return uses.flatMap((use) => checkMediaUse(use, known.get(use.key)) ?? []);
}

function checkMediaUse(
  { parameter, key, types, asUser }: MediaUse,
  media: MediaDetails | undefined,
): ErrorDetail | undefined {
  const parsed = parseMediaKey(key);
  if (!parsed) return { problem: 'INVALID_MEDIA_ID', parameter, value: key };
  const isTheirs = asUser === undefined || (media?.owners?.includes(asUser) ?? true);
  if (!media || !isTheirs) return mediaNotFound(parameter, key, parsed);
  if (media.state !== 'succeeded') return { problem: 'MEDIA_NOT_TRANSCODED', parameter, value: key };
  if (types.includes(media.type)) return undefined;
  return { problem: 'MEDIA_OF_OTHER_TYPE', parameter, value: key, words: { list: types.join(', '), type: media.type } };
}

/** The fault that media is not there for the account. @source creatives 1.3 */
export function mediaNotFound(parameter: string, key: string, { category, number }: MediaKey): ErrorDetail {
  const kind = category.toLowerCase().replace(/(^|_)(\w)/g, (_, __, letter: string) => letter.toUpperCase());
  return { problem: 'INVALID_MEDIA', parameter, value: key, words: { kind, number } };
}
