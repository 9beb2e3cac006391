import { oneOf, text } from '../../../contract/declare/fields.ts';
import { type Change, type Fields, type RowOf, resource } from '../../../contract/declare/resource.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import { mediaKey } from '../media/media-key.ts';
import { echoOf, lacksOnCreate, lacksOnUpdate, opening, ownUri } from './conversation.ts';
import { coverImage, coverImageOf } from './cover.ts';
import { ofFamily, REMAINS } from './families.ts';
import { MEDIA_MISFITS, RATIOS, unfitMedia, type Wanted } from './media-fit.ts';
import { mediaOfCards, pixels } from './shown-media.ts';

const TYPE = 'IMAGE_CONVERSATION';
const shown = () => text({ max: 2000 }).required();

const fields = {
  ...opening,
  media_key: mediaKey().required().says('An image of the library: at least 800 pixels wide, ratio 1.91:1.'),
  unlocked_image_media_key: mediaKey()
    .unshown()
    .says('An image for whoever has posted: at least 800 pixels wide, ratio 5:2.'),
  card_uri: ownUri,
} satisfies Fields;

/** A stored image conversation card. */
export type ImageConversationCard = RowOf<typeof fields>;

/**
 * Image conversation cards: an image with hashtags to choose from, each of which proposes a post.
 * @source advertising: Image conversation cards; creatives 7 and 9
 */
export const imageConversationCards = resource({
  ...ofFamily,
  name: 'image_conversation_card',
  plural: 'image_conversation_cards',
  label: 'Image conversation card',
  path: 'cards/image_conversation',
  about: 'An image with hashtags to choose from, each of which proposes a post.',
  operations: ['list', 'get', 'create', 'update', 'remove'],
  echoes: echoOf(TYPE),
  fields,
  checkInput: lacksOnCreate,
  rules: [lacksOnUpdate, mediaFit],
  raises: ['MISSING_PARAMETER', 'INCLUSIVE_PARAMETERS', ...MEDIA_MISFITS],
  computed: {
    fields: {
      card_type: oneOf(TYPE).required().says('The kind of card.'),
      media_url: shown().says('Where the image is served.'),
      image_display_width: shown().says('Pixels of the image in a row.'),
      image_display_height: shown().says('Rows of the image.'),
      ...coverImage,
    },
    async prepare(rows, context) {
      const media = await mediaOfCards(
        context,
        rows.flatMap(({ media_key, unlocked_image_media_key }) => [media_key, unlocked_image_media_key]),
      );
      return (row) => {
        const image = media.get(row.media_key!)!;
        const [width, height] = pixels(image);
        return {
          card_type: TYPE,
          media_url: image.url,
          image_display_width: width,
          image_display_height: height,
          ...coverImageOf(media.get(row.unlocked_image_media_key ?? '')),
        };
      };
    },
  },
  hardDeletion: { shows: REMAINS },
});

const MEDIA = {
  media_key: { types: ['IMAGE'], image: { ratios: [RATIOS.wide] } },
  unlocked_image_media_key: { types: ['IMAGE'], image: { ratios: [RATIOS.banner] } },
} as const satisfies Record<string, Omit<Wanted, 'parameter' | 'key'>>;

/** Only what is new is judged: what is shown stays, whatever became of the library since. */
async function mediaFit(change: Change<ImageConversationCard>): Promise<readonly ErrorDetail[]> {
  const { after, before } = change;
  const names = (Object.keys(MEDIA) as (keyof typeof MEDIA)[]).filter(
    (name) => after[name] !== null && after[name] !== before?.[name],
  );
  return unfitMedia(
    change,
    names.map((name) => ({ parameter: name, key: after[name]!, ...MEDIA[name] })),
  );
}
