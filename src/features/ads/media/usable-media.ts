import type { AccountState, Environment } from '../../../contract/declare/account-state.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import {
  type Addressed,
  hlsPath,
  MEDIA_CATEGORIES,
  type MediaCategory,
  type MediaKey,
  type MediaType,
  type MediaUrls,
  mediaKeyOf,
  mediaPath,
  parseMediaKey,
  posterPath,
  vmapPath,
} from '../../../contract/services/media.ts';
import type { Upload } from '../../../contract/store/uploads.ts';
import type { ReadTransaction } from '../../../storage/unit-of-work.ts';
import { libraryRows } from './library-rows.ts';

/** The details of media for cards and posts. */
export type MediaDetails = ReturnType<typeof describeMedia>;

/** The context for looking up media; a `Change` satisfies it. */
export interface MediaContext {
  readonly tx: ReadTransaction;
  readonly media: MediaUrls | undefined;
  readonly account: AccountState;
}

/** Where media is served. */
interface MediaPlace {
  readonly media: MediaUrls;
  readonly environment: Environment;
}

/**
 * Finds the media that an account may use, by key: its library, and the media of `owners`. Unusable and malformed keys are
 * absent.
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
  const shelved = await libraryStates(tx, account.id, [
    ...wanted.map(([key]) => key),
    ...[...uploads.values()].map(keyOf),
  ]);
  const place = { media: media!, environment: account.environment };
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
 * Finds the details of media by key, including media removed from the library. Media without an upload has the default
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
  const place = { media: media!, environment: account.environment };
  return new Map([...numbers].map(([key, number]) => [key, describeMedia(key, uploads.get(number), place)]));
}

/** Reads uploads, by number. */
export async function uploadsById(
  tx: ReadTransaction,
  numbers: readonly string[],
): Promise<ReadonlyMap<string, Upload>> {
  const found = await tx.uploads.list([...new Set(numbers)]);
  return new Map(found.map((upload) => [upload.id, upload]));
}

/** Reads by key: true if in the library, false if removed from it; others are absent. */
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

/** Tests whether a key belongs to an upload: its own key, or the image key of its first frame. @source decision 205 */
function keyMatchesUpload({ category }: MediaKey, upload: Upload): boolean {
  return category === upload.category || (category === 'POST_IMAGE' && upload.media_type !== 'IMAGE');
}

/** A use of media: the parameter that contains the key, and the allowed types. */
interface MediaUse {
  readonly parameter: string;
  readonly key: string;
  readonly types: readonly MediaType[];
  /** Required owner. */
  readonly asUser?: string;
}

/** Returns the errors of media uses: malformed or unknown keys, wrong types, unfinished transcoding. */
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

/** Builds the error for media that the account cannot use. @source creatives 1.3 */
export function mediaNotFound(parameter: string, key: string, { category, number }: MediaKey): ErrorDetail {
  const kind = category.toLowerCase().replace(/(^|_)(\w)/g, (_, __, letter: string) => letter.toUpperCase());
  return { problem: 'INVALID_MEDIA', parameter, value: key, words: { kind, number } };
}

/** Assumed sizes of media without an upload. @source creatives 2.3; decision 207 */
const DEFAULT_SIZES = { IMAGE: { width: 1200, height: 628 }, VIDEO: { width: 1280, height: 720 } } as const;

/**
 * Returns the details of media with a well-formed key, from its upload or, without one, with the default size of its type.
 * The image key of a video or GIF upload stands for its first frame.
 */
export function describeMedia(key: string, upload: Upload | undefined, place: MediaPlace) {
  const { category, number } = parseMediaKey(key)!;
  const type: MediaType = MEDIA_CATEGORIES[category].type;
  const addressed = upload ?? withoutUpload(category, number);
  const isFrame = type === 'IMAGE' && addressed.category !== 'POST_IMAGE';
  const url = (path: string): string => place.media.url(place.environment, path);
  const { width, height } = addressed;
  return {
    key,
    category,
    type,
    state: upload?.state ?? 'succeeded',
    /** Pixels; null until processed. */
    width,
    height,
    /** Null for images and animations. */
    duration_ms: isFrame ? null : (upload?.duration_ms ?? null),
    /** Null without an upload. */
    bytes: isFrame ? null : (upload?.bytes ?? null),
    /** `w:h` in lowest terms; null until processed. */
    aspect_ratio: width && height ? lowestTerms(width, height) : null,
    url: url(isFrame ? posterPath(addressed) : mediaPath(addressed)),
    /** The first frame; null for images. */
    poster_url: type === 'IMAGE' ? null : url(posterPath(addressed)),
    /** The VMAP document and HLS playlist of a video; null for others. */
    vmap_url: type === 'VIDEO' ? url(vmapPath(addressed)) : null,
    hls_url: type === 'VIDEO' ? url(hlsPath(addressed)) : null,
    /** The first frame of a video or GIF, under an image key; frames are not library entries. */
    isFrame,
    /** False without an upload: its size is then a default. */
    isUploaded: upload !== undefined,
    /** The uploader and additional owners; undefined without an upload. */
    owners: upload && ownersOf(upload),
  };
}

/** Returns the users who may use an upload: the uploader and the additional owners. */
function ownersOf({ user_id, additional_owners }: Upload): readonly string[] {
  return [user_id, ...additional_owners];
}

function withoutUpload(category: MediaCategory, number: string): Addressed {
  const size = DEFAULT_SIZES[MEDIA_CATEGORIES[category].type === 'IMAGE' ? 'IMAGE' : 'VIDEO'];
  return { id: number, category, file_name: BigInt(number).toString(16).padStart(16, '0'), poster_mime: null, ...size };
}

function lowestTerms(width: number, height: number): string {
  let [divisor, rest] = [width, height];
  while (rest > 0) [divisor, rest] = [rest, divisor % rest];
  return `${width / divisor}:${height / divisor}`;
}
