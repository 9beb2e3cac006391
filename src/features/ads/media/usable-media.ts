import type { AccountState } from '../../../contract/declare/account-state.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import {
  type MediaCategory,
  type MediaKey,
  type MediaType,
  type MediaUrls,
  mediaKeyOf,
  parseMediaKey,
} from '../../../contract/services/media.ts';
import type { Upload, UploadState } from '../../../contract/store/uploads.ts';
import type { ReadTransaction } from '../../../storage/unit-of-work.ts';
import { describeMedia, ownersOf } from './describe-media.ts';
import { libraryRows } from './library-rows.ts';

/** The details of media that cards and posts need. */
export interface MediaDetails {
  readonly key: string;
  readonly category: MediaCategory;
  readonly type: MediaType;
  readonly state: UploadState;
  /** Pixels; null until processed. */
  readonly width: number | null;
  readonly height: number | null;
  /** Null for images and animations. */
  readonly duration_ms: number | null;
  /** Null without an upload. */
  readonly bytes: number | null;
  /** `w:h` in lowest terms; null until processed. */
  readonly aspect_ratio: string | null;
  readonly url: string;
  /** The first frame; null for images. */
  readonly poster_url: string | null;
  /** The VMAP document and HLS playlist of a video; null for others. */
  readonly vmap_url: string | null;
  readonly hls_url: string | null;
  /** The first frame of a video or GIF, under an image key; frames are not library entries. */
  readonly isFrame: boolean;
  /** False without an upload: its size is then a default. */
  readonly isUploaded: boolean;
  /** The uploader and additional owners; undefined without an upload. */
  readonly owners: readonly string[] | undefined;
}

/** The context for looking up media; a `Change` satisfies it. */
export interface MediaContext {
  readonly tx: ReadTransaction;
  readonly media: MediaUrls | undefined;
  readonly account: AccountState | undefined;
}

/**
 * The media that an account may use, by key: its library, and with `owners` also media that one of these users
 * uploaded or owns. Unusable and malformed keys are absent.
 * @source creatives 2.3; decision 200 and 201
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

/**
 * The details of media by key, including media that has left the library since. Media without an upload has the default
 * size of its type; null and malformed keys are absent.
 * @source creatives 2.3 and 3; decision 209
 */
export async function findMediaDetails(
  { tx, media, account }: MediaContext,
  keys: Iterable<string | null>,
): Promise<ReadonlyMap<string, MediaDetails>> {
  const numbers = new Map<string, string>();
  for (const key of keys) {
    const parsed = key === null ? undefined : parseMediaKey(key);
    if (parsed) numbers.set(key!, parsed.number);
  }
  if (numbers.size === 0) return new Map();
  const uploads = await uploadsById(tx, [...numbers.values()]);
  const place = { media: media!, environment: account!.environment };
  return new Map([...numbers].map(([key, number]) => [key, describeMedia(key, uploads.get(number), place)]));
}

/** The uploads of these numbers, by number. */
export async function uploadsById(
  tx: ReadTransaction,
  numbers: readonly string[],
): Promise<ReadonlyMap<string, Upload>> {
  const found = await tx.uploads.list([...new Set(numbers)]);
  return new Map(found.map((upload) => [upload.id, upload]));
}

/** By key: true when in the library, false when removed from it; others are absent. */
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

/** Whether a key belongs to an upload: its own key, or the image key of its first frame. @source decision 205 */
function keyMatchesUpload({ category }: MediaKey, upload: Upload): boolean {
  return category === upload.category || (category === 'POST_IMAGE' && upload.media_type !== 'IMAGE');
}

/** A use of media: the parameter that contains the key, and the allowed types. */
interface MediaUse {
  readonly parameter: string;
  readonly key: string;
  readonly types: readonly MediaType[];
  /** User who must be one of its owners. */
  readonly asUser?: string;
}

/** Errors of media uses: malformed or unknown keys, wrong types, unfinished transcoding. */
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

/** The error for media that the account cannot use. @source creatives 1.3 */
export function mediaNotFound(parameter: string, key: string, { category, number }: MediaKey): ErrorDetail {
  const kind = category.toLowerCase().replace(/(^|_)(\w)/g, (_, __, letter: string) => letter.toUpperCase());
  return { problem: 'INVALID_MEDIA', parameter, value: key, words: { kind, number } };
}
