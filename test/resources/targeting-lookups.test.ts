// On either database: both are asked the same, and what they store is held against each other elsewhere.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { targetingLookups } from '../../src/features/ads/reference/targeting-lookups.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
});
after(() => world.close());

type Params = Record<string, string | number | boolean>;
const look = (name: string, params: Params = {}) =>
  world.sandbox.call('GET', `/12/targeting_criteria/${name}`, { params });

/** The first row of a look-up, or the row that a search finds: members in their order. @source campaigns 11 */
const rows: [name: string, params: Params, row: object][] = [
  [
    'store_categories',
    { q: 'games: music', os_type: 'IOS' },
    { name: 'Games: Music', os_type: 'IOS', targeting_value: 'qouq', targeting_type: 'STORE_CATEGORY' },
  ],
  [
    'conversations',
    { conversation_type: 'SPORTS' },
    { name: 'NFL', conversation_type: 'SPORTS', targeting_value: 'a1', targeting_type: 'CONVERSATION' },
  ],
  [
    'devices',
    { q: 'IPHONE' },
    { name: 'iPhone 3GS', manufacturer: 'Apple', os_type: 'iOS', targeting_value: '1q', targeting_type: 'DEVICE' },
  ],
  [
    'interests',
    { q: 'books' },
    { name: 'Books and literature/Biographies and memoirs', targeting_value: '1001', targeting_type: 'INTEREST' },
  ],
  ['languages', { q: 'japan' }, { name: 'Japanese', targeting_value: 'ja', targeting_type: 'LANGUAGE' }],
  [
    'locations',
    { location_type: 'COUNTRIES', country_code: 'US' },
    {
      name: 'United States',
      country_code: 'US',
      location_type: 'COUNTRIES',
      targeting_value: '96683cc9126741d1',
      targeting_type: 'LOCATION',
    },
  ],
  [
    'locations',
    { q: 'los angeles', location_type: 'CITIES' },
    {
      name: 'Los Angeles',
      country_code: 'US',
      location_type: 'CITIES',
      targeting_value: '3b77caf94bfc81fe',
      targeting_type: 'LOCATION',
    },
  ],
  [
    'network_operators',
    {},
    { name: 'Advantage', country_code: 'US', targeting_value: '2l', targeting_type: 'NETWORK_OPERATOR' },
  ],
  [
    'platform_versions',
    { q: 'jelly' },
    {
      name: 'Jelly Bean',
      number: '4.1',
      os_type: 'Android',
      targeting_value: '18',
      targeting_type: 'PLATFORM_VERSION',
    },
  ],
  ['platforms', {}, { name: 'iOS', targeting_value: '0', targeting_type: 'PLATFORM' }],
  [
    'platforms',
    { q: 'desktop', lang: 'de' },
    {
      name: 'Desktop and laptop computers',
      localized_name: 'Desktop-Computer und Laptops',
      targeting_value: '4',
      targeting_type: 'PLATFORM',
    },
  ],
  ['tv_markets', {}, { name: 'Argentina', country_code: 'AR', locale: 'es-AR' }],
  [
    'tv_shows',
    { locale: 'en-IE', q: 'east' },
    {
      name: 'EastEnders',
      targeting_value: '10017',
      genre: 'Soap opera',
      locales: [
        { language: 'en', country: 'GB' },
        { language: 'en', country: 'IE' },
      ],
    },
  ],
  [
    'events',
    { event_types: 'HOLIDAY', start_time: '2026-12-31T12:00:00Z' },
    {
      reach: { total_reach: null },
      name: "New Year's",
      start_time: '2026-12-31T00:00:00Z',
      top_users: [],
      top_posts: [],
      top_hashtags: [],
      gender_breakdown_percentage: {},
      end_time: '2027-01-02T00:00:00Z',
      country_code: null,
      device_breakdown_percentage: {},
      targeting_value: '1ex',
      is_global: true,
      event_type: 'HOLIDAY',
      country_breakdown_percentage: {},
    },
  ],
];

describe('a row', () => {
  for (const [name, params, row] of rows) {
    test(`of ${name} ${JSON.stringify(params)}: its members in their order`, async () => {
      const reply = await look(name, params);
      assert.equal(reply.status, 200, reply.text);
      assert.equal(JSON.stringify(reply.body.data[0]), JSON.stringify(row));
    });
  }
});

const names = (data: readonly { name: string }[]) => data.map((row) => row.name);

