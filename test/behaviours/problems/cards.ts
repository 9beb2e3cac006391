import type { ProblemName } from '../../../src/contract/problems/problems.ts';
import type { Upload } from '../../../src/contract/store/uploads.ts';
import type { Reply } from '../../rig/client.ts';
import { LONGEST_WINDOW_S } from '../../rig/rate-windows.ts';
import { addToLibrary } from '../../rig/uploaded.ts';
import { type Case, home, invalid, own, type Said, world } from './setting.ts';

const DETAILS = { type: 'DETAILS', title: 'Kenya', destination: { type: 'WEBSITE', url: 'https://lumen.example/' } };

function make(json: unknown): Promise<Reply> {
  world.clock.advance(LONGEST_WINDOW_S);
  return world.sandbox.call('POST', `${home.path}/cards`, { json });
}

const withMedia = (...components: object[]): Promise<Reply> => make({ name: 'Given', components });

/** A card with an image that was uploaded like this. */
async function withImage(id: string, facts: Partial<Upload>): Promise<Reply> {
  world.clock.advance(LONGEST_WINDOW_S);
  return withMedia({ type: 'MEDIA', media_key: await addToLibrary(world, home.path, id, facts) }, DETAILS);
}

function one(name: ProblemName, input: string, send: () => Promise<Reply>, error: Said, status = 400): Case {
  return { name, input, send, status, errors: [error] };
}

const PLACE = 'components[0].media_key';

/** Problems of cards of every family. */
export const cardProblems: readonly Case[] = [
  one(
    'CARD_NOT_FOUND',
    'a card that there is not',
    () => own('GET', '/cards/17300311'),
    {
      code: 'CARD_NOT_FOUND',
      message: 'Card 17300311 was not found',
      parameter: 'card_id',
      value: '17300311',
    },
    404,
  ),
  one('NOT_AN_OBJECT', 'a list for a body', () => make([]), {
    code: 'INVALID_PARAMETER',
    message: 'Expected an object for the request body',
  }),
  one('UNKNOWN_CARD_TYPE', 'a type of an older guide', () => own('GET', '/cards', { card_types: 'UNIFIED' }), {
    code: 'UNKNOWN_CARD_TYPE',
    message: 'Expected a known card type, got "UNIFIED" for card_types',
    parameter: 'card_types',
  }),
  one(
    'NOT_A_CARD_URI',
    'an address of the web',
    () => own('GET', '/cards/all', { card_uris: 'https://lumen.example' }),
    invalid('card_uris', 'Expected card://<number>, got "https://lumen.example" for card_uris'),
  ),
  one(
    'COMPONENTS_UNFIT',
    'two texts and no picture',
    () => withMedia(DETAILS, DETAILS),
    invalid('components', 'Expected one of MEDIA and SWIPEABLE_MEDIA and one of DETAILS and BUTTON for components'),
  ),
  one(
    'ITEMS_OUT_OF_RANGE',
    'a carousel of one',
    () => withMedia({ type: 'SWIPEABLE_MEDIA', media_keys: ['3_42'] }, DETAILS),
    invalid('components[0].media_keys', 'Expected 2 to 6 items, got 1 for components[0].media_keys'),
  ),
  one('IMAGE_TOO_NARROW', 'an image of 799 pixels', () => withImage('801', { width: 799, height: 799 }), {
    code: 'INVALID_IMAGE',
    message: `Expected an image at least 800 pixels wide, got 799 for ${PLACE}`,
    parameter: PLACE,
  }),
  one('IMAGE_TOO_LARGE', 'an image of more than 3 MB', () => withImage('802', { bytes: 3_145_729 }), {
    code: 'INVALID_IMAGE',
    message: `Expected an image of at most 3145728 bytes, got 3145729 for ${PLACE}`,
    parameter: PLACE,
  }),
  one('RATIO_UNFIT', 'an image of ratio 16:9', () => withImage('803', { width: 1600, height: 900 }), {
    code: 'INVALID_MEDIA',
    message: `Expected media of ratio 1:1 or 1.91:1, got 1600x900 for ${PLACE}`,
    parameter: PLACE,
  }),
  one(
    'NOT_A_HASHTAG',
    'two words',
    () =>
      own('POST', '/cards/image_conversation', {
        name: 'Given',
        title: 'Given',
        media_key: '3_42',
        first_cta: 'two words',
        first_cta_post: 'Given',
        thank_you_text: 'Given',
      }),
    invalid('first_cta', 'Expected a hashtag, got "two words" for first_cta'),
  ),
];
