import { id, oneOf, text } from '../../../contract/declare/fields.ts';
import { type Fields, type RowOf, resource } from '../../../contract/declare/resource.ts';
import type { Change } from '../../../contract/declare/rules.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import { mediaKey } from '../media/media-key.ts';
import { findMediaDetails } from '../media/usable-media.ts';
import { findAdvertiserUserId } from '../promotable-users.ts';
import { cardFormatDefaults, DELETED_CARD_MEMBERS } from './card-format-defaults.ts';
import { aspectRatioOf } from './card-media.ts';
import {
  cardTypeEcho,
  conversationCardUri,
  conversationFields,
  missingOnCreate,
  missingOnUpdate,
} from './conversation-fields.ts';
import { coverImageFields, coverImageValues, coverVideoFields, coverVideoValues } from './cover-media.ts';
import {
  checkMediaRequirements,
  MEDIA_REQUIREMENT_PROBLEMS,
  type MediaRequirement,
  RATIOS,
} from './media-requirements.ts';

const TYPE = 'VIDEO_CONVERSATION';
const computedText = () => text({ max: 2000 }).required();

const fields = {
  ...conversationFields,
  media_key: mediaKey().required().describe('Library video, aspect ratio 16:9.'),
  poster_media_key: mediaKey().describe('Poster image of the library; default: the first frame.'),
  unlocked_image_media_key: mediaKey()
    .hidden()
    .describe('Image shown after posting, at least 800 pixels wide, aspect ratio 5:2.'),
  // Shown in replies, unlike the key of the unlocked image. @source decision 223
  unlocked_video_media_key: mediaKey().describe('Video shown after posting.'),
  card_uri: conversationCardUri,
} satisfies Fields;

/** A stored video conversation card. */
export type VideoConversationCard = RowOf<typeof fields>;

/**
 * Video conversation cards: a video with hashtags, each of which proposes a post.
 * @source advertising 13; creatives 7 and 8
 */
export const videoConversationCards = resource({
  ...cardFormatDefaults,
  name: 'video_conversation_card',
  plural: 'video_conversation_cards',
  label: 'Video conversation card',
  path: 'cards/video_conversation',
  description: 'A video with hashtags, each of which proposes a post.',
  operations: ['list', 'get', 'create', 'update', 'remove'],
  requests: { echoes: cardTypeEcho(TYPE), validate: missingOnCreate },
  fields,
  rules: [missingOnUpdate, mediaIsSuitable],
  problems: ['MISSING_PARAMETER', 'INCLUSIVE_PARAMETERS', ...MEDIA_REQUIREMENT_PROBLEMS],
  computed: {
    fields: {
      card_type: oneOf(TYPE).required().describe('Card type.'),
      media_url: computedText().describe('URL of the VMAP document of the video.'),
      poster_media_url: computedText().describe('URL of the poster.'),
      video_width: computedText().describe('Width in the aspect ratio of the video.'),
      video_height: computedText().describe('Height in the aspect ratio of the video.'),
      video_owner_id: id().required().describe('User whom the account advertises.'),
      ...coverImageFields,
      ...coverVideoFields,
    },
    async prepare(rows, context) {
      const media = await findMediaDetails(context, rows.flatMap(keysOf));
      const owner = rows.length === 0 ? '' : await findAdvertiserUserId(context.tx, context.account!.id);
      return (row) => {
        const video = media.get(row.media_key!)!;
        const [width, height] = aspectRatioOf(video);
        return {
          card_type: TYPE,
          media_url: video.vmap_url,
          poster_media_url: media.get(row.poster_media_key ?? '')?.url ?? video.poster_url,
          video_width: width,
          video_height: height,
          video_owner_id: owner,
          ...coverImageValues(media.get(row.unlocked_image_media_key ?? '')),
          ...coverVideoValues(media.get(row.unlocked_video_media_key ?? '')),
        };
      };
    },
  },
  deletion: { hard: { fields: DELETED_CARD_MEMBERS } },
});

const MEDIA = {
  media_key: { types: ['VIDEO'], video: { ratios: [RATIOS.film] } },
  poster_media_key: { types: ['IMAGE'] },
  unlocked_image_media_key: { types: ['IMAGE'], image: { ratios: [RATIOS.banner] } },
  unlocked_video_media_key: { types: ['VIDEO'] },
} as const satisfies Record<string, Omit<MediaRequirement, 'parameter' | 'key'>>;

const MEDIA_PARAMETERS = Object.keys(MEDIA) as (keyof typeof MEDIA)[];

function keysOf(row: VideoConversationCard): (string | null)[] {
  return MEDIA_PARAMETERS.map((name) => row[name]);
}

/**
 * Rule: new media meets the requirements; media that was set before stays valid when it leaves the library.
 * @source decision 217
 */
async function mediaIsSuitable(change: Change<VideoConversationCard>): Promise<readonly ErrorDetail[]> {
  const { after, before } = change;
  const fresh = MEDIA_PARAMETERS.filter((name) => after[name] !== null && after[name] !== before?.[name]);
  return checkMediaRequirements(
    change,
    fresh.map((name) => ({ parameter: name, key: after[name]!, ...MEDIA[name] })),
  );
}
