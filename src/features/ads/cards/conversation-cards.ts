import { Type } from '../../../base/json-schema.ts';
import { codePointLength } from '../../../base/text.ts';
import { type Field, field, id, oneOf, quoted, type StoredValue, text } from '../../../contract/declare/fields.ts';
import { type Fields, type RowOf, resource } from '../../../contract/declare/resource.ts';
import type { Change } from '../../../contract/declare/rules.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import { mediaKey } from '../media/media-key.ts';
import { findMediaDetails, type MediaDetails } from '../media/usable-media.ts';
import { findAdvertiserUserId } from '../promotable-users.ts';
import {
  aspectRatioOf,
  cardFormatDefaults,
  hasValue,
  mediaText,
  pixelSize,
  type RequestInput,
} from './card-formats.ts';
import { cardUri } from './card-uri.ts';
import { MEDIA_REQUIREMENT_PROBLEMS, mediaRule, RATIOS } from './media-requirements.ts';
import { webUrl } from './web-url.ts';

const HASHTAG_MAX = 20;
const SHAPE = '[\\p{L}\\p{M}\\p{N}_]+';
const HASHTAG = new RegExp(`^#${SHAPE}$`, 'u');
const ORDINALS = ['first', 'second', 'third', 'fourth'] as const;

const proposedPost = () => text({ max: 280 });

/** Fields of both conversation card formats. @source creatives 7 */
const conversationFields = {
  name: text({ max: 80 }).required().sortable().describe('Display name.'),
  title: text({ max: 23 }).describe('Title above the hashtags; required with a single hashtag.'),
  first_cta: hashtag().required().describe('First hashtag to choose.'),
  first_cta_post: proposedPost().required().describe('Post proposed for this hashtag.'),
  second_cta: hashtag().describe('Second hashtag; required without a title.'),
  second_cta_post: proposedPost().describe('Post proposed for this hashtag.'),
  third_cta: hashtag().describe('Third hashtag; requires a second one.'),
  third_cta_post: proposedPost().describe('Post proposed for this hashtag.'),
  fourth_cta: hashtag().describe('Fourth hashtag; requires a third one.'),
  fourth_cta_post: proposedPost().describe('Post proposed for this hashtag.'),
  thank_you_text: text({ max: 23 }).required().describe('Shown after posting.'),
  thank_you_url: webUrl({ max: 2000 }).describe('Link shown after posting.'),
} satisfies Fields;

const conversationCardUri = cardUri().readOnly().required().describe('URI that posts refer to.');
const unlockedImageKey = mediaKey()
  .hidden()
  .describe('Image shown after posting, at least 800 pixels wide, aspect ratio 5:2.');

/** Computed fields of the unlocked image. @source creatives 7 */
const coverImageFields = {
  cover_image_url: mediaText('URL of the unlocked image.').omittedWhenNull(),
  cover_image_display_width: mediaText('Width of the unlocked image in pixels.').omittedWhenNull(),
  cover_image_display_height: mediaText('Height of the unlocked image in pixels.').omittedWhenNull(),
} satisfies Fields;

/** Computed fields of the unlocked video. @source creatives 7 */
const coverVideoFields = {
  cover_video_content_id: mediaText('Numeric id of the unlocked video.').omittedWhenNull(),
  cover_video_url: mediaText('URL of the VMAP document of the unlocked video.').omittedWhenNull(),
  cover_video_hls_url: mediaText('URL of the HLS playlist of the unlocked video.').omittedWhenNull(),
  cover_video_poster_url: mediaText('URL of the first frame of the unlocked video.').omittedWhenNull(),
  cover_video_width: mediaText('Width in the aspect ratio of the unlocked video.').omittedWhenNull(),
  cover_video_height: mediaText('Height in the aspect ratio of the unlocked video.').omittedWhenNull(),
} satisfies Fields;