describe('a search', () => {
  const cases: [name: string, params: Params, then: string[]][] = [
    ['locations', { q: 'são p' }, ['São Paulo', 'São Paulo']],
    ['locations', { q: 'SAO PAULO', location_type: 'REGIONS' }, ['São Paulo']],
    ['locations', { q: "côte d'iv" }, ['Côte d’Ivoire']],
    ['locations', { q: 'Dusseldorf' }, ['Düsseldorf']],
    ['locations', { q: '94103' }, ['94103']],
    ['locations', { q: 'francisco-oak', location_type: 'METROS' }, ['San Francisco-Oakland-San Jose CA']],
    ['locations', { q: 'no such place' }, []],
    ['languages', { q: 'ISH' }, ['Danish', 'English', 'Finnish', 'Polish', 'Spanish', 'Swedish', 'Turkish']],
    ['network_operators', { q: 'vodafone', country_code: 'de' }, ['Vodafone']],
    ['network_operators', { q: 'vodafone' }, []],
    ['devices', { q: 'galaxy note', os_type: 'Android' }, ['Galaxy Note 9', 'Galaxy Note 10', 'Galaxy Note 20']],
    ['devices', { q: 'galaxy note', os_type: 'IOS' }, []],
    ['devices', { os_type: 'BLACKBERRY', count: 2 }, ['Bold', 'Curve']],
    ['interests', { q: 'chess' }, ['Hobbies and interests/Chess']],
    ['store_categories', { q: 'dating' }, ['Dating']],
    ['platforms', { q: 'o', count: 2 }, ['iOS', 'Android']],
    ['tv_shows', { locale: 'ja-JP', q: 'kohaku' }, ['Kōhaku Uta Gassen']],
    ['tv_shows', { locale: 'ja-JP', q: 'simpsons' }, []],
  ];
  for (const [name, params, then] of cases) {
    test(`of ${name} ${JSON.stringify(params)}`, async () => {
      const reply = await look(name, params);
      assert.deepEqual(names(reply.body.data), then, reply.text);
    });
  }

  test('takes pattern characters literally', async () => {
    for (const q of ['%', '_', '.*', '(', '\\']) assert.deepEqual((await look('interests', { q })).body.data, []);
  });
});

describe('platforms in a language', () => {
  const localized = async (lang: string) =>
    (await look('platforms', { lang })).body.data.map((row: { localized_name?: string }) => row.localized_name);
  test('have localized names where translated', async () => {
    const [phones, web, desktop] = [
      'phones and tablets',
      'Mobile web on other devices',
      'Desktop and laptop computers',
    ];
    assert.deepEqual(await localized('en-GB'), ['iOS', 'Android', `BlackBerry ${phones}`, web, desktop]);
    assert.deepEqual(await localized('sw'), ['iOS', 'Android', undefined, undefined, undefined]);
    assert.deepEqual(await localized('german'), Array(5).fill(undefined));
  });
});

describe('events', () => {
  const list = async (params: Params = {}) => (await look('events', params)).body.data;

  test('list the next occurrence of each, sorted by start', async () => {
    const data = await list();
    const starts = data.map((row: { start_time: string }) => row.start_time);
    assert.deepEqual(starts, [...starts].sort());
    assert.equal(new Set(data.map((row: { targeting_value: string }) => row.targeting_value)).size, data.length);
    for (const { end_time } of data) assert.ok(end_time > '2026-03-02T17:04:55Z');
  });

  const cases: [what: string, params: Params, then: string[]][] = [
    ['of a type', { event_types: 'POLITICS' }, ['General election', 'Presidential inauguration']],
    ['of two types in a country', { event_types: 'POLITICS,CONFERENCE', country_codes: 'DE' }, [UN()]],
    [
      'in a span: what begins before its end',
      { event_types: 'SPORTS', end_time: '2026-05-24T00:00:00Z' },
      ['Boston Marathon', 'Kentucky Derby'],
    ],
    [
      'in a country, with what is everywhere',
      { country_codes: 'fr', start_time: '2026-07-01T00:00:00Z', end_time: '2026-09-01T00:00:00Z' },
      ['Bastille Day'],
    ],
    ['in a span that is over before now', { end_time: '2026-01-01T00:00:00Z' }, []],
  ];
  function UN(): string {
    return 'Opening of the United Nations General Assembly';
  }
  for (const [what, params, then] of cases) {
    test(what, async () => assert.deepEqual(names(await list(params)), then));
  }

  test('an end that is not after the start is rejected', async () => {
    const reply = await look('events', { start_time: '2026-05-01', end_time: '2026-05-01' });
    assert.equal(reply.status, 400);
    assert.deepEqual(reply.body.errors, [
      { code: 'INVALID_PARAMETER', message: 'Expected end_time to be after start_time', parameter: 'end_time' },
    ]);
  });

  test('an event that ends between two pages does not shift others', async () => {
    const all = names(await list());
    const first = (await look('events', { count: 3 })).body;
    const [event] = first.data as { end_time: string }[];
    const wait_s = (Date.parse(event!.end_time) - world.clock.now()) / 1000;
    world.clock.advance(wait_s);
    const second = (await look('events', { cursor: first.next_cursor, count: 1000 })).body;
    assert.deepEqual(
      names(second.data).filter((name) => name !== all[0]),
      all.slice(3),
    );
    // The one that is over comes again, a year later.
    assert.ok(names(second.data).includes(all[0]!));
    assert.equal(second.next_cursor, null);
  });
});

