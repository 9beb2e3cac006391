import { oneOf, text } from '../../contract/declare/fields.ts';
import { type Computed, type Fields, type RowOf, resource } from '../../contract/declare/resource.ts';
import { CREATIVE_READERS, CREATIVE_WRITERS } from '../../contract/declare/roles.ts';
import { parseMediaKey } from '../../contract/services/media.ts';
import { CREATIVE_TYPES } from './media/creative-types.ts';
import { describeMedia } from './media/describe-media.ts';
import { mediaKey } from './media/media-key.ts';
import { uploadsById } from './media/usable-media.ts';

const fields = {
  creative_type: oneOf(...CREATIVE_TYPES)
    .required()
    .readOnly()
    .filteredBy('creative_types')
    .describe('Creative type.'),
  media_key: mediaKey().required().readOnly().hidden().describe('Media shown.'),
} satisfies Fields;

/** Stored account media. */
export type AccountMedia = RowOf<typeof fields>;

const VIDEOS: readonly (string | null)[] = ['PREROLL', 'VAST_PREROLL'];

/** Whether account media is a pre-roll video; otherwise it is an image. */
export function isPreroll({ creative_type }: Pick<AccountMedia, 'creative_type'>): boolean {
  return VIDEOS.includes(creative_type);
}

/** Videos are identified by media key, images by URL. */
const computedFields: Computed<AccountMedia> = {
  fields: {
    video_id: mediaKey().readOnly().describe('Media key of a video.'),
    media_url: text({ max: 2000 }).readOnly().describe('URL of an image.'),
  },
  async prepare(rows, { tx, media, account }) {
    const place = { media, environment: account!.environment };
    const images = rows.filter((row) => !isPreroll(row)).map(({ media_key }) => media_key!);
    const uploads = await uploadsById(
      tx,
      images.map((key) => parseMediaKey(key)!.number),
    );
    return (row) => {
      const key = row.media_key!;
      if (isPreroll(row)) return { video_id: key, media_url: null };
      return { video_id: null, media_url: describeMedia(key, uploads.get(parseMediaKey(key)!.number), place).url };
    };
  },
};

/**
 * Account media: videos and images that line items can show without a post. They come from the media library.
 * @source advertising 9; creatives 4; decision 213
 */
export const accountMedia = resource({
  name: 'account_media',
  plural: 'account_media',
  label: 'Account media',
  description: 'A pre-roll video or display image of the media library that line items can show without a post.',
  scope: 'account',
  operations: ['list', 'get', 'remove'],
  roles: { read: CREATIVE_READERS, write: CREATIVE_WRITERS },
  notFound: 'ACCOUNT_MEDIA_NOT_FOUND',
  rate: 'account_reads_small',
  ids: { from: 36 ** 4 * 4 },
  fields,
  list: {},
  computed: computedFields,
});