const conversationDefaults = {
  ...cardFormatDefaults,
  operations: ['list', 'get', 'create', 'update', 'remove'],
  problems: ['MISSING_PARAMETER', 'INCLUSIVE_PARAMETERS', ...MEDIA_REQUIREMENT_PROBLEMS],
} as const;

const imageFields = {
  ...conversationFields,
  media_key: mediaKey().required().describe('Library image, at least 800 pixels wide, aspect ratio 1.91:1.'),
  unlocked_image_media_key: unlockedImageKey,
  card_uri: conversationCardUri,
} satisfies Fields;

/** A stored image conversation card. */
export type ImageConversationCard = RowOf<typeof imageFields>;

/**
 * Image conversation cards: an image with hashtags, each of which proposes a post.
 * @source advertising 14; creatives 7 and 9
 */
export const imageConversationCards = resource({
  ...conversationDefaults,
  name: 'image_conversation_card',
  plural: 'image_conversation_cards',
  label: 'Image conversation card',
  path: 'cards/image_conversation',
  description: 'An image with hashtags, each of which proposes a post.',
  requests: requestsOf('IMAGE_CONVERSATION'),
  fields: imageFields,
  rules: [
    missingOnUpdate,
    mediaRule({
      media_key: { types: ['IMAGE'], image: { ratios: [RATIOS.wide] } },
      unlocked_image_media_key: { types: ['IMAGE'], image: { ratios: [RATIOS.banner] } },
    }),
  ],
  computed: {
    fields: {
      card_type: oneOf('IMAGE_CONVERSATION').required().describe('Card type.'),
      media_url: mediaText('URL of the image.').required(),
      image_display_width: mediaText('Width of the image in pixels.').required(),
      image_display_height: mediaText('Height of the image in pixels.').required(),
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
          card_type: 'IMAGE_CONVERSATION',
          media_url: image.url,
          image_display_width: width,
          image_display_height: height,
          ...coverImageValues(media.get(row.unlocked_image_media_key ?? '')),
        };
      };
    },
  },
});

const videoFields = {
  ...conversationFields,
  media_key: mediaKey().required().describe('Library video, aspect ratio 16:9.'),
  poster_media_key: mediaKey().describe('Poster image of the library; default: the first frame.'),
  unlocked_image_media_key: unlockedImageKey,
  // Shown in replies, unlike the key of the unlocked image. @source decision 223
  unlocked_video_media_key: mediaKey().describe('Video shown after posting.'),
  card_uri: conversationCardUri,
} satisfies Fields;

/** A stored video conversation card. */
export type VideoConversationCard = RowOf<typeof videoFields>;

/**
 * Video conversation cards: a video with hashtags, each of which proposes a post.
 * @source advertising 13; creatives 7 and 8
 */
