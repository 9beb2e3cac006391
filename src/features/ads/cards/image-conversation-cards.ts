import { oneOf, text } from '../../../contract/declare/fields.ts';
import { type Fields, type RowOf, resource } from '../../../contract/declare/resource.ts';
import type { Change } from '../../../contract/declare/rules.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import { mediaKey } from '../media/media-key.ts';
import { findMediaDetails } from '../media/usable-media.ts';
import { cardFormatDefaults, DELETED_CARD_MEMBERS } from './card-format-defaults.ts';
import { pixelSize } from './card-media.ts';
import {
  cardTypeEcho,
  conversationCardUri,
  conversationFields,
  missingOnCreate,
  missingOnUpdate,
} from './conversation-fields.ts';
import { coverImageFields, coverImageValues } from './cover-media.ts';
import {
  checkMediaRequirements,
  MEDIA_REQUIREMENT_PROBLEMS,
  type MediaRequirement,
  RATIOS,
} from './media-requirements.ts';

const TYPE = 'IMAGE_CONVERSATION';
const computedText = () => text({ max: 2000 }).required();

const fields = {
  ...conversationFields,
  media_key: mediaKey().required().describe('Library image, at least 800 pixels wide, aspect ratio 1.91:1.'),
  unlocked_image_media_key: mediaKey()
    .hidden()
    .describe('Image shown after posting, at least 800 pixels wide, aspect ratio 5:2.'),
  card_uri: conversationCardUri,
} satisfies Fields;

/** A stored image conversation card. */
export type ImageConversationCard = RowOf<typeof fields>;

/**
 * Image conversation cards: an image with hashtags, each of which proposes a post.
 * @source advertising 14; creatives 7 and 9
 */
export const imageConversationCards = resource({
  ...cardFormatDefaults,
  name: 'image_conversation_card',
  plural: 'image_conversation_cards',
  label: 'Image conversation card',
  path: 'cards/image_conversation',
  description: 'An image with hashtags, each of which proposes a post.',
  operations: ['list', 'get', 'create', 'update', 'remove'],
  requests: { echoes: cardTypeEcho(TYPE), validate: missingOnCreate },
  fields,
  rules: [missingOnUpdate, mediaIsSuitable],
  problems: ['MISSING_PARAMETER', 'INCLUSIVE_PARAMETERS', ...MEDIA_REQUIREMENT_PROBLEMS],
  computed: {
    fields: {
      card_type: oneOf(TYPE).required().describe('Card type.'),
      media_url: computedText().describe('URL of the image.'),
      image_display_width: computedText().describe('Width of the image in pixels.'),
      image_display_height: computedText().describe('Height of the image in pixels.'),
      ...coverImageFields,
    },
    async prepare(rows, context) {
      const media = await findMediaDetails(
        context,
        rows.flatMap(({ media_key, unlocked_image_media_key }) => [media_key, unlocked_image_media_key]),
      );
      return (row) => {
        const image = media.get(row.media_key!)!;
        const [width, height] = pixelSize(image);
        return {
          card_type: TYPE,
          media_url: image.url,
          image_display_width: width,
          image_display_height: height,
          ...coverImageValues(media.get(row.unlocked_image_media_key ?? '')),
        };
      };
    },
  },
  deletion: { hard: { fields: DELETED_CARD_MEMBERS } },
});

const MEDIA = {
  media_key: { types: ['IMAGE'], image: { ratios: [RATIOS.wide] } },
  unlocked_image_media_key: { types: ['IMAGE'], image: { ratios: [RATIOS.banner] } },
} as const satisfies Record<string, Omit<MediaRequirement, 'parameter' | 'key'>>;

/**
 * Rule: new media meets the requirements; media that was set before stays valid when it leaves the library.
 * @source decision 217
 */
async function mediaIsSuitable(change: Change<ImageConversationCard>): Promise<readonly ErrorDetail[]> {
  const { after, before } = change;
  const names = (Object.keys(MEDIA) as (keyof typeof MEDIA)[]).filter(
    (name) => after[name] !== null && after[name] !== before?.[name],
  );
  return checkMediaRequirements(
    change,
    names.map((name) => ({ parameter: name, key: after[name]!, ...MEDIA[name] })),
  );
}
