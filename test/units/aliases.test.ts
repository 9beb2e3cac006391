import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { operations } from '../../src/app/dependencies.ts';
import { openVocabulary } from '../../src/app/vocabulary.ts';
import { InputErrors } from '../../src/base/input-error.ts';
import { parseAliasFile } from '../../src/http/vocabulary/alias-file.ts';
import { type Position, rewriteJson, rewriteText, rewriteValue } from '../../src/http/vocabulary/rewrite-json.ts';
import { aliasTemplate } from '../../src/http/vocabulary/template.ts';
import { createVocabulary, type Vocabulary } from '../../src/http/vocabulary/vocabulary.ts';

const vocabulary = (file: object): Vocabulary => createVocabulary(parseAliasFile(JSON.stringify(file)), operations);
const operation = (id: string) => operations.find((each) => each.id === id)!;

function problemsOf(file: object | string): readonly string[] {
  try {
    createVocabulary(parseAliasFile(typeof file === 'string' ? file : JSON.stringify(file)), operations);
  } catch (error) {
    assert.ok(error instanceof InputErrors, String(error));
    return error.errors;
  }
  return [];
}

describe('an alias file', () => {
  const CASES: readonly (readonly [what: string, file: object | string, problem: RegExp])[] = [
    ['no JSON', '{', /^\/: is not JSON: /],
    ['a comment within a line', '{} // nothing', /^\/: is not JSON: /],
    ['no object', '[]', /^\/: is not an object$/],
    ['an unknown member', { paths: {} }, /^\/paths: is not one of \$schema, path_segments, /],
    ['a list for an object', { parameters: [] }, /^\/parameters: is not an object$/],
    ['a number', { parameters: { name: 3 } }, /^\/parameters\/name: expected letters, digits and _ \. ~ -$/],
    ['a name with a slash', { path_segments: { accounts: 'a/b' } }, /^\/path_segments\/accounts: expected letters/],
    [
      'a value with a comma',
      { values: { entity_status: { ACTIVE: 'a,b' } } },
      /^\/values\/entity_status\/ACTIVE: expected/,
    ],
    [
      'an unknown name',
      { parameters: { nam: 'titel' } },
      /^\/parameters\/nam: Barker has no parameter with this name; did you mean name\?$/,
    ],
    ['an unknown member of replies', { members: { 'a/b': 'x' } }, /^\/members\/a~1b: no member has this name$/],
    [
      'an unknown segment',
      { path_segments: { kampagnen: 'x' } },
      /^\/path_segments\/kampagnen: Barker has no path segment/,
    ],
    [
      'values of free text',
      { values: { description: { A: 'B' } } },
      /^\/values\/description: no parameter or member of this name has a fixed set/,
    ],
    [
      'an unknown value',
      { values: { entity_status: { ACTIV: 'x' } } },
      /^\/values\/entity_status\/ACTIV: Barker has no value of entity_status with this name; did you mean ACTIVE\?$/,
    ],
    [
      'two names for one word',
      { parameters: { name: 'x', currency: 'x' } },
      /^\/parameters\/currency: x stands for name too$/,
    ],
    [
      'another own word',
      { parameters: { name: 'currency' } },
      /^\/parameters\/name: currency is another parameter of Barker, which has no other word/,
    ],
    ['a word of OAuth', { parameters: { oauth_callback: 'x' } }, /^\/parameters\/oauth_callback: /],
    [
      'an unknown operation',
      { operations: { 'campaigns.fly': {} } },
      /^\/operations\/campaigns\.fly: no operation has this id; did you mean campaigns.get\?$/,
    ],
    [
      'a clash in an operation',
      { parameters: { name: 'x' }, operations: { campaigns: { parameters: { currency: 'x' } } } },
      /^\/operations\/campaigns\/parameters\/currency: x stands for name too$/,
    ],
    [
      'a prefix of no header',
      { header_prefixes: { 'x-rate-limit-': 'Rate' } },
      /^\/header_prefixes\/x-rate-limit-: expected x- and/,
    ],
    [
      'a URL for a host',
      { hosts: { production: ['https://api.example'] } },
      /^\/hosts\/production\/0: expected a host name/,
    ],
  ];
  for (const [what, file, problem] of CASES) {
    test(`is refused with ${what}`, () => assert.match(problemsOf(file)[0] ?? 'nothing', problem));
  }

  test('may swap two words', () => {
    const words = vocabulary({ parameters: { name: 'currency', currency: 'name' } }).of(operation('campaigns.list'));
    const reply = '{"data":[{"currency":"USD","name":"x"}]}';
    assert.equal(words.replyOut(reply), '{"data":[{"name":"USD","currency":"x"}]}');
  });

  test('names everything that is wrong', () => {
    assert.equal(problemsOf({ parameters: { nam: 'a' }, path_segments: { none: 'b' } }).length, 2);
  });
});

