import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import { type MediaType, mediaKeyOf, parseMediaKey } from '../../../contract/services/media.ts';
import { knownMedia, type MediaGround, mediaFaults } from './known-media.ts';
import type { LibraryRow } from './library-rows.ts';

/** What callers say of media in a library. */
export type ObjectValues = Partial<
  Pick<LibraryRow, 'name' | 'file_name' | 'title' | 'description' | 'poster_media_key'>
>;

/** What images have not. */
const OF_MOVING = ['title', 'description', 'poster_media_key'] as const;

/** The key of the first frame of what moves. @source creatives 3 */
export function frameKey(key: string): string {
  return mediaKeyOf('POST_IMAGE', parseMediaKey(key)!.number);
}

/** What is wrong with values of media: images have few of them, and a poster must be an image. */
export async function valueFaults(
  ground: MediaGround,
  object: { readonly key: string; readonly type: MediaType },
  values: ObjectValues,
): Promise<ErrorDetail[]> {
  if (object.type === 'IMAGE') {
    const said = OF_MOVING.filter((name) => values[name] != null);
    return said.map((parameter) => ({ problem: 'NOT_OF_IMAGES', parameter }));
  }
  const key = values.poster_media_key;
  if (key == null || key === frameKey(object.key)) return [];
  return mediaFaults(await knownMedia(ground, [key]), [{ parameter: 'poster_media_key', key, types: ['IMAGE'] }]);
}
