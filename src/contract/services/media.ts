import type { Environment } from '../declare/resource.ts';

/** What kinds of media there are. @source creatives 0.1 */
export type MediaCategory = 'POST_IMAGE' | 'POST_GIF' | 'POST_VIDEO' | 'AMPLIFY_VIDEO';

/** What media is, whatever it is for. */
export type MediaType = 'IMAGE' | 'GIF' | 'VIDEO';

/** What each category is, and the number with which its keys begin. @source creatives 2.1 */
export const MEDIA_CATEGORIES: Readonly<Record<MediaCategory, { readonly type: MediaType; readonly prefix: number }>> =
  {
    POST_IMAGE: { type: 'IMAGE', prefix: 3 },
    POST_VIDEO: { type: 'VIDEO', prefix: 7 },
    AMPLIFY_VIDEO: { type: 'VIDEO', prefix: 13 },
    POST_GIF: { type: 'GIF', prefix: 16 },
  };

/** A media key, taken apart. */
export interface MediaKey {
  readonly category: MediaCategory;
  /** The id of the upload. The poster of a video has the number of the video, under the prefix of images. */
  readonly number: string;
}

const byPrefix = new Map(
  Object.entries(MEDIA_CATEGORIES).map(([category, { prefix }]) => [String(prefix), category as MediaCategory]),
);

/** Reads a key like `13_1730020011223344128`: a known prefix and 1 to 19 digits. */
export function parseMediaKey(key: string): MediaKey | undefined {
  const [, prefix, number] = /^(\d+)_(\d{1,19})$/.exec(key) ?? [];
  const category = byPrefix.get(prefix ?? '');
  return category && number !== undefined ? { category, number } : undefined;
}

/** The key of media. */
export function mediaKeyOf(category: MediaCategory, number: string): string {
  return `${MEDIA_CATEGORIES[category].prefix}_${number}`;
}

/** What the addresses of media are made of. */
export interface Addressed {
  readonly id: string;
  readonly category: MediaCategory;
  /** What nobody can guess, 16 hex digits. */
  readonly file_name: string;
  readonly width: number | null;
  readonly height: number | null;
  /** The media type of the first frame, where it is known. */
  readonly poster_mime: string | null;
}

/** Where an image, a GIF or a video is served, below the base of media. The ending says the kind, not the type. @source creatives 3 */
export function mediaPath({ id, category, file_name, width, height }: Addressed): string {
  if (category === 'POST_IMAGE') return `/media/${file_name}.jpg`;
  return `/${category.toLowerCase()}/${id}/vid/${width ?? 0}x${height ?? 0}/${file_name}.mp4`;
}

const POSTER_ENDINGS: Readonly<Record<string, string>> = { 'image/png': 'png', 'image/gif': 'gif' };

/** Where the first frame of a GIF or a video is served. The ending says what kind of picture it is. @source decision 603 */
export function posterPath(of: Addressed): string {
  const known = of.poster_mime ?? (of.category === 'POST_GIF' ? 'image/gif' : 'image/jpeg');
  return posterPathEnding(of, POSTER_ENDINGS[known] ?? 'jpg');
}

/** Whether the first frame is served under a path: its own, or the one that ends in `.jpg` as it was given out before. */
export function isPosterPath(path: string, of: Addressed): boolean {
  return path === posterPath(of) || path === posterPathEnding(of, 'jpg');
}

function posterPathEnding({ id, category, file_name }: Addressed, ending: string): string {
  return `/${category.toLowerCase()}_thumb/${id}/img/${file_name}.${ending}`;
}

/** Where the list of the files of a video is served that players of advertisements read. */
export function vmapPath({ id, category }: Addressed): string {
  return `/${category.toLowerCase()}/vmap/${id}.vmap`;
}

/** Where the playlist of a video is served. */
export function hlsPath({ id, category, file_name }: Addressed): string {
  return `/${category.toLowerCase()}/${id}/pl/${file_name}.m3u8`;
}

/** Tells where media is served, and which keys are taken. */
export interface MediaUrls {
  /** Whether an environment takes well-formed keys of media that nobody uploaded. @source creatives 2.3 */
  isLenient(environment: Environment): boolean;
  /** The absolute address of a path of media. */
  url(environment: Environment, path: string): string;
}

/** What is served under a path of media: a file with its media type, or a text that is made of what is known. */
export type ServedMedia =
  | { readonly file: string; readonly mime: string }
  | { readonly text: string; readonly mime: string };

/** Finds what is served under a path of media, in an environment; nothing that is still being processed. */
export type FindMedia = (environment: Environment, path: string) => Promise<ServedMedia | undefined>;
