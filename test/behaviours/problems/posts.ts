import type { Reply } from '../../rig/client.ts';
import { type Case, campaign, home, own, type Params, world } from './setting.ts';

const invalid = (parameter: string, message: string) => ({ code: 'INVALID_PARAMETER', message, parameter });
const later = (params: Params) => own('POST', '/scheduled_posts', { text: 'a', scheduled_at: '2026-06-01', ...params });

async function line(kind: Params): Promise<string> {
  const made = await own('POST', '/campaigns', campaign({}));
  const plain = { placements: 'ALL_ON_SERVICE', entity_status: 'PAUSED', campaign_id: made.body.data.id };
  return (await own('POST', '/line_items', { ...plain, ...kind })).body.data.id;
}

let unfit = { line: '', post: '' };

async function onOther(): Promise<Reply> {
  world.clock.advance(61);
  const post = (await own('POST', '/post', { text: 'a' })).body.data.id;
  unfit = { line: await line({ objective: 'VIDEO_VIEWS', product_type: 'PROMOTED_POSTS' }), post };
  return own('POST', '/promoted_posts', { line_item_id: unfit.line, post_ids: post });
}

let poll = '';

async function onClosed(): Promise<Reply> {
  const choices = { name: 'a', first_choice: 'b', second_choice: 'c', duration_in_minutes: 5 };
  poll = (await own('POST', '/cards/poll', choices)).body.data.card_uri;
  world.clock.advance(300);
  return own('POST', '/post', { text: 'a', card_uri: poll });
}

async function oneTooMany(): Promise<Reply> {
  world.clock.advance(61);
  for (let count = 0; count < 30; count++) await later({ scheduled_at: '2026-07-01T00:05:00Z' });
  return later({ scheduled_at: '2026-07-01T00:14:00Z' });
}

/** Problems of posts, and of what is promoted of them. */
export const postProblems: readonly Case[] = [
  {
    name: 'POST_NOT_FOUND',
    input: 'a post that there is not',
    send: () => own('PUT', '/posts/9/name', { name: 'a' }),
    status: 404,
    errors: [{ code: 'POST_NOT_FOUND', message: 'Post 9 was not found', parameter: 'post_id', value: '9' }],
  },
  {
    name: 'PROMOTED_POST_NOT_FOUND',
    input: 'a promoted post that there is not',
    send: () => own('GET', '/promoted_posts/8zz1q'),
    status: 404,
    errors: [
      {
        code: 'PROMOTED_POST_NOT_FOUND',
        message: 'Promoted post 8zz1q was not found',
        parameter: 'promoted_post_id',
        value: '8zz1q',
      },
    ],
  },
  {
    name: 'POST_CANNOT_BE_BLANK',
    input: 'a draft of blanks',
    send: () => own('POST', '/draft_posts', { text: ' ' }),
    status: 400,
    errors: [{ code: 'POST_CANNOT_BE_BLANK', message: 'A post needs text or media', parameter: 'text' }],
  },
  {
    name: 'POST_UNFIT',
    input: 'a text where videos are promoted',
    send: onOther,
    status: 400,
    errors: () => [
      {
        code: 'INVALID_POST',
        message: `Post ${unfit.post} cannot be promoted by line item ${unfit.line}: it has no video`,
        parameter: 'post_ids',
        value: unfit.post,
      },
    ],
  },
  {
    name: 'NOT_PROMOTABLE',
    input: 'an author whom the account may not promote',
    send: () => own('POST', '/post', { text: 'a', as_user_id: '7' }),
    status: 400,
    errors: () => [
      {
        code: 'INVALID_USER_ID',
        message: `User 7 is not a promotable user of account ${home.account}`,
        parameter: 'as_user_id',
        value: '7',
      },
    ],
  },
  {
    name: 'MEDIA_MIXED',
    input: 'an image and a GIF',
    send: () => own('POST', '/draft_posts', { media_keys: '3_1,16_2' }),
    status: 400,
    errors: [
      {
        code: 'INVALID_MEDIA',
        message: 'Expected up to 4 images, 1 GIF or 1 video for media_keys',
        parameter: 'media_keys',
      },
    ],
  },
  {
    name: 'NEEDS_VIDEO',
    input: 'the title of a video, and none',
    send: () => own('POST', '/post', { text: 'a', video_title: 'b' }),
    status: 400,
    errors: [invalid('video_title', 'Expected video_title with a video only')],
  },
  {
    name: 'CARD_CLOSED',
    input: 'a poll that is over',
    send: onClosed,
    status: 400,
    errors: () => [invalid('card_uri', `Card ${poll} is closed`)],
  },
  {
    name: 'TOO_SOON',
    input: 'a time in the past',
    send: () => later({ scheduled_at: '2026-01-01' }),
    status: 400,
    errors: [invalid('scheduled_at', 'Expected scheduled_at to be at least 1 minute ahead')],
  },
  {
    name: 'TOO_LATE',
    input: 'a time in years',
    send: () => later({ scheduled_at: '2029-01-01' }),
    status: 400,
    errors: [invalid('scheduled_at', 'Expected scheduled_at to be at most 365 days ahead')],
  },
  {
    name: 'TOO_MANY_SCHEDULED',
    input: 'one more than 30 in a quarter of an hour',
    send: oneTooMany,
    status: 400,
    errors: () => [
      {
        code: 'SCHEDULED_POST_LIMIT_EXCEEDED',
        message: `Account ${home.account} cannot have more than 30 scheduled posts from 2026-07-01T00:00:00Z to 2026-07-01T00:15:00Z`,
        parameter: 'scheduled_at',
      },
    ],
  },
];
