// On either database: what is tried here is decided before the database is asked.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Reply } from '../rig/client.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';

let world: World;
let path: string;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  ({ path } = await openAccount(world.sandbox));
});
after(() => world.close());

type Json = Readonly<Record<string, unknown>>;

const make = (json: Json): Promise<Reply> =>
  world.sandbox.call('POST', `${path}/cards`, { json: { name: 'Winter beans', ...json } });

const IMAGE = '3_1730012345678901248';
const OTHER = '3_1730012399990001664';

const media = (media_key = IMAGE) => ({ type: 'MEDIA', media_key });
const swipe = (...media_keys: string[]) => ({ type: 'SWIPEABLE_MEDIA', media_keys });
const site = { type: 'WEBSITE', url: 'https://lumen.example/kenya' };
const details = { type: 'DETAILS', title: 'Kenya', destination: site };
const app = { type: 'APP', country_code: 'CA', android_store_app_id: 'com.example.lumen' };
const button = { type: 'BUTTON', label: { type: 'ENUM', value: 'ORDER' }, destination: app };
const pair = (first: object, second: object) => ({ components: [first, second] });

interface Wrong {
  readonly input: string;
  readonly json: Json;
  /** Code and parameter of each error, in order. */
  readonly errors: readonly string[];
}

const at = (json: object) => pair(json, details) as Json;
const leads = (destination: unknown) => pair(media(), { ...button, destination });

