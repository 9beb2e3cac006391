import type { Environment } from '../declare/account-state.ts';
import type { OpenObject } from './objects.ts';

/** The categories of media. @source creatives 0.1 */
export type MediaCategory = 'POST_IMAGE' | 'POST_GIF' | 'POST_VIDEO' | 'AMPLIFY_VIDEO';

/** The type of media, whatever its category. */
export type MediaType = 'IMAGE' | 'GIF' | 'VIDEO';

/** The type of each category, and the number that its keys begin with. @source creatives 2.1 */
export const MEDIA_CATEGORIES: Readonly<Record<MediaCategory, { readonly type: MediaType; readonly prefix: number }>> =
  {
    POST_IMAGE: { type: 'IMAGE', prefix: 3 },
    POST_VIDEO: { type: 'VIDEO', prefix: 7 },
    AMPLIFY_VIDEO: { type: 'VIDEO', prefix: 13 },
    POST_GIF: { type: 'GIF', prefix: 16 },
  };

/** A parsed media key. */
export interface MediaKey {
  readonly category: MediaCategory;
  /** The id of the upload. The poster of a video has the number of the video, with the prefix of images. */
  readonly number: string;
}

const byPrefix = new Map(
  Object.entries(MEDIA_CATEGORIES).map(([category, { prefix }]) => [String(prefix), category as MediaCategory]),
);

/** Parses a key like `13_1730020011223344128`: a known prefix and 1 to 19 digits. */
export function parseMediaKey(key: string): MediaKey | undefined {
  const [, prefix, number] = /^(\d+)_(\d{1,19})$/.exec(key) ?? [];
  const category = byPrefix.get(prefix ?? '');
  return category && number !== undefined ? { category, number } : undefined;
}

/** The media key of an upload. */
export function mediaKeyOf(category: MediaCategory, number: string): string {
  return `${MEDIA_CATEGORIES[category].prefix}_${number}`;
}

/** What the URLs of media are made of. */
export interface Addressed {
  readonly id: string;
  readonly category: MediaCategory;
  /** 16 unguessable hex digits. */
  readonly file_name: string;
  readonly width: number | null;
  readonly height: number | null;
  /** MIME type of the first frame, if known. */
  readonly poster_mime: string | null;
}

/**
 * URL path of an image, GIF or video, below the media base. The extension follows the category, not the MIME type.
 * @source creatives 3
 */
export function mediaPath({ id, category, file_name, width, height }: Addressed): string {
  if (category === 'POST_IMAGE') return `/media/${file_name}.jpg`;
  return `/${category.toLowerCase()}/${id}/vid/${width ?? 0}x${height ?? 0}/${file_name}.mp4`;
}

const POSTER_ENDINGS: Readonly<Record<string, string>> = { 'image/png': 'png', 'image/gif': 'gif' };

/** URL path of the first frame of a GIF or video. The extension follows its MIME type. @source decision 603 */
export function posterPath(of: Addressed): string {
  const known = of.poster_mime ?? (of.category === 'POST_GIF' ? 'image/gif' : 'image/jpeg');
  return posterPathEnding(of, POSTER_ENDINGS[known] ?? 'jpg');
}

/** Whether a path serves the first frame: the current path, or the former one that always ends in `.jpg`. */
export function isPosterPath(path: string, of: Addressed): boolean {
  return path === posterPath(of) || path === posterPathEnding(of, 'jpg');
}

function posterPathEnding({ id, category, file_name }: Addressed, ending: string): string {
  return `/${category.toLowerCase()}_thumb/${id}/img/${file_name}.${ending}`;
}

/** URL path of a video's VMAP file, the list of its files for ad players. */
export function vmapPath({ id, category }: Addressed): string {
  return `/${category.toLowerCase()}/vmap/${id}.vmap`;
}

/** URL path of a video's HLS playlist. */
export function hlsPath({ id, category, file_name }: Addressed): string {
  return `/${category.toLowerCase()}/${id}/pl/${file_name}.m3u8`;
}

/** Builds media URLs, and tells which media keys are accepted. */
export interface MediaUrls {
  /** Whether an environment accepts well-formed keys of media that was never uploaded. @source creatives 2.3 */
  isLenient(environment: Environment): boolean;
  /** The absolute URL of a media path. */
  url(environment: Environment, path: string): string;
}

/** The content of a media path: an object, or a generated text, with its MIME type. */
export type ServedMedia =
  | { readonly object: OpenObject; readonly mime: string }
  | { readonly text: string; readonly mime: string };

/**
 * Finds the content of a media path in an environment; undefined also while it is still being processed.
 * @param urls makes the URLs in manifests of players.
 */
export type FindMedia = (environment: Environment, path: string, urls: MediaUrls) => Promise<ServedMedia | undefined>;
