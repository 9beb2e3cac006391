import type { Upload, UploadRules } from '../../../contract/store/uploads.ts';
import { TAKEN } from '../categories.ts';
import { lookAtImage } from './image.ts';
import { typeOf } from './type-of.ts';
import { lookAtVideo } from './video.ts';

/** What a file turned out to be, or why it is not what it should be: words for its sender. */
export type Probed = Pick<Upload, 'mime' | 'width' | 'height' | 'duration_ms' | 'codec'> | { readonly fault: string };

/** What is expected of a file. An empty media type expects nothing. */
export type Expected = Pick<Upload, 'category' | 'media_type' | 'mime'>;

const KINDS = { IMAGE: 'image', GIF: 'GIF', VIDEO: 'video' } as const;

/** Looks at a file itself, whatever was said of it. */
export async function probe(path: string, expected: Expected, rules: UploadRules): Promise<Probed> {
  const mime = await typeOf(path);
  if (mime === undefined || !TAKEN[expected.category].mimes.includes(mime)) {
    return { fault: `Unsupported ${KINDS[expected.media_type]} format` };
  }
  if (expected.mime !== '' && !isAlike(mime, expected.mime)) {
    return { fault: `media_type is ${expected.mime}, but the file is ${mime}` };
  }
  const found = expected.media_type === 'VIDEO' ? await lookAtVideo(path, mime) : await lookAtImage(path, mime, rules);
  return judged(found, expected, rules);
}

/** Both names stand for one container, and cameras mix them up. */
const ONE_CONTAINER = ['video/mp4', 'video/quicktime'];

function isAlike(mime: string, declared: string): boolean {
  return mime === declared || (ONE_CONTAINER.includes(mime) && ONE_CONTAINER.includes(declared));
}

function judged(found: Probed, { category }: Expected, rules: UploadRules): Probed {
  if ('fault' in found) return found;
  const { width, height, duration_ms } = found;
  const pixels = width! * height!;
  if (!(pixels > 0)) return { fault: 'The file has no picture' };
  if (pixels > rules.media_pixels_max) {
    return { fault: `${width}x${height} is more than ${rules.media_pixels_max} pixels` };
  }
  const max_s = rules.media_amplify_duration_max_s;
  if (category === 'AMPLIFY_VIDEO' && duration_ms! > max_s * 1000) {
    return { fault: `The video is longer than ${max_s} seconds` };
  }
  return found;
}