describe('pages', () => {
  const needed: Record<string, Params> = { tv_shows: { locale: 'en-US' } };
  const filtered: Record<string, Params> = {
    conversations: { conversation_type: 'SPORTS' },
    events: { event_types: 'OTHER' },
    interests: { q: 'music' },
    languages: { q: 'an' },
    locations: { country_code: 'US' },
    network_operators: { country_code: 'GB' },
    tv_shows: { locale: 'en-GB' },
  };
  for (const operation of targetingLookups.filter((each) => 'cursor' in each.parameters)) {
    const name = operation.path.split('/').at(-1)!;
    test(`of ${name} add up to the whole, and belong to their filters`, async () => {
      const whole = (await look(name, { ...needed[name], count: name === 'tv_shows' ? 50 : 1000 })).body;
      const found: unknown[] = [];
      const count = Math.ceil(whole.data.length / 5);
      let cursor: string | null = null;
      do {
        const page: { data: unknown[]; next_cursor: string | null } = (
          await look(name, { ...needed[name], count, ...(cursor === null ? {} : { cursor }) })
        ).body;
        found.push(...page.data);
        if (page.next_cursor !== null) assert.equal(page.data.length, count);
        cursor = page.next_cursor;
      } while (cursor !== null && found.length < 5000);
      assert.deepEqual(found.slice(0, whole.data.length), whole.data);

      const { next_cursor } = (await look(name, { ...needed[name], count: 1 })).body;
      for (const [params, of] of [
        [{ ...filtered[name], cursor: next_cursor }, 'a list with another filter'],
        [{ ...needed[name], cursor: `${next_cursor}x` }, 'nothing'],
        [{ ...needed[name], cursor: 'garbled' }, 'nothing'],
      ] as const) {
        const reply = await look(name, params);
        assert.equal(reply.status, 400, of);
        const raw = (params as Params).cursor;
        assert.deepEqual(reply.body.errors, [
          {
            code: 'INVALID_PARAMETER',
            message: `Expected a cursor of this list, got "${raw}" for cursor`,
            parameter: 'cursor',
          },
        ]);
      }
    });
  }

  test('of shows have at most 50 rows', async () => {
    const reply = await look('tv_shows', { locale: 'en-US', count: 51 });
    assert.equal(reply.body.errors[0].message, 'Expected int between 1 and 50, got "51" for count');
  });

  test('are not available where a look-up has no cursor', async () => {
    for (const name of ['app_store_categories', 'devices', 'platform_versions', 'platforms', 'tv_markets']) {
      const reply = await look(name, { count: 1 });
      assert.deepEqual(Object.keys(reply.body), ['request', 'next_cursor', 'data'], name);
      assert.equal(reply.body.next_cursor, null, name);
      const cut = name === 'devices' || name === 'platforms';
      assert.equal(reply.body.data.length === 1, cut, name);
    }
  });
});

test('unknown and missing markets are rejected', async () => {
  const [none, unsaid] = [await look('tv_shows', { locale: 'en-XX' }), await look('tv_shows')];
  assert.match(none.body.errors[0].message, /^Expected a value in de-DE, .*, got "en-XX" for locale$/);
  assert.deepEqual(unsaid.body.errors, [
    { code: 'MISSING_PARAMETER', message: '"locale" is a required parameter', parameter: 'locale' },
  ]);
});

