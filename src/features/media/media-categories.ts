import { field, oneOf } from '../../contract/declare/fields.ts';
import type { MediaCategory } from '../../contract/services/media.ts';
import type { UploadSettings } from '../../contract/store/uploads.ts';

const IMAGES = ['image/jpeg', 'image/png', 'image/webp', 'image/bmp', 'image/tiff', 'image/gif'];

interface AcceptedFiles {
  /** Accepted media types. */
  readonly mimes: readonly string[];
  /** The setting with the maximum file size. */
  readonly bytes_max: keyof UploadSettings & `media_${string}_bytes_max`;
}

/** Accepted files by media category. @source creatives 2.1 */
export const ACCEPTED_FILES: Readonly<Record<MediaCategory, AcceptedFiles>> = {
  POST_IMAGE: { mimes: IMAGES, bytes_max: 'media_image_bytes_max' },
  POST_GIF: { mimes: ['image/gif'], bytes_max: 'media_gif_bytes_max' },
  POST_VIDEO: {
    mimes: ['video/mp4', 'video/quicktime', 'video/webm', 'video/mp2t'],
    bytes_max: 'media_video_bytes_max',
  },
  AMPLIFY_VIDEO: { mimes: ['video/mp4', 'video/quicktime'], bytes_max: 'media_amplify_bytes_max' },
};

const MIME_ALIASES: ReadonlyMap<string, string> = new Map([
  ['image/pjpeg', 'image/jpeg'],
  ['image/jpg', 'image/jpeg'],
]);

/** A media type without parameters, in lower case, with aliases resolved. */
export function normalizeMime(declared: string): string {
  const mime = declared.split(';', 1)[0]!.trim().toLowerCase();
  return MIME_ALIASES.get(mime) ?? mime;
}

/** The default category of a media type; undefined when it is not accepted. */
export function defaultCategory(mime: string): MediaCategory | undefined {
  if (mime === 'image/gif') return 'POST_GIF';
  return (['POST_IMAGE', 'POST_VIDEO'] as const).find((category) => ACCEPTED_FILES[category].mimes.includes(mime));
}

const words = oneOf('post_image', 'post_gif', 'post_video', 'amplify_video');

/** The category parameter, case-insensitive. */
export const mediaCategory = field<string>({
  ...words.kind,
  read: (raw, parameter) => words.kind.read(typeof raw === 'string' ? raw.toLowerCase() : raw, parameter),
}).describe('Media category; default: derived from the media type. Promoted videos must be amplify_video.');