export const videoConversationCards = resource({
  ...conversationDefaults,
  name: 'video_conversation_card',
  plural: 'video_conversation_cards',
  label: 'Video conversation card',
  path: 'cards/video_conversation',
  description: 'A video with hashtags, each of which proposes a post.',
  requests: requestsOf('VIDEO_CONVERSATION'),
  fields: videoFields,
  rules: [
    missingOnUpdate,
    mediaRule({
      media_key: { types: ['VIDEO'], video: { ratios: [RATIOS.film] } },
      poster_media_key: { types: ['IMAGE'] },
      unlocked_image_media_key: { types: ['IMAGE'], image: { ratios: [RATIOS.banner] } },
      unlocked_video_media_key: { types: ['VIDEO'] },
    }),
  ],
  computed: {
    fields: {
      card_type: oneOf('VIDEO_CONVERSATION').required().describe('Card type.'),
      media_url: mediaText('URL of the VMAP document of the video.').required(),
      poster_media_url: mediaText('URL of the poster.').required(),
      video_width: mediaText('Width in the aspect ratio of the video.').required(),
      video_height: mediaText('Height in the aspect ratio of the video.').required(),
      video_owner_id: id().required().describe('User whom the account advertises.'),
      ...coverImageFields,
      ...coverVideoFields,
    },
    async prepare(rows, context) {
      const keys = rows.flatMap((row) => [
        ...[row.media_key, row.poster_media_key],
        ...[row.unlocked_image_media_key, row.unlocked_video_media_key],
      ]);
      const media = await findMediaDetails(context, keys);
      const owner = rows.length === 0 ? '' : await findAdvertiserUserId(context.tx, context.account.id);
      return (row) => {
        const video = media.get(row.media_key!)!;
        const [width, height] = aspectRatioOf(video);
        return {
          card_type: 'VIDEO_CONVERSATION',
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
});

/** A hashtag of at most 20 characters; a missing leading `#` is added. @source creatives 7; decision 225 */
function hashtag(): Field<string> {
  return field<string>({
    name: 'hashtag',
    column: 'text',
    schema: Type.String({ pattern: `^#?${SHAPE}$`, maxLength: HASHTAG_MAX + 1 }),
    problems: ['NOT_A_HASHTAG', 'TEXT_TOO_LONG'],
    toJson: (stored) => JSON.stringify(stored),
    read(raw, parameter): string | ErrorDetail {
      const value = typeof raw === 'string' ? `#${raw.replace(/^#/, '')}` : '';
      const length = codePointLength(value) - 1;
      if (length > HASHTAG_MAX) return { problem: 'TEXT_TOO_LONG', parameter, words: { max: HASHTAG_MAX, length } };
      return HASHTAG.test(value) ? value : { problem: 'NOT_A_HASHTAG', parameter, words: { raw: quoted(raw) } };
    },
  });
}

/**
 * Declares the requests of a format: the card type is echoed in lower case for reads and deletes, and in upper case for
 * writes.
 * @source creatives 1.1
 */
function requestsOf(card_type: string) {
  const [lower, upper] = [{ card_type: card_type.toLowerCase() }, { card_type }];
  return {
    echoes: { list: lower, get: lower, remove: lower, create: upper, update: upper },
    // Updates are checked against the stored row by `missingOnUpdate`.
    validate: (request: RequestInput) => (request.verb === 'create' ? missing((name) => hasValue(request, name)) : []),
  };
}

/** Rule: an updated card has all required values. */
function missingOnUpdate({ verb, after }: Change<object>): readonly ErrorDetail[] {
  const row = after as Readonly<Record<string, unknown>>;
  return verb === 'update' ? missing((name) => row[name] !== null) : [];
}

/** Each hashtag needs a proposed post, hashtags have no gaps, and a single one needs a title. @source creatives 7 */
function missing(has: (name: string) => boolean): ErrorDetail[] {
  const errors: ErrorDetail[] = [];
  const needs = (a: string, b: string): void => {
    if (has(a) && !has(b)) errors.push({ problem: 'INCLUSIVE_PARAMETERS', parameter: b, words: { a, b } });
  };
  for (const ordinal of ORDINALS.slice(1)) {
    needs(`${ordinal}_cta`, `${ordinal}_cta_post`);
    needs(`${ordinal}_cta_post`, `${ordinal}_cta`);
  }
  needs('third_cta', 'second_cta');
  needs('fourth_cta', 'third_cta');
  if (!has('title') && !has('second_cta')) errors.push({ problem: 'MISSING_PARAMETER', parameter: 'title' });
  return errors;
}

function coverImageValues(image: MediaDetails | undefined): Record<string, StoredValue> {
  if (!image) return {};
  const [width, height] = pixelSize(image);
  return { cover_image_url: image.url, cover_image_display_width: width, cover_image_display_height: height };
}

function coverVideoValues(video: MediaDetails | undefined): Record<string, StoredValue | null> {
  if (!video) return {};
  const [width, height] = aspectRatioOf(video);
  return {
    cover_video_content_id: video.key.slice(video.key.indexOf('_') + 1),
    cover_video_url: video.vmap_url,
    cover_video_hls_url: video.hls_url,
    cover_video_poster_url: video.poster_url,
    cover_video_width: width,
    cover_video_height: height,
  };
}
