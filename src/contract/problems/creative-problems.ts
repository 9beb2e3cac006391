import type { ProblemRow } from './problems.ts';

/** Errors of media, media creatives and cards. @source creatives 2 to 12 */
export const creativeProblems = {
  // Media and media creatives.
  MEDIA_NOT_FOUND: {
    when: 'no such media in the library',
    ads: [404, 'MEDIA_NOT_FOUND', '{kind} {value} was not found'],
  },
  ACCOUNT_MEDIA_NOT_FOUND: {
    when: 'no such account media on this account',
    ads: [404, 'ACCOUNT_MEDIA_NOT_FOUND', '{kind} {value} was not found'],
  },
  MEDIA_CREATIVE_NOT_FOUND: {
    when: 'no such media creative on this account',
    ads: [404, 'MEDIA_CREATIVE_NOT_FOUND', '{kind} {value} was not found'],
  },
  INVALID_MEDIA_ID: {
    when: 'a malformed media key',
    ads: [400, 'INVALID_MEDIA_ID', 'Expected a media key, got "{value}" for {parameter}'],
  },
  INVALID_MEDIA: {
    when: 'media that the account may not use',
    ads: [400, 'INVALID_MEDIA', 'Invalid media key: MediaKey({kind},{number})'],
  },
  MEDIA_NOT_TRANSCODED: {
    when: 'media that is still being processed, or whose processing failed',
    ads: [400, 'INVALID_MEDIA', 'Media {value} is not transcoded'],
  },
  MEDIA_OF_OTHER_TYPE: {
    when: 'media of a type that is not allowed here',
    ads: [400, 'INVALID_MEDIA', 'Expected media of type {list}, got {type} for {parameter}'],
  },
  NOT_OF_IMAGES: {
    when: 'an attribute of videos and GIFs, set for an image',
    ads: [400, 'INVALID_PARAMETER', 'Only videos and GIFs have {parameter}'],
  },
  LINE_ITEM_UNFIT: {
    when: 'the line item does not accept the creative: wrong objective, or it has its maximum of creatives',
    ads: [400, 'INVALID_PARAMETER', 'Line item {value} {why}'],
  },

  // Cards.
  CARD_NOT_FOUND: {
    when: 'no such card on this account',
    ads: [404, 'CARD_NOT_FOUND', '{kind} {value} was not found'],
  },
  UNKNOWN_CARD_TYPE: {
    when: 'an unknown card type',
    ads: [400, 'UNKNOWN_CARD_TYPE', 'Expected a known card type, got "{raw}" for {parameter}'],
  },
  COMPONENTS_UNFIT: {
    when: 'components that cannot be combined in a card',
    ads: [400, 'INVALID_PARAMETER', 'Expected {wanted} for {parameter}'],
  },
  NOT_A_HASHTAG: {
    when: 'a hashtag with characters other than letters, digits and underscores',
    ads: [400, 'INVALID_PARAMETER', 'Expected a hashtag, got "{raw}" for {parameter}'],
  },
  NOT_A_CARD_URI: {
    when: 'a malformed card URI',
    ads: [400, 'INVALID_PARAMETER', 'Expected card://<number>, got "{raw}" for {parameter}'],
  },
  NOT_WEB: {
    when: 'a URL that is not absolute http or https',
    ads: [400, 'INVALID_PARAMETER', 'Expected an absolute http or https URL, got "{raw}" for {parameter}'],
  },
  IMAGE_TOO_NARROW: {
    when: 'an image that is too narrow for a card',
    ads: [400, 'INVALID_IMAGE', 'Expected an image at least {min} pixels wide, got {width} for {parameter}'],
  },
  IMAGE_TOO_LARGE: {
    when: 'an image file that is too large for a card',
    ads: [400, 'INVALID_IMAGE', 'Expected an image of at most {max} bytes, got {bytes} for {parameter}'],
  },
  RATIO_UNFIT: {
    when: 'media with an aspect ratio that the card does not support',
    ads: [400, 'INVALID_MEDIA', 'Expected media of ratio {ratios}, got {width}x{height} for {parameter}'],
  },

  NOT_HTTPS: {
    when: 'a URL that is not absolute https',
    ads: [400, 'INVALID_PARAMETER', 'Expected an absolute https URL, got "{raw}" for {parameter}'],
  },
} as const satisfies Record<string, ProblemRow>;
