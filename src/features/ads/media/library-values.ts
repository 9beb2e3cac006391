import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import { type MediaType, mediaKeyOf, parseMediaKey } from '../../../contract/services/media.ts';
import type { LibraryRow } from './library-rows.ts';
import { checkMediaUses, findUsableMedia, type MediaContext } from './usable-media.ts';

/** The writable values of a library entry. */
export type LibraryValues = Partial<
  Pick<LibraryRow, 'name' | 'file_name' | 'title' | 'description' | 'poster_media_key'>
>;

/** Values that images cannot have. */
const VIDEO_ONLY = ['title', 'description', 'poster_media_key'] as const;

/** Returns the image key of the first frame of a video or GIF. @source creatives 3; decision 205 */
export function firstFrameKey(key: string): string {
  return mediaKeyOf('POST_IMAGE', parseMediaKey(key)!.number);
}

/** Returns the errors of library values: images have no title, description or poster, and a poster must be an image. */
export async function checkLibraryValues(
  mediaContext: MediaContext,
  object: { readonly key: string; readonly type: MediaType },
  values: LibraryValues,
): Promise<ErrorDetail[]> {
  if (object.type === 'IMAGE') {
    const videoFields = VIDEO_ONLY.filter((name) => values[name] != null);
    return videoFields.map((parameter) => ({ problem: 'NOT_OF_IMAGES', parameter }));
  }
  const key = values.poster_media_key;
  if (key == null || key === firstFrameKey(object.key)) return [];
  return checkMediaUses(await findUsableMedia(mediaContext, [key]), [
    { parameter: 'poster_media_key', key, types: ['IMAGE'] },
  ]);
}
