import { oneOf, text } from '../../contract/declare/fields.ts';
import { type Computed, type Fields, type RowOf, resource } from '../../contract/declare/resource.ts';
import { CREATIVE_ROLES } from '../../contract/declare/roles.ts';
import { parseMediaKey } from '../../contract/services/media.ts';
import { mediaKey } from './media/media-key.ts';
import { describeMedia, type MediaDetails, uploadsById } from './media/usable-media.ts';

/** Creative types of account media. @source advertising 9 */
export const CREATIVE_TYPES = [
  'BANNER',
  'BANNER_TABLET',
  'INTERSTITIAL',
  'INTERSTITIAL_LANDSCAPE',
  'INTERSTITIAL_LANDSCAPE_TABLET',
  'INTERSTITIAL_TABLET',
  'MEDIUM_RECTANGLE',
  'PREROLL',
  'VAST_PREROLL',
] as const;
type CreativeType = (typeof CREATIVE_TYPES)[number];

/** Creative types of images by size in pixels. @source creatives 4 */
const DISPLAY_SIZES: Readonly<Record<string, CreativeType>> = {
  '300x250': 'MEDIUM_RECTANGLE',
  '728x90': 'BANNER_TABLET',
  '480x320': 'INTERSTITIAL_LANDSCAPE',
  '768x1024': 'INTERSTITIAL_TABLET',
  '1024x768': 'INTERSTITIAL_LANDSCAPE_TABLET',
  '320x50': 'BANNER',
  '320x480': 'INTERSTITIAL',
  '640x960': 'INTERSTITIAL',
};

/** Returns the creative type of media; undefined if it cannot be account media. @source decision 207 */
export function creativeTypeOf({ category, type, width, height, isUploaded }: MediaDetails): CreativeType | undefined {
  if (category === 'AMPLIFY_VIDEO') return 'PREROLL';
  return type === 'IMAGE' && isUploaded ? DISPLAY_SIZES[`${width}x${height}`] : undefined;
}

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

/** Tests whether account media is a pre-roll video; otherwise it is an image. */
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
    const place = { media, environment: account.environment };
    const images = rows.filter((row) => !isPreroll(row)).map(({ media_key }) => parseMediaKey(media_key!)!.number);
    const uploads = await uploadsById(tx, images);
    return (row) => {
      const key = row.media_key!;
      if (isPreroll(row)) return { video_id: key, media_url: null };
      return { video_id: null, media_url: describeMedia(key, uploads.get(parseMediaKey(key)!.number), place).url };
    };
  },
};

/**
 * Account media: videos and images of the media library that line items can show without a post.
 * @source advertising 9; creatives 4; decision 213
 */
export const accountMedia = resource({
  name: 'account_media',
  plural: 'account_media',
  label: 'Account media',
  description: 'A pre-roll video or display image of the media library that line items can show without a post.',
  scope: 'account',
  operations: ['list', 'get', 'remove'],
  roles: CREATIVE_ROLES,
  notFound: 'ACCOUNT_MEDIA_NOT_FOUND',
  rate: 'account_reads_small',
  ids: { from: 36 ** 4 * 4 },
  fields,
  list: {},
  computed: computedFields,
});
