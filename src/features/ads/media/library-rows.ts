import { boolean, oneOf, text } from '../../../contract/declare/fields.ts';
import { type Fields, type RowOf, resource } from '../../../contract/declare/resource.ts';
import { CREATIVE_READERS, CREATIVE_WRITERS } from '../../../contract/declare/roles.ts';
import { MEDIA_CATEGORIES, type MediaCategory, type MediaType } from '../../../contract/services/media.ts';
import { mediaKey } from './media-key.ts';

const fields = {
  media_category: oneOf(...(Object.keys(MEDIA_CATEGORIES) as MediaCategory[]))
    .required()
    .readOnly()
    .describe('What it was uploaded for.'),
  media_type: oneOf<MediaType>('GIF', 'IMAGE', 'VIDEO')
    .required()
    .readOnly()
    .filteredBy('media_type')
    .describe('What it is.'),
  name: text({ max: 100 }).describe('For the people who work with the account.'),
  file_name: text({ max: 255 }).describe('What the file was called.'),
  title: text({ max: 70 }).describe('Of a video or GIF; posts show it when they ask for it.'),
  description: text({ max: 200 }).describe('Of a video or GIF; posts show it when they ask for it.'),
  poster_media_key: mediaKey().describe('An image that stands for a video or GIF; its first frame when not given.'),
  posted: boolean().readOnly().defaults(0).describe('Whether a post has it.'),
} satisfies Fields;

/** A stored object of a media library; its id is its media key. */
export type LibraryRow = RowOf<typeof fields>;

/** What media libraries are made of. @source advertising: Media library; creatives 3 */
export const libraryRows = resource({
  name: 'media_library_object',
  plural: 'media_library',
  label: 'Media',
  description: 'The images, GIFs and videos that creatives of an account are made of.',
  scope: 'account',
  key: { name: 'media_key', field: mediaKey().describe('The key of the media.') },
  operations: ['list', 'get', 'update', 'remove'],
  roles: { read: CREATIVE_READERS, write: CREATIVE_WRITERS },
  notFound: 'MEDIA_NOT_FOUND',
  rate: 'account_reads_small',
  idsFrom: 0,
  fields,
  isUnchangedByNothing: true,
  list: {
    count: { preset: 20, max: 50 },
    without: ['ids', 'sort_by', 'with_deleted', 'with_total_count'],
    terms: ['name', 'title', 'file_name', 'description'],
  },
});
