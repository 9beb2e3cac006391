import { formatInstant, instantMs } from '../../../base/instants.ts';
import { type Field, instant, type StoredValue, text } from '../../../contract/declare/fields.ts';
import type { Computed, StandardColumns } from '../../../contract/declare/resource.ts';
import type { MediaDetails } from '../media/usable-media.ts';
import { aspectRatioOf, findCardMedia, pixelSize } from './card-media.ts';

/** What a poll is shown from. */
interface Poll extends Pick<StandardColumns, 'created_at'> {
  readonly duration_in_minutes: number | null;
  readonly media_key: string | null;
}

/** What polls with media show; those without have none of it. */
const mediaText = (about: string): Field<string> => text({ max: 2000 }).omittedWhenNull().describe(about);

const fields = {
  // Numbers are texts here, as the reference shows them; what was asked for is echoed as a number.
  duration_in_minutes: text({ max: 5 }).required().describe('How long it is open, from its creation on.'),
  start_time: instant().required().describe('When it opened: when it was created.'),
  end_time: instant().required().describe('When it closes.'),
  media_url: mediaText('Where the image is served.'),
  image_display_width: mediaText('Pixels of the image in a row.'),
  image_display_height: mediaText('Rows of the image.'),
  video_url: mediaText('Where the files of the video are listed.'),
  video_hls_url: mediaText('Where the playlist of the video is served.'),
  video_width: mediaText('Of the ratio of the video.'),
  video_height: mediaText('Of the ratio of the video.'),
  video_poster_url: mediaText('Where the first frame is served.'),
  video_poster_width: mediaText('Of the ratio of the first frame.'),
  video_poster_height: mediaText('Of the ratio of the first frame.'),
  content_duration_seconds: mediaText('How long the video is; absent where nobody uploaded it.'),
};

/** What follows from a poll, its media and the clock. @source advertising: Poll card; creatives 6 */
export const pollComputedFields: Computed<Poll & StandardColumns> = {
  fields,
  async prepare(rows, context) {
    const media = await findCardMedia(
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

/** The UTC text of the time at which a poll closes. */
export function closesAt({ created_at, duration_in_minutes }: Omit<Poll, 'media_key'>): string {
  return formatInstant(instantMs(created_at) + duration_in_minutes! * 60_000);
}

function imageValues(image: MediaDetails): Record<string, StoredValue> {
  const [width, height] = pixelSize(image);
  return { media_url: image.url, image_display_width: width, image_display_height: height };
}

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
