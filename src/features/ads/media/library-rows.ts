import { boolean, oneOf, text } from '../../../contract/declare/fields.ts';
import { type Fields, type RowOf, resource } from '../../../contract/declare/resource.ts';
import { CREATIVE_ROLES } from '../../../contract/declare/roles.ts';
import { MEDIA_CATEGORIES, type MediaCategory, type MediaType } from '../../../contract/services/media.ts';
import { mediaKey } from './media-key.ts';

const fields = {
  media_category: oneOf(...(Object.keys(MEDIA_CATEGORIES) as MediaCategory[]))
    .required()
    .readOnly()
    .describe('Category of the upload.'),
  media_type: oneOf<MediaType>('GIF', 'IMAGE', 'VIDEO')
    .required()
    .readOnly()
    .filteredBy('media_type')
    .describe('Media type.'),
  name: text({ max: 100 }).describe('Display name.'),
  file_name: text({ max: 255 }).describe('Original file name.'),
  title: text({ max: 70 }).describe('Shown with a video or GIF where a post asks for it.'),
  description: text({ max: 200 }).describe('Shown with a video or GIF where a post asks for it.'),
  poster_media_key: mediaKey().describe('Poster image of a video or GIF; default: the first frame.'),
  posted: boolean().readOnly().defaults(0).describe('Whether a published post uses it.'),
} satisfies Fields;

/** A stored media library entry; its id is its media key. */
export type LibraryRow = RowOf<typeof fields>;

/** Media library entries, without their rules. @source advertising 11; creatives 3 */
export const libraryRows = resource({
  name: 'media_library_object',
  plural: 'media_library',
  label: 'Media',
  description: 'The images, GIFs and videos that an account can use in creatives.',
  scope: 'account',
  key: { name: 'media_key', field: mediaKey().describe('Media key.') },
  operations: ['list', 'get', 'update', 'remove'],
  roles: CREATIVE_ROLES,
  notFound: 'MEDIA_NOT_FOUND',
  rate: 'account_reads_small',
  ids: { from: 0 },
  fields,
  requests: { ignoresEmptyUpdate: true },
  list: {
    count: { preset: 20, max: 50 },
    without: ['ids', 'sort_by', 'with_deleted', 'with_total_count'],
    // Matches whole words. @source decision 204
    terms: ['name', 'title', 'file_name', 'description'],
  },
});
