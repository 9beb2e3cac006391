import { formatInstant, instantMs } from '../../../base/instants.ts';
import { instant, integer, oneOf, type StoredValue, text } from '../../../contract/declare/fields.ts';
import { type Fields, type RowOf, resource } from '../../../contract/declare/resource.ts';
import type { Change } from '../../../contract/declare/rules.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import { checkFeature } from '../account-features.ts';
import { mediaKey } from '../media/media-key.ts';
import { findMediaDetails, type MediaDetails } from '../media/usable-media.ts';
import {
  aspectRatioOf,
  cardFormatDefaults,
  DELETED_CARD_MEMBERS,
  hasValue,
  mediaText,
  pixelSize,
  type RequestInput,
} from './card-formats.ts';
import { isVideoKey } from './card-types.ts';
import { cardUri } from './card-uri.ts';
import { MEDIA_REQUIREMENT_PROBLEMS, mediaRule, RATIOS } from './media-requirements.ts';

const choice = () => text({ max: 25 });

const fields = {
  name: text({ max: 80 }).required().sortable().describe('Display name.'),
  card_uri: cardUri().readOnly().required().describe('URI that posts refer to.'),
  card_type: oneOf('TEXT_POLLS', 'IMAGE_POLLS', 'VIDEO_POLLS')
    .readOnly()
    .required()
    .describe('Follows from the media.'),
  first_choice: choice().required().describe('First choice.'),
  second_choice: choice().required().describe('Second choice.'),
  third_choice: choice().describe('Third choice.'),
  fourth_choice: choice().describe('Fourth choice; requires a third one.'),
  duration_in_minutes: integer({ min: 5, max: 10_080 })
    .required()
    .describe('Minutes from creation until the poll closes.'),
  media_key: mediaKey().hidden().describe('Image of aspect ratio 1.91:1, or video of 16:9.'),
} satisfies Fields;

/** A stored poll. */
export type PollCard = RowOf<typeof fields>;

/** Computed fields of polls: times and media. @source advertising 12; creatives 6 */
const computedFields = {
  // Numbers are strings in replies, as in the reference; the echoed request has them as numbers.
  duration_in_minutes: text({ max: 5 }).required().describe('Minutes from creation until the poll closes.'),
  start_time: instant().required().describe('When the poll opened: its creation time.'),
  end_time: instant().required().describe('When the poll closes.'),
  media_url: mediaText('URL of the image.').omittedWhenNull(),
  image_display_width: mediaText('Width of the image in pixels.').omittedWhenNull(),
  image_display_height: mediaText('Height of the image in pixels.').omittedWhenNull(),
  video_url: mediaText('URL of the VMAP document of the video.').omittedWhenNull(),
  video_hls_url: mediaText('URL of the HLS playlist of the video.').omittedWhenNull(),
  video_width: mediaText('Width in the aspect ratio of the video.').omittedWhenNull(),
  video_height: mediaText('Height in the aspect ratio of the video.').omittedWhenNull(),
  video_poster_url: mediaText('URL of the first frame.').omittedWhenNull(),
  video_poster_width: mediaText('Width in the aspect ratio of the first frame.').omittedWhenNull(),
  video_poster_height: mediaText('Height in the aspect ratio of the first frame.').omittedWhenNull(),
  content_duration_seconds: mediaText('Duration of the video in seconds; absent without an upload.').omittedWhenNull(),
} satisfies Fields;

/**
 * Poll cards: choices below a post, open for voting for some minutes from their creation.
 * @source advertising 12; creatives 6
 */
export const pollCards = resource({
  ...cardFormatDefaults,
  name: 'poll_card',
  plural: 'poll_cards',
  label: 'Poll card',
  path: 'cards/poll',
  description: 'A poll below a post, open for voting for a limited time.',
  operations: ['list', 'get', 'create', 'remove'],
  requests: {
    echoes: { list: { card_type: 'poll' }, get: { card_type: 'poll' }, remove: { card_type: 'poll' } },
    validate: choicesHaveNoGaps,
  },
  fields,
  derive({ media_key: key }): Partial<PollCard> {
    return { card_type: key === null ? 'TEXT_POLLS' : isVideoKey(key) ? 'VIDEO_POLLS' : 'IMAGE_POLLS' };
  },
  rules: [
    mediaIsAvailable,
    mediaRule({
      media_key: {
        types: ['IMAGE', 'VIDEO'],
        image: { ratios: [RATIOS.wide] },
        video: { ratios: [RATIOS.film] },
      },
    }),
  ],
  problems: ['INCLUSIVE_PARAMETERS', 'FEATURE_NOT_AVAILABLE', ...MEDIA_REQUIREMENT_PROBLEMS],
  computed: {
    fields: computedFields,
    async prepare(rows, context) {
      const media = await findMediaDetails(
        context,
        rows.map(({ media_key }) => media_key),
      );
      return (row) => {
        const own = media.get(row.media_key ?? '');
        return {
          duration_in_minutes: String(row.duration_in_minutes),
          start_time: row.created_at,
          end_time: closesAt(row),
          ...(own && (own.type === 'VIDEO' ? videoValues(own) : imageValues(own))),
        };
      };
    },
  },
  deletion: { hard: { fields: [...DELETED_CARD_MEMBERS, 'start_time'] } },
});

/** Returns when a poll closes, as UTC text. */
export function closesAt({ created_at, duration_in_minutes }: PollCard): string {
  return formatInstant(instantMs(created_at) + duration_in_minutes! * 60_000);
}

/** A fourth choice requires a third; the first two are required anyway. @source creatives 6 */
function choicesHaveNoGaps(request: RequestInput): readonly ErrorDetail[] {
  const [a, b] = ['fourth_choice', 'third_choice'] as const;
  if (!hasValue(request, a) || hasValue(request, b)) return [];
  return [{ problem: 'INCLUSIVE_PARAMETERS', parameter: b, words: { a, b } }];
}

async function mediaIsAvailable(change: Change<PollCard>): Promise<ErrorDetail | undefined> {
  return change.after.media_key === null ? undefined : checkFeature(change, 'PROMOTED_MEDIA_POLLS', 'media_key');
}

function imageValues(image: MediaDetails): Record<string, StoredValue> {
  const [width, height] = pixelSize(image);
  return { media_url: image.url, image_display_width: width, image_display_height: height };
}

/** The computed values of a video; without an upload its duration is unknown. @source decision 224 */
function videoValues(video: MediaDetails): Record<string, StoredValue | null> {
  const { vmap_url, hls_url, poster_url, duration_ms } = video;
  const [width, height] = aspectRatioOf(video);
  return {
    video_url: vmap_url,
    video_hls_url: hls_url,
    video_width: width,
    video_height: height,
    video_poster_url: poster_url,
    video_poster_width: width,
    video_poster_height: height,
    content_duration_seconds: duration_ms === null ? null : String(Math.floor(duration_ms / 1000)),
  };
}
