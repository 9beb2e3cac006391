import type { Reply } from '../../rig/client.ts';
import { LONGEST_WINDOW_S } from '../../rig/rate-windows.ts';
import { type Case, campaign, own, type Params, world } from './setting.ts';

/** Media in the library of the account: of the sandbox, which takes media that nobody uploaded. */
async function shelved(media_key: string): Promise<string> {
  world.clock.advance(LONGEST_WINDOW_S);
  await own('POST', '/media_library', { media_key });
  return media_key;
}

async function line(kind: Params): Promise<string> {
  const made = await own('POST', '/campaigns', campaign({}));
  const plain = { placements: 'ALL_ON_SERVICE', entity_status: 'PAUSED', campaign_id: made.body.data.id };
  return (await own('POST', '/line_items', { ...plain, ...kind })).body.data.id;
}

let unfit = '';

/** A video before others on a line item for something else. */
async function onOther(): Promise<Reply> {
  await shelved('13_71');
  unfit = await line({ objective: 'ENGAGEMENTS', product_type: 'PROMOTED_POSTS' });
  const [media] = (await own('GET', '/account_media')).body.data;
  return own('POST', '/media_creatives', { account_media_id: media.id, line_item_id: unfit });
}

const absent = (code: string, kind: string, parameter: string, value: string) => [
  { code, message: `${kind} ${value} was not found`, parameter, value },
];

/** Problems of media, and of creatives that are made of media alone. */
export const mediaProblems: readonly Case[] = [
  {
    name: 'MEDIA_NOT_FOUND',
    input: 'media that is not in the library',
    send: () => own('GET', '/media_library/3_9'),
    status: 404,
    errors: absent('MEDIA_NOT_FOUND', 'Media', 'media_key', '3_9'),
  },
  {
    name: 'ACCOUNT_MEDIA_NOT_FOUND',
    input: 'account media that there is not',
    send: () => own('DELETE', '/account_media/8zz1q'),
    status: 404,
    errors: absent('ACCOUNT_MEDIA_NOT_FOUND', 'Account media', 'account_media_id', '8zz1q'),
  },
  {
    name: 'MEDIA_CREATIVE_NOT_FOUND',
    input: 'a media creative that there is not',
    send: () => own('GET', '/media_creatives/8zz1q'),
    status: 404,
    errors: absent('MEDIA_CREATIVE_NOT_FOUND', 'Media creative', 'media_creative_id', '8zz1q'),
  },
  {
    name: 'INVALID_MEDIA_ID',
    input: 'a key of a prefix that there is not',
    send: () => own('POST', '/media_library', { media_key: '4_42' }),
    status: 400,
    errors: [
      {
        code: 'INVALID_MEDIA_ID',
        message: 'Expected a media key, got "4_42" for media_key',
        parameter: 'media_key',
        value: '4_42',
      },
    ],
  },
  {
    name: 'INVALID_MEDIA',
    input: 'media that was deleted',
    async send() {
      await own('DELETE', `/media_library/${await shelved('3_72')}`);
      return own('POST', '/media_library', { media_key: '3_72' });
    },
    status: 400,
    errors: [
      {
        code: 'INVALID_MEDIA',
        message: 'Invalid media key: MediaKey(PostImage,72)',
        parameter: 'media_key',
        value: '3_72',
      },
    ],
  },
  {
    name: 'MEDIA_NOT_TRANSCODED',
    input: 'media whose processing failed',
    async send() {
      const { user_id } = world.keys;
      await world.service.store.write((tx) => tx.uploads.add(failedUpload('73', user_id!)));
      return own('POST', '/media_library', { media_key: '7_73' });
    },
    status: 400,
    errors: [{ code: 'INVALID_MEDIA', message: 'Media 7_73 is not transcoded', parameter: 'media_key', value: '7_73' }],
  },
  {
    name: 'MEDIA_OF_OTHER_TYPE',
    input: 'a poster that moves',
    send: async () => own('PUT', `/media_library/${await shelved('7_74')}`, { poster_media_key: '16_75' }),
    status: 400,
    errors: [
      {
        code: 'INVALID_MEDIA',
        message: 'Expected media of type IMAGE, got GIF for poster_media_key',
        parameter: 'poster_media_key',
        value: '16_75',
      },
    ],
  },
  {
    name: 'NOT_OF_IMAGES',
    input: 'an image with a title',
    send: async () => own('PUT', `/media_library/${await shelved('3_76')}`, { title: 'Still' }),
    status: 400,
    errors: [{ code: 'INVALID_PARAMETER', message: 'Only videos and GIFs have title', parameter: 'title' }],
  },
  {
    name: 'LINE_ITEM_UNFIT',
    input: 'a video before others on a line item for something else',
    send: onOther,
    status: 400,
    errors: () => [
      {
        code: 'INVALID_PARAMETER',
        message: `Line item ${unfit} is not for PREROLL_VIEWS`,
        parameter: 'line_item_id',
        value: unfit,
      },
    ],
  },
  {
    name: 'NOT_WEB',
    input: 'an address that is none of the web',
    send: async () =>
      own('POST', '/preroll_call_to_actions', {
        line_item_id: 'zz9',
        call_to_action: 'SHOP',
        call_to_action_url: 'shop.example',
      }),
    status: 400,
    errors: [
      {
        code: 'INVALID_PARAMETER',
        message: 'Expected an absolute http or https URL, got "shop.example" for call_to_action_url',
        parameter: 'call_to_action_url',
      },
    ],
  },
];

function failedUpload(id: string, user_id: string) {
  return {
    id,
    user_id,
    category: 'POST_VIDEO',
    media_type: 'VIDEO',
    state: 'failed',
    mime: 'video/mp4',
    bytes: 10,
    width: null,
    height: null,
    duration_ms: null,
    codec: null,
    poster_mime: null,
    file_name: '0123456789abcdef',
    additional_owners: [],
    object_key: null,
    poster_key: null,
    fault: 'InvalidMedia',
    is_categorized: true,
    created_at: '2026-01-01T00:00:00Z',
    changed_at: '2026-01-01T00:00:00Z',
    expires_at: null,
  } as const;
}
