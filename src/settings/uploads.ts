import { amount, text } from './kinds.ts';

const bytesOf = (megabytes: number, why: string) => amount(why, megabytes * 1_048_576, 'bytes', [1, 4_294_967_296]);

/** Sizes, times and tools of media uploads. */
export const uploadSettings = {
  media_segment_bytes_max: bytesOf(5, 'Maximum size of a segment of a chunked upload.'),
  media_image_bytes_max: bytesOf(5, 'Maximum size of an image.'),
  media_gif_bytes_max: bytesOf(15, 'Maximum size of a GIF.'),
  media_video_bytes_max: bytesOf(512, 'Maximum size of a video in posts; 1000 segments must hold it.'),
  media_amplify_bytes_max: bytesOf(500, 'Maximum size of a promoted video.'),
  media_amplify_duration_max_s: amount('Maximum duration of a promoted video.', 600, 'seconds', [1, 86_400]),
  media_pixels_max: amount(
    'Maximum width times height of media: a small file can decode to a huge image.',
    100_000_000,
    'pixels',
    [1, 1_000_000_000],
  ),
  media_gif_pixels_max: amount(
    'Maximum width times height times frames of a GIF.',
    300_000_000,
    'pixels',
    [1, 10_000_000_000],
  ),
  media_processing_s: amount(
    'Minimum processing time of GIFs and videos, so that clients exercise their polling.',
    1,
    'seconds',
    [0, 600],
  ),
  media_unused_ttl_s: amount('Lifetime of uploads that nothing uses.', 86_400, 'seconds', [60, 31_536_000]),
  media_amplify_unused_ttl_s: amount(
    'Lifetime of uploads of promoted videos that are still incomplete.',
    1_295_999,
    'seconds',
    [60, 31_536_000],
  ),
  ffmpeg_program: text(
    'Converts media that not every browser shows, and extracts poster frames; when empty, such media is refused, and posters are grey.',
    {
      default: '',
      expected: 'a path or name of the program ffmpeg',
      parse: (path) => (path.trim() === '' ? undefined : path),
    },
  ),
};
