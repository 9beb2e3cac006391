import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Dependencies, openDependencies } from '../../src/app/dependencies.ts';
import { EVENT_TYPE_RULES, EVENT_TYPES, type EventType } from '../../src/contract/store/events.ts';
import { loadSettings } from '../../src/settings/load.ts';
import { openPlace, type Place } from '../rig/databases.ts';
import { logAfter } from '../rig/events.ts';
import { barker, flagsOf, MASTER_KEY, toldBy } from './program.ts';

const env = { BARKER_MASTER_KEY: MASTER_KEY };
let place: Place;
let parts: Dependencies;
const users: Record<string, string> = {};
const run = (...args: string[]) => barker([...args, ...flagsOf(place)], { env });
/** Without a master key: making events happen needs none. */
const emit = (...args: string[]) => barker(['events', 'emit', ...args, ...flagsOf(place)]);

before(async () => {
  place = await openPlace(undefined, { hasSchema: true });
  const input = 'correct horse battery staple\n';
  for (const name of ['ada', 'ben']) {
    users[name] = toldBy(await barker(['user', 'create', name, ...flagsOf(place)], { env, input })).user_id!;
  }
  // What a server would read of the log.
  const flags = { data_folder: place.folder, database_url: place.databaseUrl || undefined, log_level: 'silent' };
  const settings = loadSettings({
    mode: 'serve',
    environment: { BARKER_MASTER_KEY: MASTER_KEY, BARKER_PUBLIC_BASE_URL: 'https://ads.example' },
    readFile: () => '',
    flags,
  });
  parts = await openDependencies('serve', settings);
});
after(async () => {
  await parts.store.close();
  await place.remove();
});

/** What was written to the log since the last time. */
let seen = 0;
async function written(): Promise<unknown[]> {
  const events = await logAfter(parts, seen);
  seen = events.at(-1)?.position ?? seen;
  return events.map(({ event_type, user_id, direction, text, payload }) => ({
    event_type,
    user_id,
    direction,
    text,
    payload: JSON.parse(payload),
  }));
}

const brief = (name: string) => ({ id: users[name], name, username: name });
const signal = (from: string, to: string) => ({ sender_id: users[from], target: { recipient_id: users[to] } });

describe('barker events emit', () => {
  const happen: readonly (readonly [args: readonly string[], event: () => object])[] = [
    [
      ['profile.update.bio', '--before', 'Old', '--text', 'New'],
      () => ({ direction: null, text: 'New', payload: { before: 'Old', after: 'New' } }),
    ],
    [
      ['profile.update.verified', '--text', 'blue'],
      () => ({ direction: null, text: null, payload: { before: 'none', after: 'blue' } }),
    ],
    [
      ['profile.update.verified', '--before', 'blue', '--text', 'business'],
      () => ({ direction: null, text: null, payload: { before: 'blue', after: 'business' } }),
    ],
    [
      ['profile.update.affiliate', '--text', '900000777'],
      () => ({ direction: null, text: null, payload: { before: '', after: '900000777' } }),
    ],
    [
      ['profile.update.screenname', '--before', 'ada', '--text', 'ada2'],
      () => ({ direction: null, text: 'ada2', payload: { before: 'ada', after: 'ada2' } }),
    ],
    [
      ['spaces.start', '--about', '1exampleSpAce', '--text', 'Late jazz'],
      () => ({
        direction: null,
        text: 'Late jazz',
        payload: { user: { data: brief('ada') }, broadcast_id: '1exampleSpAce', event_type: 'spaces.start' },
      }),
    ],
    [
      ['spaces.end', '--payload', '{"any":["thing"]}'],
      () => ({ direction: null, text: null, payload: { any: ['thing'] } }),
    ],
  ];
  for (const [args, event] of happen) {
    test(`emits ${args[0]}`, async () => {
      const told = toldBy(await emit(...args, '--user', 'ada'));
      assert.match(told.event_uuid!, /^73\d{17}$/);
      assert.deepEqual(await written(), [{ event_type: args[0], user_id: users.ada, ...event() }]);
    });
  }

  test('emits both sides of a message', async () => {
    toldBy(await emit('dm.received', '--user', 'ben', '--with', 'ada', '--text', 'Hello', '--about', '73'));
    toldBy(await emit('dm.indicate_typing', '--user', 'ben', '--with', 'ada'));
    toldBy(await emit('DmRead', '--user', 'ben', '--with', 'ada', '--about', '73', '--direction', 'sent'));
    const [received, typing, read] = (await written()) as Record<string, never>[];
    assert.partialDeepStrictEqual(received, {
      user_id: users.ben,
      direction: 'received',
      text: 'Hello',
      payload: {
        direct_message_events: [
          {
            type: 'message_create',
            id: '73',
            message_create: { ...signal('ada', 'ben'), message_data: { text: 'Hello' } },
          },
        ],
      },
    });
    assert.partialDeepStrictEqual(typing, {
      direction: 'received',
      payload: { direct_message_indicate_typing_events: [signal('ada', 'ben')] },
    });
    assert.partialDeepStrictEqual(read, {
      event_type: 'dm.read',
      direction: 'sent',
      payload: { direct_message_mark_read_events: [{ ...signal('ben', 'ada'), last_read_event_id: '73' }] },
    });
  });

  /** Values of those types that do not take any text. */
  const texts: Readonly<Partial<Record<EventType, string>>> = {
    'profile.update.verified': 'blue',
    'profile.update.affiliate': '900000777',
  };
  for (const type of EVENT_TYPES) {
    test(`builds a payload of ${type} from the options`, async () => {
      const text = texts[type] ?? 'Tea at five';
      toldBy(await emit(type, '--user', 'ada', '--with', 'ben', '--about', '73', '--text', text));
      const [event] = (await written()) as Record<string, unknown>[];
      const { direction } = EVENT_TYPE_RULES[type];
      assert.partialDeepStrictEqual(event, {
        event_type: type,
        user_id: users.ada,
        direction: direction === 'either' ? 'received' : direction,
      });
      assert.notDeepEqual(event!.payload, {});
    });
  }

  test('emits --count events in order', async () => {
    const told = toldBy(await emit('spaces.end', '--user', users.ada!, '--payload', '{}', '--count', '1001'));
    assert.equal(Number(told.last_event_uuid!.slice(2)) - Number(told.event_uuid!.slice(2)), 1000);
    assert.equal((await written()).length, 1001);
  });

  const refused = [
    [['nope', '--user', 'ada'], 2, /unknown event type nope; expected one of profile\.update\.bio, /],
    [['spaces.end', '--user', 'nobody', '--payload', '{}'], 1, /there is no user nobody/],
    [['spaces.end', '--user', 'ada', '--payload', '[]'], 2, /--payload must be a JSON object/],
    [['spaces.end', '--user', 'ada', '--payload', '{'], 2, /--payload must be a JSON object/],
    [['spaces.end', '--user', 'ada'], 2, /events of type spaces\.end require an id; see --help/],
    [['profile.update.bio', '--user', 'ada'], 2, /events of type profile\.update\.bio require a text/],
    [
      ['profile.update.verified', '--user', 'ada', '--text', 'gold'],
      2,
      /verified is one of none, blue, business, government; got gold; see --help/,
    ],
    [
      ['profile.update.affiliate', '--user', 'ada', '--text', 'acme'],
      2,
      /affiliate is the numeric id of an organization, or empty; got acme; see --help/,
    ],
    [['dm.indicate_typing', '--user', 'ada'], 2, /events of type dm\.indicate_typing require another user/],
    [['dm.sent', '--user', 'ada', '--direction', 'received'], 2, /events of type dm\.sent are always sent/],
    [
      ['spaces.end', '--user', 'ada', '--payload', '{}', '--count', '0'],
      2,
      /--count must be a number from 1 to 1000000/,
    ],
    [['spaces.end', '--payload', '{}'], 2, /required option '--user <user-name>' not specified/],
  ] as const;
  for (const [args, code, says] of refused) {
    test(`rejects ${args.join(' ')}`, async () => {
      const outcome = await emit(...args);
      assert.deepEqual([outcome.code, outcome.stdout], [code, '']);
      assert.match(outcome.stderr, says);
      assert.deepEqual(await written(), []);
    });
  }
});

