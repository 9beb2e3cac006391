import type { Environment } from '../../../contract/declare/account-state.ts';
import {
  type Addressed,
  hlsPath,
  MEDIA_CATEGORIES,
  type MediaCategory,
  type MediaUrls,
  mediaPath,
  parseMediaKey,
  posterPath,
  vmapPath,
} from '../../../contract/services/media.ts';
import type { Upload } from '../../../contract/store/uploads.ts';
import type { MediaDetails } from './usable-media.ts';

/** The context for building media URLs. */
interface MediaUrlContext {
  readonly media: MediaUrls;
  readonly environment: Environment;
}

/** Assumed sizes of media without an upload. @source creatives 2.3; decision 207 */
const DEFAULT_SIZES = { IMAGE: { width: 1200, height: 628 }, VIDEO: { width: 1280, height: 720 } } as const;

/**
 * The details of media with a well-formed key, from its upload or, without one, with the default size of its type.
 * An image key of a video or GIF upload stands for its first frame.
 */
export function describeMedia(key: string, upload: Upload | undefined, place: MediaUrlContext): MediaDetails {
  const { category, number } = parseMediaKey(key)!;
  const { type } = MEDIA_CATEGORIES[category];
  const of = upload ?? withoutUpload(category, number);
  const isFrame = type === 'IMAGE' && of.category !== 'POST_IMAGE';
  const url = (path: string): string => place.media.url(place.environment, path);
  const { width, height } = of;
  return {
    key,
    category,
    type,
    width,
    height,
    state: upload?.state ?? 'succeeded',
    duration_ms: isFrame ? null : (upload?.duration_ms ?? null),
    bytes: isFrame ? null : (upload?.bytes ?? null),
    aspect_ratio: width && height ? lowestTerms(width, height) : null,
    url: url(isFrame ? posterPath(of) : mediaPath(of)),
    poster_url: type === 'IMAGE' ? null : url(posterPath(of)),
    vmap_url: type === 'VIDEO' ? url(vmapPath(of)) : null,
    hls_url: type === 'VIDEO' ? url(hlsPath(of)) : null,
    isFrame,
    isUploaded: upload !== undefined,
    owners: upload && ownersOf(upload),
  };
}

/** The users who may use an upload: the uploader and the additional owners. */
export function ownersOf({ user_id, additional_owners }: Upload): readonly string[] {
  return [user_id, ...additional_owners];
}

function withoutUpload(category: MediaCategory, number: string): Addressed {
  const size = DEFAULT_SIZES[MEDIA_CATEGORIES[category].type === 'IMAGE' ? 'IMAGE' : 'VIDEO'];
  return { id: number, category, file_name: BigInt(number).toString(16).padStart(16, '0'), poster_mime: null, ...size };
}

function lowestTerms(width: number, height: number): string {
  const divisor = greatestCommonDivisor(width, height);
  return `${width / divisor}:${height / divisor}`;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
