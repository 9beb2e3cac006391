import { type Field, type StoredValue, text } from '../../../contract/declare/fields.ts';
import type { Fields } from '../../../contract/declare/resource.ts';
import type { MediaDetails } from '../media/usable-media.ts';
import { aspectRatioOf, pixelSize } from './card-media.ts';

const computedText = (about: string): Field<string> => text({ max: 2000 }).omittedWhenNull().describe(about);

/** Computed fields of the unlocked image. @source creatives 7 */
export const coverImageFields = {
  cover_image_url: computedText('URL of the unlocked image.'),
  cover_image_display_width: computedText('Width of the unlocked image in pixels.'),
  cover_image_display_height: computedText('Height of the unlocked image in pixels.'),
} satisfies Fields;

/** Computed fields of the unlocked video. @source creatives 7 */
export const coverVideoFields = {
  cover_video_content_id: computedText('Numeric id of the unlocked video.'),
  cover_video_url: computedText('URL of the VMAP document of the unlocked video.'),
  cover_video_hls_url: computedText('URL of the HLS playlist of the unlocked video.'),
  cover_video_poster_url: computedText('URL of the first frame of the unlocked video.'),
  cover_video_width: computedText('Width in the aspect ratio of the unlocked video.'),
  cover_video_height: computedText('Height in the aspect ratio of the unlocked video.'),
} satisfies Fields;

/** The computed values of an unlocked image. */
export function coverImageValues(image: MediaDetails | undefined): Record<string, StoredValue> {
  if (!image) return {};
  const [width, height] = pixelSize(image);
  return { cover_image_url: image.url, cover_image_display_width: width, cover_image_display_height: height };
}

/** The computed values of an unlocked video. */
export function coverVideoValues(video: MediaDetails | undefined): Record<string, StoredValue | null> {
  if (!video) return {};
  const [width, height] = aspectRatioOf(video);
  return {
    cover_video_content_id: video.key.slice(video.key.indexOf('_') + 1),
    cover_video_url: video.vmap_url,
    cover_video_hls_url: video.hls_url,
    cover_video_poster_url: video.poster_url,
    cover_video_width: width,
    cover_video_height: height,
  };
}