const wrong: readonly Wrong[] = [
  { input: 'neither components nor slides', json: {}, errors: ['MISSING_PARAMETER components'] },
  {
    input: 'both',
    json: { ...pair(media(), details), slides: [] },
    errors: ['INVALID_PARAMETER slides', 'EXCLUSIVE_PARAMETERS components, slides'],
  },
  { input: 'no name', json: { name: null, ...pair(media(), details) }, errors: ['MISSING_PARAMETER name'] },
  {
    input: 'a name of 81',
    json: { name: 'x'.repeat(81), ...pair(media(), details) },
    errors: ['INVALID_PARAMETER name'],
  },
  { input: 'an object of components', json: { components: media() }, errors: ['INVALID_PARAMETER components'] },
  { input: 'no component', json: { components: [] }, errors: ['INVALID_PARAMETER components'] },
  { input: 'one component', json: { components: [media()] }, errors: ['INVALID_PARAMETER components'] },
  {
    input: 'three components',
    json: { components: [media(), details, button] },
    errors: ['INVALID_PARAMETER components'],
  },
  { input: 'two media', json: pair(media(), swipe(IMAGE, OTHER)), errors: ['INVALID_PARAMETER components'] },
  { input: 'text and button', json: pair(details, button), errors: ['INVALID_PARAMETER components'] },
  { input: 'a text for a component', json: at('x' as never), errors: ['INVALID_PARAMETER components[0]'] },
  { input: 'no type', json: at({ media_key: IMAGE }), errors: ['MISSING_PARAMETER components[0].type'] },
  { input: 'an unknown type', json: at({ type: 'TOOL' }), errors: ['INVALID_PARAMETER components[0].type'] },
  {
    input: 'the name of a method for a type',
    json: at({ type: 'toString' }),
    errors: ['INVALID_PARAMETER components[0].type'],
  },
  { input: 'media without a key', json: at({ type: 'MEDIA' }), errors: ['MISSING_PARAMETER components[0].media_key'] },
  { input: 'a malformed key', json: at(media('x')), errors: ['INVALID_MEDIA_ID components[0].media_key'] },
  {
    input: 'a key that is a number',
    json: at({ type: 'MEDIA', media_key: 3 }),
    errors: ['INVALID_MEDIA_ID components[0].media_key'],
  },
  {
    input: 'no list of keys',
    json: at({ type: 'SWIPEABLE_MEDIA' }),
    errors: ['MISSING_PARAMETER components[0].media_keys'],
  },
  { input: 'one key', json: at(swipe(IMAGE)), errors: ['INVALID_PARAMETER components[0].media_keys'] },
  {
    input: 'seven keys',
    json: at(swipe(...Array(7).fill(IMAGE))),
    errors: ['INVALID_PARAMETER components[0].media_keys'],
  },
  {
    input: 'bad keys among good ones',
    json: at(swipe(IMAGE, 'x', OTHER, '4_1')),
    errors: ['INVALID_MEDIA_ID components[0].media_keys[1]', 'INVALID_MEDIA_ID components[0].media_keys[3]'],
  },
  {
    input: 'an animation',
    json: at(swipe(IMAGE, '16_5')),
    errors: ['INVALID_MEDIA components[0].media_keys[1]'],
  },
  {
    input: 'no title and no destination',
    json: pair(media(), { type: 'DETAILS' }),
    errors: ['MISSING_PARAMETER components[1].title', 'MISSING_PARAMETER components[1].destination'],
  },
  {
    input: 'a title of 71',
    json: pair(media(), { ...details, title: 'x'.repeat(71) }),
    errors: ['INVALID_PARAMETER components[1].title'],
  },
  {
    input: 'no address',
    json: pair(media(), { ...details, destination: { type: 'WEBSITE' } }),
    errors: ['MISSING_PARAMETER components[1].destination.url'],
  },
  ...['ftp://a.example', 'lumen.example', 'javascript:alert(1)', 'https://', '/a'].map((url) => ({
    input: `the address ${url}`,
    json: pair(media(), { ...details, destination: { ...site, url } }),
    errors: ['INVALID_PARAMETER components[1].destination.url'],
  })),
  {
    input: 'an application in a text',
    json: pair(media(), { ...details, destination: app }),
    errors: ['INVALID_PARAMETER components[1].destination.type'],
  },
  { input: 'a page in a button', json: leads(site), errors: ['INVALID_PARAMETER components[1].destination.type'] },
  {
    input: 'a destination without a type',
    json: leads({}),
    errors: ['MISSING_PARAMETER components[1].destination.type'],
  },
  { input: 'a text for a destination', json: leads('CA'), errors: ['INVALID_PARAMETER components[1].destination'] },
  {
    input: 'no label',
    json: pair(media(), { type: 'BUTTON', destination: app }),
    errors: ['MISSING_PARAMETER components[1].label'],
  },
  {
    input: 'a label of another type',
    json: pair(media(), { ...button, label: { type: 'TEXT', value: 'ORDER' } }),
    errors: ['INVALID_PARAMETER components[1].label.type'],
  },
  {
    input: 'a label that no button has',
    json: pair(media(), { ...button, label: { type: 'ENUM', value: 'BUY' } }),
    errors: ['INVALID_PARAMETER components[1].label.value'],
  },
  {
    input: 'a country in small letters',
    json: leads({ ...app, country_code: 'ca' }),
    errors: ['INVALID_PARAMETER components[1].destination.country_code'],
  },
  {
    input: 'no country and no store',
    json: leads({ type: 'APP' }),
    errors: [
      'MISSING_PARAMETER components[1].destination.country_code',
      'MISSING_PARAMETER components[1].destination.android_store_app_id',
    ],
  },
  {
    input: 'links without their stores',
    json: leads({ type: 'APP', country_code: 'CA', ios_store_identifier: '1', android_deep_link: 'lumen://a' }),
    errors: ['INCLUSIVE_PARAMETERS components[1].destination.android_store_app_id'],
  },
  {
    input: 'the other link without its store',
    json: leads({ ...app, ios_deep_link: 'lumen://a' }),
    errors: ['INCLUSIVE_PARAMETERS components[1].destination.ios_store_identifier'],
  },
  { input: 'one slide', json: { slides: [[media(), details]] }, errors: ['INVALID_PARAMETER slides'] },
  { input: 'seven slides', json: { slides: Array(7).fill([media(), details]) }, errors: ['INVALID_PARAMETER slides'] },
  {
    input: 'a button in a slide',
    json: {
      slides: [
        [media(), details],
        [media(), button],
      ],
    },
    errors: ['INVALID_PARAMETER slides'],
  },
  {
    input: 'a carousel in a slide',
    json: {
      slides: [
        [media(), details],
        [swipe(IMAGE, OTHER), details],
      ],
    },
    errors: ['INVALID_PARAMETER slides'],
  },
  {
    input: 'a slide without a title',
    json: {
      slides: [
        [media(), details],
        [media('x'), { ...details, title: '' }],
      ],
    },
    errors: ['INVALID_MEDIA_ID slides[1][0].media_key', 'MISSING_PARAMETER slides[1][1].title'],
  },
  {
    input: 'much that is wrong, all of it told',
    json: { name: 'x'.repeat(81), ...pair({ type: 'MEDIA' }, { ...button, label: {}, destination: { type: 'APP' } }) },
    errors: [
      'INVALID_PARAMETER name',
      'MISSING_PARAMETER components[0].media_key',
      'MISSING_PARAMETER components[1].label.type',
      'MISSING_PARAMETER components[1].destination.country_code',
      'MISSING_PARAMETER components[1].destination.android_store_app_id',
    ],
  },
];

const errorsOf = ({ body }: Reply): string[] =>
  body.errors.map((error: { code: string; parameter: string }) => `${error.code} ${error.parameter}`);

describe('invalid components are rejected with their path', () => {
  for (const { input, json, errors } of wrong) {
    test(input, async () => {
      const reply = await make(json);
      assert.equal(reply.status, 400, reply.text);
      assert.deepEqual(errorsOf(reply), errors);
    });
  }
});
