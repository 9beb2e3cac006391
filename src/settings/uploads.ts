import { integer, text } from './kinds.ts';

const bytesOf = (megabytes: number, why: string) =>
  integer(why, { default: megabytes * 1_048_576, unit: 'bytes', bounds: [1, 4_294_967_296] });

/** Sizes, times and tools of media uploads. */
export const uploadSettings = {
  media_segment_bytes_max: bytesOf(5, 'Maximum size of a segment of a chunked upload.'),
  media_image_bytes_max: bytesOf(5, 'Maximum size of an image.'),
  media_gif_bytes_max: bytesOf(15, 'Maximum size of a GIF.'),
  media_video_bytes_max: bytesOf(512, 'Maximum size of a video in posts; 1000 segments must hold it.'),
  media_amplify_bytes_max: bytesOf(500, 'Maximum size of a promoted video.'),
  media_amplify_duration_max_s: integer('Maximum duration of a promoted video.', {
    default: 600,
    unit: 'seconds',
    bounds: [1, 86_400],
  }),
  media_pixels_max: integer('Maximum width times height of media: a small file can decode to a huge image.', {
    default: 100_000_000,
    unit: 'pixels',
    bounds: [1, 1_000_000_000],
  }),
  media_gif_pixels_max: integer('Maximum width times height times frames of a GIF.', {
    default: 300_000_000,
    unit: 'pixels',
    bounds: [1, 10_000_000_000],
  }),
  media_processing_s: integer('Minimum processing time of GIFs and videos, so that clients exercise their polling.', {
    default: 1,
    unit: 'seconds',
    bounds: [0, 600],
  }),
  media_unused_ttl_s: integer('Lifetime of uploads that nothing uses.', {
    default: 86_400,
    unit: 'seconds',
    bounds: [60, 31_536_000],
  }),
  media_amplify_unused_ttl_s: integer('Lifetime of uploads of promoted videos that are still incomplete.', {
    default: 1_295_999,
    unit: 'seconds',
    bounds: [60, 31_536_000],
  }),
  ffmpeg_program: text(
    'Converts media that not every browser shows, and extracts poster frames; when empty, such media is refused, and posters are grey.',
    {
      default: '',
      expected: 'a path or name of the program ffmpeg',
      parse: (path) => (path.trim() === '' ? undefined : path),
    },
  ),
};
