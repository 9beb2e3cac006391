import { integer, text } from './kinds.ts';

const bytesOf = (megabytes: number, why: string) =>
  integer(why, { default: megabytes * 1_048_576, unit: 'bytes', bounds: [1, 4_294_967_296] });

/** Sizes, times and tools of media uploads. */
export const uploadSettings = {
  media_segment_bytes_max: bytesOf(5, 'A larger segment of an upload is refused while it arrives.'),
  media_image_bytes_max: bytesOf(5, 'The size of an image.'),
  media_gif_bytes_max: bytesOf(15, 'The size of a GIF.'),
  media_video_bytes_max: bytesOf(512, 'The size of a video in posts; 1000 segments must hold it.'),
  media_amplify_bytes_max: bytesOf(500, 'The size of a video that is promoted.'),
  media_amplify_duration_max_s: integer('How long a video that is promoted may be.', {
    default: 600,
    unit: 'seconds',
    bounds: [1, 86_400],
  }),
  media_pixels_max: integer('Width times height of media; a small file can ask its viewers for all their memory.', {
    default: 100_000_000,
    unit: 'pixels',
    bounds: [1, 1_000_000_000],
  }),
  media_gif_pixels_max: integer('Width times height of a GIF, times its frames.', {
    default: 300_000_000,
    unit: 'pixels',
    bounds: [1, 10_000_000_000],
  }),
  media_processing_s: integer(
    'How long GIFs and videos are in progress at least, as clients expect of a large service.',
    {
      default: 1,
      unit: 'seconds',
      bounds: [0, 600],
    },
  ),
  media_unused_ttl_s: integer('Uploads that nothing uses are removed after this.', {
    default: 86_400,
    unit: 'seconds',
    bounds: [60, 31_536_000],
  }),
  media_amplify_unused_ttl_s: integer('The same for videos that are promoted, while they are still being sent.', {
    default: 1_295_999,
    unit: 'seconds',
    bounds: [60, 31_536_000],
  }),
  ffmpeg_program: text('Takes the first frame of videos; when empty, a grey picture of the same ratio stands for it.', {
    default: '',
    expected: 'a path or name of the program ffmpeg',
    parse: (path) => (path.trim() === '' ? undefined : path),
  }),
};