describe('barker user profile', () => {
  const change = (...args: string[]) => run('user', 'profile', 'ada', ...args);

  test('changes the profile and creates events', async () => {
    const told = toldBy(await change('--verified', 'blue', '--affiliate', 'ben', '--bio', 'New', '--name', 'Ada L.'));
    assert.deepEqual(told, {
      user_id: users.ada,
      username: 'ada',
      name: 'Ada L.',
      verified: 'blue',
      affiliate: users.ben,
    });
    const events = (await written()) as { event_type: string; payload: object }[];
    assert.deepEqual(
      events.map(({ event_type, payload }) => [event_type, payload]),
      [
        ['profile.update.bio', { before: '', after: 'New' }],
        ['profile.update.verified', { before: 'none', after: 'blue' }],
        ['profile.update.affiliate', { before: '', after: users.ben }],
      ],
    );
    toldBy(await change('--affiliate', '', '--handle', 'ada2'));
    toldBy(await barker(['user', 'profile', 'ada2', '--handle', 'ada', ...flagsOf(place)], { env }));
    assert.equal((await written()).length, 3);
  });

  const refused = [
    [[], 2, /no change was given/],
    [['--verified', 'gold'], 2, /Allowed choices are none, blue, business, government/],
    [['--affiliate', 'nobody'], 1, /there is no user nobody/],
    [['--handle', 'BEN'], 1, /the name is already taken/],
    [['--bio', 'x'.repeat(161)], 2, /a description is at most 160 characters/],
  ] as const;
  for (const [args, code, says] of refused) {
    test(`rejects ${args.join(' ').slice(0, 30) || 'nothing'}`, async () => {
      const outcome = await change(...args);
      assert.equal(outcome.code, code);
      assert.match(outcome.stderr, says);
      assert.deepEqual(await written(), []);
    });
  }
});

describe('barker app limits', () => {
  test('shows, sets and resets limits', async () => {
    const made = toldBy(
      await run(
        'app',
        'create',
        'Reports',
        '--owner',
        'ada',
        '--website',
        'https://a.test',
        '--callback',
        'https://a.test/b',
      ),
    );
    const limits = async (...args: string[]) => toldBy(await run('app', 'limits', made.consumer_key!, ...args));
    const usual = { subscriptions: '1500', stream_connections: '2', stream_events_per_s: '250', webhooks: '5' };
    assert.deepEqual(await limits(), usual);
    assert.deepEqual(await limits('--subscriptions', '75000', '--stream-events-per-s', '1000'), {
      ...usual,
      subscriptions: '75000',
      stream_events_per_s: '1000',
    });
    assert.deepEqual(await limits('--webhooks', '0', '--subscriptions', 'default'), {
      ...usual,
      stream_events_per_s: '1000',
      webhooks: '0',
    });
    const wrong = await run('app', 'limits', made.consumer_key!, '--stream-events-per-s', '0');
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /stream_events_per_s must be a number from 1 to 1000000000, or default/);
  });
});
