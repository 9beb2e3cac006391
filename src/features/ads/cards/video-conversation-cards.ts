import { id, oneOf, text } from '../../../contract/declare/fields.ts';
import { type Change, type Fields, type RowOf, resource } from '../../../contract/declare/resource.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import { mediaKey } from '../media/media-key.ts';
import { advertiserOf } from '../promotable-users.ts';
import { echoOf, lacksOnCreate, lacksOnUpdate, opening, ownUri } from './conversation.ts';
import { coverImage, coverImageOf, coverVideo, coverVideoOf } from './cover.ts';
import { ofFamily, REMAINS } from './families.ts';
import { MEDIA_MISFITS, RATIOS, unfitMedia, type Wanted } from './media-fit.ts';
import { mediaOfCards, ratioOf } from './shown-media.ts';

const TYPE = 'VIDEO_CONVERSATION';
const shown = () => text({ max: 2000 }).required();

const fields = {
  ...opening,
  media_key: mediaKey().required().says('A video of the library, ratio 16:9.'),
  poster_media_key: mediaKey().says('An image of the library; the first frame when not given.'),
  unlocked_image_media_key: mediaKey()
    .unshown()
    .says('An image for whoever has posted: at least 800 pixels wide, ratio 5:2.'),
  unlocked_video_media_key: mediaKey().says('A video for whoever has posted.'),
  card_uri: ownUri,
} satisfies Fields;

/** A stored video conversation card. */
export type VideoConversationCard = RowOf<typeof fields>;

/**
 * Video conversation cards: a video with hashtags to choose from, each of which proposes a post.
 * @source advertising: Video conversation cards; creatives 7 and 8
 */
export const videoConversationCards = resource({
  ...ofFamily,
  name: 'video_conversation_card',
  plural: 'video_conversation_cards',
  label: 'Video conversation card',
  path: 'cards/video_conversation',
  about: 'A video with hashtags to choose from, each of which proposes a post.',
  operations: ['list', 'get', 'create', 'update', 'remove'],
  echoes: echoOf(TYPE),
  fields,
  checkInput: lacksOnCreate,
  rules: [lacksOnUpdate, mediaFit],
  raises: ['MISSING_PARAMETER', 'INCLUSIVE_PARAMETERS', ...MEDIA_MISFITS],
  computed: {
    fields: {
      card_type: oneOf(TYPE).required().says('The kind of card.'),
      media_url: shown().says('Where the files of the video are listed.'),
      poster_media_url: shown().says('Where the poster is served.'),
      video_width: shown().says('Of the ratio of the video.'),
      video_height: shown().says('Of the ratio of the video.'),
      video_owner_id: id().required().says('The user whom the account advertises.'),
      ...coverImage,
      ...coverVideo,
    },
    async prepare(rows, context) {
      const media = await mediaOfCards(context, rows.flatMap(keysOf));
      const owner = rows.length === 0 ? '' : await advertiserOf(context.tx, context.account!.id);
      return (row) => {
        const video = media.get(row.media_key!)!;
        const [width, height] = ratioOf(video);
        return {
          card_type: TYPE,
          media_url: video.vmap_url,
          poster_media_url: media.get(row.poster_media_key ?? '')?.url ?? video.poster_url,
          video_width: width,
          video_height: height,
          video_owner_id: owner,
          ...coverImageOf(media.get(row.unlocked_image_media_key ?? '')),
          ...coverVideoOf(media.get(row.unlocked_video_media_key ?? '')),
        };
      };
    },
  },
  hardDeletion: { shows: REMAINS },
});

const MEDIA = {
  media_key: { types: ['VIDEO'], video: { ratios: [RATIOS.film] } },
  poster_media_key: { types: ['IMAGE'] },
  unlocked_image_media_key: { types: ['IMAGE'], image: { ratios: [RATIOS.banner] } },
  unlocked_video_media_key: { types: ['VIDEO'] },
} as const satisfies Record<string, Omit<Wanted, 'parameter' | 'key'>>;

const NAMES = Object.keys(MEDIA) as (keyof typeof MEDIA)[];

function keysOf(row: VideoConversationCard): (string | null)[] {
  return NAMES.map((name) => row[name]);
}

/** Only what is new is judged: what is shown stays, whatever became of the library since. */
async function mediaFit(change: Change<VideoConversationCard>): Promise<readonly ErrorDetail[]> {
  const { after, before } = change;
  const fresh = NAMES.filter((name) => after[name] !== null && after[name] !== before?.[name]);
  return unfitMedia(
    change,
    fresh.map((name) => ({ parameter: name, key: after[name]!, ...MEDIA[name] })),
  );
}