test('a file that cannot be read is named with the flag', async () => {
  await assert.rejects(openVocabulary({ aliases: '/nowhere.json' }, operations), {
    name: 'SettingsError',
    message: '--aliases (/nowhere.json): cannot be read',
  });
});

describe('renaming in JSON', () => {
  const leaf: Position = {
    members: new Map(),
    others: undefined,
    otherName: undefined,
    items: undefined,
    text: (text) => (text === 'A' ? 'B' : text),
  };
  const root: Position = {
    ...leaf,
    text: undefined,
    members: new Map([
      ['one', { name: 'eins', position: leaf }],
      ['list', { name: 'list', position: { ...leaf, text: undefined, items: leaf } }],
      ['äö', { name: 'ae', position: undefined }],
    ]),
  };
  const CASES: readonly (readonly [from: string, to: string])[] = [
    ['{}', '{}'],
    ['{"one":"A"}', '{"eins":"B"}'],
    [' { "one" : "A" , "two" : "A" } ', ' { "eins" : "B" , "two" : "A" } '],
    ['{"two":{"one":"A"},"one":"C"}', '{"two":{"one":"A"},"eins":"C"}'],
    ['{"two":"\\"one\\":{\\\\","one":"A"}', '{"two":"\\"one\\":{\\\\","eins":"B"}'],
    ['{"list":["A",["A"],{"one":"A"},"A"],"one":null}', '{"list":["B",["A"],{"one":"A"},"B"],"eins":null}'],
    [
      '{"\\u006fne":"\\u0041","big":12345678901234567890,"e":1.50e3}',
      '{"eins":"B","big":12345678901234567890,"e":1.50e3}',
    ],
    ['{"äö":1,"one":"ä"}', '{"ae":1,"eins":"ä"}'],
    ['[]', '[]'],
    ['"A"', '"A"'],
    ['3', '3'],
  ];
  for (const [from, to] of CASES) {
    test(from, () => {
      assert.equal(rewriteJson(from, root), to);
      assert.deepEqual(rewriteValue(JSON.parse(from), root), JSON.parse(to));
    });
  }

  test('keeps members that objects have from elsewhere', () => {
    const read = rewriteValue(JSON.parse('{"__proto__":{"one":"A"},"one":"A"}'), root) as object;
    assert.deepEqual(Object.entries(read), [
      ['__proto__', { one: 'A' }],
      ['eins', 'B'],
    ]);
    assert.equal(Object.getPrototypeOf(read), Object.prototype);
  });

  test('a list in a parameter keeps its spaces', () => {
    assert.equal(rewriteText('A, C ,A,,', { ...leaf, text: undefined, items: leaf }), 'B, C ,B,,');
  });
});

