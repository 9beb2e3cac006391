import { resource } from '../../contract/declare/resource.ts';
import type { Change } from '../../contract/declare/rules.ts';
import type { ErrorDetail } from '../../contract/problems/problems.ts';
import type { MediaType } from '../../contract/services/media.ts';
import { libraryComputedFields } from './media/library-computed-fields.ts';
import { type LibraryRow, libraryRows } from './media/library-rows.ts';
import { checkLibraryValues, firstFrameKey, type LibraryValues } from './media/library-values.ts';

/**
 * Media library: the images, GIFs and videos that an account can use in creatives.
 * @source advertising 11; creatives 3
 */
export const mediaLibrary = resource({
  ...libraryRows,
  derive: (row) =>
    row.media_type === 'IMAGE' ? {} : { poster_media_key: row.poster_media_key ?? firstFrameKey(row.id) },
  rules: [valuesAreValid],
  problems: ['NOT_OF_IMAGES', 'INVALID_MEDIA', 'MEDIA_NOT_TRANSCODED', 'MEDIA_OF_OTHER_TYPE'],
  computed: libraryComputedFields,
});

/** Rule: checks changed values only, so that a deleted poster does not block other changes. @source decision 206 */
async function valuesAreValid(change: Change<LibraryRow>): Promise<ErrorDetail[]> {
  const { before, after } = change;
  const names = ['title', 'description', 'poster_media_key'] as const;
  const changed = names.filter((name) => after[name] !== before?.[name]).map((name) => [name, after[name]]);
  const values = Object.fromEntries(changed) as LibraryValues;
  return checkLibraryValues(change, { key: after.id, type: after.media_type as MediaType }, values);
}