test('all markets are listed in one reply', async () => {
  const { data } = (await look('tv_markets')).body;
  const locales = data.map((row: { locale: string }) => row.locale);
  const all = 'es-AR pt-BR en-CA es-CL es-CO fr-FR de-DE en-IE it-IT ja-JP es-MX nl-NL es-ES en-GB en-US es-US es-VE';
  assert.deepEqual(locales, all.split(' '));
  assert.equal(data[15].name, 'United States - Hispanic');
  for (const row of data) assert.equal(row.country_code, row.locale.slice(3));
});

describe('defaults', () => {
  const cases: [name: string, params: Params, rows: number, of: (row: Record<string, unknown>) => boolean][] = [
    ['locations', {}, 200, (row) => row.location_type === 'COUNTRIES'],
    ['network_operators', {}, 200, (row) => row.country_code === 'US'],
    ['interests', {}, 200, (row) => row.targeting_type === 'INTEREST'],
    ['devices', {}, 200, (row) => row.targeting_type === 'DEVICE'],
    ['tv_shows', { locale: 'en-US' }, 50, (row) => !('targeting_type' in row)],
    ['events', {}, 200, (row) => !('targeting_type' in row)],
  ];
  for (const [name, params, most, isMeant] of cases) {
    test(`of ${name} is the one with most demand`, async () => {
      const [unsaid, said] = [await look(name, params), await look(name, { ...params, count: most })];
      assert.deepEqual(unsaid.body.data, said.body.data);
      assert.equal(unsaid.body.next_cursor, said.body.next_cursor);
      assert.ok(unsaid.body.data.length > 0 && unsaid.body.data.every(isMeant));
      assert.deepEqual(unsaid.body.request, { params });
    });
  }
});

describe('invalid look-ups', () => {
  const cases: [name: string, params: Params, message: string][] = [
    ['locations', { q: '' }, 'Expected a minimum length of 1, got 0 for q'],
    ['locations', { q: 'x'.repeat(256) }, 'Expected a maximum length of 255, got 256 for q'],
    ['locations', { country_code: 'USA' }, 'Expected a code of 2 letters, got "USA" for country_code'],
    [
      'locations',
      { location_type: 'countries' },
      'Expected a value in CITIES, COUNTRIES, METROS, POSTAL_CODES, REGIONS, got "countries" for location_type',
    ],
    ['interests', { count: 0 }, 'Expected int between 1 and 1000, got "0" for count'],
    ['languages', { count: 1001 }, 'Expected int between 1 and 1000, got "1001" for count'],
    ['devices', { count: 'all' }, 'Expected Long, got "all" for count'],
    [
      'devices',
      { os_type: 'WINDOWS' },
      'Expected a value in ANDROID, Android, BLACKBERRY, BlackBerry, IOS, iOS, got "WINDOWS" for os_type',
    ],
    ['store_categories', { os_type: 'iOS' }, 'Expected a value in ANDROID, IOS, got "iOS" for os_type'],
    ['events', { start_time: 'soon' }, 'Expected time, got "soon" for start_time'],
    ['events', { country_codes: 'US,GBR' }, 'Expected a code of 2 letters, got "GBR" for country_codes'],
    [
      'events',
      { event_types: 'HOLIDAY,FAIR' },
      'Expected a value in CONFERENCE, HOLIDAY, MUSIC_AND_ENTERTAINMENT, OTHER, POLITICS, RECURRING, SPORTS, got "FAIR" for event_types',
    ],
  ];
  for (const [name, params, message] of cases) {
    test(`${name}: ${message.slice(0, 80)}`, async () => {
      const reply = await look(name, params);
      assert.equal(reply.status, 400);
      assert.deepEqual(
        reply.body.errors.map((error: { message: string }) => error.message),
        [message],
      );
    });
  }

  test('an unknown conversation type is rejected', async () => {
    const reply = await look('conversations', { conversation_type: 'RUMOURS' });
    assert.match(reply.body.errors[0].message, /^Expected a value in ACTORS, .*, got "RUMOURS" for conversation_type$/);
  });
});

test('the alias path of store categories gives the same reply', async () => {
  const params = { q: 'music', os_type: 'ANDROID' };
  const [one, other] = [await look('store_categories', params), await look('app_store_categories', params)];
  assert.deepEqual(names(one.body.data), ['Games: Music', 'Music & Audio']);
  assert.deepEqual(other.body, one.body);
});