describe('the words of an operation', () => {
  const words = vocabulary({
    path_segments: { campaigns: 'aktionen', users: 'leute', show: 'zeige' },
    parameters: { name: 'titel', entity_status: 'stand', funding_instrument_id: 'kasse', end_time: 'ende' },
    values: { entity_status: { ACTIVE: 'LAEUFT' } },
  });

  test('leave free text alone', () => {
    const of = words.of(operation('campaigns.create'));
    const raw = new Map([
      ['titel', ['LAEUFT']],
      ['stand', ['LAEUFT']],
      ['other', ['LAEUFT']],
    ]);
    assert.deepEqual(
      [...of.parametersIn(raw)],
      [
        ['name', ['LAEUFT']],
        ['entity_status', ['ACTIVE']],
        ['other', ['LAEUFT']],
      ],
    );
  });

  test('reach the changes and the snapshot of an account history', () => {
    const of = words.of(operation('account_history.list'));
    const reply =
      '{"data":[{"changes":{"entity_status":{"old":"PAUSED","new":"ACTIVE"},"name":{"old":"ACTIVE","new":"x"}},"entity_data":{"entity_status":"ACTIVE","name":"ACTIVE"}}]}';
    const expected =
      '{"data":[{"changes":{"stand":{"old":"PAUSED","new":"LAEUFT"},"titel":{"old":"ACTIVE","new":"x"}},"entity_data":{"stand":"LAEUFT","titel":"ACTIVE"}}]}';
    assert.equal(of.replyOut(reply), expected);
  });

  test('reach the paths of the rate limit status', () => {
    const of = words.of(operation('application.rate_limit_status'));
    const reply = '{"resources":{"users":{"/users/show":{"limit":1,"remaining":1,"reset":1}}}}';
    assert.equal(of.replyOut(reply), '{"resources":{"leute":{"/leute/zeige":{"limit":1,"remaining":1,"reset":1}}}}');
    assert.deepEqual([...of.parametersIn(new Map([['resources', ['leute,media']]]))], [['resources', ['users,media']]]);
  });

  test('reach names in messages, and no text of the caller', () => {
    const { detail, template } = words.of(operation('campaigns.create'));
    assert.deepEqual(
      detail({
        problem: 'NOT_AFTER',
        parameter: 'end_time',
        words: { other: 'funding_instrument_id', raw: 'end_time' },
      }),
      { problem: 'NOT_AFTER', parameter: 'ende', words: { other: 'kasse', raw: 'end_time' } },
    );
    assert.equal(
      template('The end_time of {end_time} is ACTIVE, not INACTIVE'),
      'The ende of {end_time} is LAEUFT, not INACTIVE',
    );
  });

  test('a body that is no JSON stays as it is', () => {
    const of = words.of(operation('custom_audiences.users'));
    const bytes = Buffer.from('[{"operation_type":');
    assert.equal(of.bytesIn(bytes), bytes);
  });
});

