import { formatInstant, instantMs } from '../../../base/instants.ts';
import { type Field, instant, type StoredValue, text } from '../../../contract/declare/fields.ts';
import type { Computed, StandardColumns } from '../../../contract/declare/resource.ts';
import { findMediaDetails, type MediaDetails } from '../media/usable-media.ts';
import { aspectRatioOf, pixelSize } from './card-media.ts';

/** The columns that the computed fields need. */
interface Poll extends Pick<StandardColumns, 'created_at'> {
  readonly duration_in_minutes: number | null;
  readonly media_key: string | null;
}

/** A computed text of polls with media; absent from others. */
const mediaText = (about: string): Field<string> => text({ max: 2000 }).omittedWhenNull().describe(about);

const fields = {
  // Numbers are strings in replies, as in the reference; the echoed request has them as numbers.
  duration_in_minutes: text({ max: 5 }).required().describe('Minutes from creation until the poll closes.'),
  start_time: instant().required().describe('When the poll opened: its creation time.'),
  end_time: instant().required().describe('When the poll closes.'),
  media_url: mediaText('URL of the image.'),
  image_display_width: mediaText('Width of the image in pixels.'),
  image_display_height: mediaText('Height of the image in pixels.'),
  video_url: mediaText('URL of the VMAP document of the video.'),
  video_hls_url: mediaText('URL of the HLS playlist of the video.'),
  video_width: mediaText('Width in the aspect ratio of the video.'),
  video_height: mediaText('Height in the aspect ratio of the video.'),
  video_poster_url: mediaText('URL of the first frame.'),
  video_poster_width: mediaText('Width in the aspect ratio of the first frame.'),
  video_poster_height: mediaText('Height in the aspect ratio of the first frame.'),
  content_duration_seconds: mediaText('Duration of the video in seconds; absent without an upload.'),
};

/** Computed fields of polls: times and media. @source advertising 12; creatives 6 */
export const pollComputedFields: Computed<Poll & StandardColumns> = {
  fields,
  async prepare(rows, context) {
    const media = await findMediaDetails(
      context,
      rows.map(({ media_key }) => media_key),
    );
    return (row) => {
      const shown = media.get(row.media_key ?? '');
      return {
        duration_in_minutes: String(row.duration_in_minutes),
        start_time: row.created_at,
        end_time: closesAt(row),
        ...(shown && (shown.type === 'VIDEO' ? videoValues(shown) : imageValues(shown))),
      };
    };
  },
};

/** When a poll closes, as UTC text. */
export function closesAt({ created_at, duration_in_minutes }: Omit<Poll, 'media_key'>): string {
  return formatInstant(instantMs(created_at) + duration_in_minutes! * 60_000);
}

function imageValues(image: MediaDetails): Record<string, StoredValue> {
  const [width, height] = pixelSize(image);
  return { media_url: image.url, image_display_width: width, image_display_height: height };
}

/** The computed values of a video; without an upload its duration is unknown. @source decision 224 */
function videoValues(video: MediaDetails): Record<string, StoredValue | null> {
  const { vmap_url, hls_url, poster_url, duration_ms } = video;
  const [width, height] = aspectRatioOf(video);
  return {
    video_url: vmap_url,
    video_hls_url: hls_url,
    video_width: width,
    video_height: height,
    video_poster_url: poster_url,
    video_poster_width: width,
    video_poster_height: height,
    content_duration_seconds: duration_ms === null ? null : String(Math.floor(duration_ms / 1000)),
  };
}
