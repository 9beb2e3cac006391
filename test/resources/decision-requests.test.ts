import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { decide, makePublisher } from '../rig/served-ads.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
let credential: string;
before(async () => {
  world = await openWorld({ flags: { delivery_sandbox: 'served', rate_limits: 'off' } });
  credential = await makePublisher(world);
});
after(() => world.close());

describe('errors of requests for ads name the member', () => {
  const place = { id: 'top', type: 'SERVICE_TIMELINE' };
  const CASES: readonly (readonly [json: unknown, messages: readonly string[]])[] = [
    [[], ['$: is not an object']],
    [{}, ['$.placements: is missing but it is required']],
    [{ placements: {} }, ['$.placements: is not an array']],
    [{ placements: [] }, ['The `placements` value has no items']],
    [
      { placements: Array.from({ length: 21 }, () => place) },
      ['The `placements` value has too many items; the most are 20'],
    ],
    [{ placements: ['top'] }, ['$.placements[0]: is not an object']],
    [
      { placements: [{ type: 'BANNER', count: 11, size: 1 }] },
      [
        '$.placements[0].size: is not one of [id, type, count]',
        '$.placements[0].id: is missing but it is required',
        'The `placements[0].type` value [BANNER] is not one of [PUBLISHER_NETWORK, SERVICE_PROFILE, SERVICE_REPLIES, SERVICE_SEARCH, SERVICE_TIMELINE, TAP_BANNER, TAP_FULL, TAP_FULL_LANDSCAPE, TAP_MRECT, TAP_NATIVE]',
        'The `placements[0].count` value [11] is not between 1 and 10',
      ],
    ],
    [{ placements: [place], user: {} }, ['$.user: needs either id or key']],
    [{ placements: [place], user: { id: '1', key: 'a' } }, ['$.user: needs either id or key']],
    [{ placements: [place], user: 'ada' }, ['$.user: is not an object']],
    [{ placements: [place], context: [] }, ['$.context: is not an object']],
    [
      { placements: [place], context: { country: 'NLD', gender: 'x', age: 'old', keywords: [{}] } },
      [
        'The `context.country` value [NLD] is not a country code of two letters',
        'The `context.gender` value [x] is not one of [1, 2]',
        'The `context.age` value [old] is not a whole number',
        'The `context.keywords` value is not a text',
      ],
    ],
    [
      { placements: [place], context: { platform: '', device: 'x'.repeat(65), language: 'e\u0007n' } },
      [
        'The `context.language` value has characters that a text cannot have',
        'The `context.platform` value is empty',
        'The `context.device` value has 65 characters; the most are 64',
      ],
    ],
    [{ placements: [place], explain: 'maybe' }, ['The `explain` value [maybe] is not one of [true, false]']],
    [{ placements: [place], colour: 1 }, ['$.colour: is not one of [placements, user, context, explain]']],
  ];
  for (const [json, messages] of CASES) {
    test(JSON.stringify(json).slice(0, 70), async () => {
      const reply = await decide(world, credential, json);
      assert.equal(reply.status, 400);
      assert.deepEqual(
        reply.body.errors.map(({ message }: { message: string }) => message),
        messages,
      );
    });
  }
});