describe('several words for one', () => {
  const words = vocabulary({
    path_segments: { 12: ['11', '7'], campaigns: ['aktionen', 'kampagnen'] },
    parameters: { name: ['titel', 'benennung'], entity_status: ['stand', 'zustand'] },
    values: { entity_status: { ACTIVE: ['LAEUFT', 'RUNNING'] } },
  });

  test('are all understood in requests, and so is the own word', () => {
    const of = words.of(operation('campaigns.create'));
    for (const [name, status, value] of [
      ['titel', 'stand', 'LAEUFT'],
      ['benennung', 'zustand', 'RUNNING'],
      ['benennung', 'stand', 'RUNNING'],
      ['name', 'entity_status', 'ACTIVE'],
    ] as const) {
      const raw = new Map([
        [name, ['Tea']],
        [status, [value]],
      ]);
      assert.deepEqual(
        [...of.parametersIn(raw)],
        [
          ['name', ['Tea']],
          ['entity_status', ['ACTIVE']],
        ],
      );
      assert.deepEqual(of.bodyIn({ [name]: 'Tea', [status]: value }), { name: 'Tea', entity_status: 'ACTIVE' });
    }
    for (const path of ['/11/accounts/x/aktionen', '/7/accounts/x/kampagnen', '/7/accounts/x/aktionen']) {
      assert.equal(words.paths.own(path), '/12/accounts/x/campaigns');
    }
  });

  test('are answered in those of the client that the path tells, else the parameters', () => {
    const reply = '{"data":{"name":"Tea","entity_status":"ACTIVE"}}';
    const answered = (target: string, parameters: readonly string[] = []): string =>
      words.clientOf(target, parameters).of(operation('campaigns.get')).replyOut(reply);
    const [first, second] = [
      '{"data":{"titel":"Tea","stand":"LAEUFT"}}',
      '{"data":{"benennung":"Tea","zustand":"RUNNING"}}',
    ];
    for (const [target, parameters, expected] of [
      ['/11/accounts/x/aktionen', [], first],
      ['/7/accounts/x/kampagnen?titel=a', ['titel'], second],
      ['/7/accounts/x/campaigns', [], second],
      ['/12/accounts/x/kampagnen', [], second],
      ['/12/accounts/x/campaigns', [], first],
      ['/12/accounts/x/campaigns', ['count', 'benennung'], second],
      ['/12/accounts/x/campaigns?q=/7/', ['count'], first],
    ] as const) {
      assert.equal(answered(target, parameters), expected, target);
    }
    assert.deepEqual(
      words.clients.map(({ paths }) => paths.foreign('/12/accounts/x/campaigns')),
      ['/11/accounts/x/aktionen', '/7/accounts/x/kampagnen'],
    );
    assert.deepEqual(words.ownNames('benennung'), ['name']);
  });

  test('are repeated for clients that share one, and a single word is that of all', () => {
    const three = vocabulary({
      path_segments: { 12: ['11', '10', '7'] },
      parameters: { name: ['titel', 'titel', 'benennung'], currency: 'geld', entity_status: ['stand', 'zustand'] },
    });
    const reply = '{"data":{"name":"Tea","currency":"USD","entity_status":"ACTIVE"}}';
    const answered = (target: string, ...parameters: string[]): string =>
      three.clientOf(target, parameters).of(operation('campaigns.get')).replyOut(reply);
    assert.equal(answered('/10/x'), '{"data":{"titel":"Tea","geld":"USD","zustand":"ACTIVE"}}');
    assert.equal(answered('/7/x'), '{"data":{"benennung":"Tea","geld":"USD","stand":"ACTIVE"}}');
    // Two clients say it.
    assert.equal(answered('/12/x', 'titel', 'zustand'), '{"data":{"titel":"Tea","geld":"USD","zustand":"ACTIVE"}}');
  });

  test('stand for one thing each', () => {
    assert.match(problemsOf({ parameters: { name: ['x', 'y'], currency: 'y' } })[0]!, /: y stands for name too$/);
    assert.match(problemsOf({ parameters: { name: ['x', 'currency'] } })[0]!, /: currency is another parameter/);
    assert.match(problemsOf({ parameters: { name: [] } })[0]!, /^\/parameters\/name: expected letters/);
    assert.match(problemsOf({ header_prefixes: { 'x-': ['x-a-', 'x-b-'] } })[0]!, /^\/header_prefixes\/x-: expected/);
  });
});

test('a word that is understood anyway as another spelling may be named', () => {
  const file = {
    path_segments: { update_profile: 'update_profile.json' },
    values: {
      targeting_type: { STORE_CATEGORY: 'APP_STORE_CATEGORY' },
      event_type: { 'profile.update.screenname': 'profile.update.handle' },
    },
  };
  assert.deepEqual(problemsOf(file), []);
  const words = vocabulary(file);
  assert.equal(words.paths.own('/1.1/account/update_profile.json'), '/1.1/account/update_profile');
  const of = words.of(operation('targeting_criteria.get'));
  assert.equal(
    of.replyOut('{"data":{"targeting_type":"STORE_CATEGORY"}}'),
    '{"data":{"targeting_type":"APP_STORE_CATEGORY"}}',
  );
  assert.match(problemsOf({ path_segments: { show: 'update_profile.json' } })[0]!, /is another path segment/);
});

test('the template has every own word, and renames nothing', () => {
  const text = aliasTemplate(operations);
  const lines = text.split('\n');
  const template = JSON.parse(lines.filter((line) => !line.trim().startsWith('//')).join('\n'));
  for (const section of Object.keys(template)) {
    assert.match(
      lines[lines.findIndex((line) => line.startsWith(`  "${section}"`)) - 1]!,
      /^ {2}\/\/ \w.*\.$/,
      section,
    );
  }
  const words = createVocabulary(parseAliasFile(text), operations);
  assert.equal(template.path_segments.campaigns, 'campaigns');
  assert.equal(template.parameters.funding_instrument_id, 'funding_instrument_id');
  assert.equal(template.values.entity_status.ACTIVE, 'ACTIVE');
  assert.equal(template.members.next_cursor, 'next_cursor');
  const reply = '{"data":{"name":"Tea","entity_status":"ACTIVE"}}';
  assert.equal(words.of(operation('campaigns.get')).replyOut(reply), reply);
});
