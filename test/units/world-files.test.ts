import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { accountInput } from '../../src/app/account-input.ts';
import type { InputErrors } from '../../src/base/input-error.ts';
import { operationsById, readWorldFile } from '../../src/cli/dev/start-world.ts';
import { readWorld } from '../../src/dev/worlds/read-world.ts';
import { worldSchema } from '../../src/dev/worlds/world-schema.ts';
import { loadSettings } from '../../src/settings/load.ts';

const operations = operationsById;
const schema = worldSchema(operations, accountInput);
const fits = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false, allowUnionTypes: true }).compile(
  JSON.parse(JSON.stringify(schema)),
);

const read = (text: string) =>
  readWorld(text, 'world.yaml', { operations, accountInput, schemes: [], now: '2026-03-02T09:00:00Z' });

/** Everything that is wrong with a world. */
function errorsOf(text: string): readonly string[] {
  try {
    read(text);
    return [];
  } catch (error) {
    return (error as InputErrors).errors;
  }
}

const PEOPLE = 'users: { ada: }\napplications: { planner: }\n';
const ACCOUNT = `${PEOPLE}accounts:\n bakery:\n  users: { ada: ACCOUNT_ADMIN }\n  funding: { card: { type: CREDIT_CARD, currency: EUR } }\n`;
const CAMPAIGN = `${ACCOUNT}  campaigns:\n   spring:\n    name: Spring\n    funding: card\n`;

describe('a world file', () => {
  const starter = readFileSync('src/dev/worlds/starter.yaml', 'utf8');

  test('is right as it is written to begin with', () => {
    assert.deepEqual(errorsOf(starter), []);
    assert.equal(fits(parse(starter)), true, JSON.stringify(fits.errors));
  });

  test('may be JSON', () => {
    assert.deepEqual(errorsOf(JSON.stringify(parse(starter), null, 2)), []);
  });

  test('may name things once and use them again', () => {
    const { accounts } = read(
      `${PEOPLE}accounts:\n a: &a { users: { ada: ACCOUNT_ADMIN } }\n b: *a\n`.replace(
        '&a {',
        '&a { industry_type: RETAIL,',
      ),
    );
    assert.deepEqual(
      accounts.map(({ key, members }) => [key, members.get('industry_type')?.value]),
      [
        ['a', 'RETAIL'],
        ['b', 'RETAIL'],
      ],
    );
  });

  for (const [what, text, ...expected] of [
    [
      'is empty',
      '',
      'world.yaml:1: users: a world needs at least one of them',
      'world.yaml:1: applications: a world needs at least one of them',
    ],
    [
      'is no YAML',
      'users: [',
      'world.yaml:1: Flow sequence in block collection must be sufficiently indented and end with a ]',
    ],
    ['says something twice', `${PEOPLE}users: { ben: }\n`, 'world.yaml:3: Map keys must be unique'],
    ['contains itself', `${PEOPLE}accounts: &a { b: *a }\n`, /^world\.yaml:3: accounts\.b.*: nested too deeply$/],
    [
      'has an unknown member',
      `${PEOPLE}acounts: {}\n`,
      'world.yaml:3: acounts: unknown member; expected one of clock, users, applications, accounts',
    ],
    [
      'has an entry with a bad name',
      `${PEOPLE}accounts: { 1st: { users: { ada: ACCOUNT_ADMIN } } }\n`,
      'world.yaml:3: accounts.1st: a name has 1 to 64 letters, digits, hyphens and underscores, and begins with a letter',
    ],
    [
      'has a bad clock',
      `clock: tomorrow\n${PEOPLE}`,
      'world.yaml:1: clock: expected a UTC time such as 2026-03-02T09:00:00Z',
    ],
    [
      'has an unknown owner',
      'users: { ada: }\napplications:\n planner:\n  owner: eve\n',
      'world.yaml:4: applications.planner.owner: there is no user eve in this file',
    ],
    [
      'has a token of nobody',
      'users: { ada: }\napplications:\n planner:\n  tokens: { eve: }\n',
      'world.yaml:4: applications.planner.tokens.eve: there is no user eve in this file',
    ],
    [
      'has a user name twice',
      'users:\n ada:\n Ada:\n  username: ada\napplications: { planner: }\n',
      'world.yaml:4: users.Ada.username: ada is that of ada too',
    ],
    [
      'has an account id twice',
      'users: { ada: }\napplications: { planner: }\naccounts:\n one: { id: abc123, users: { ada: ACCOUNT_ADMIN } }\n two: { id: abc123, users: { ada: ACCOUNT_ADMIN } }\n',
      'world.yaml:5: accounts.two.id: abc123 is that of one too',
    ],
    [
      'has a consumer key with a blank',
      'users: { ada: }\napplications:\n planner: { consumer_key: "a b" }\n',
      'world.yaml:3: applications.planner.consumer_key: expected letters, digits, hyphens and underscores',
    ],
    [
      'has a bad callback',
      'users: { ada: }\napplications:\n planner:\n  callbacks: [shop]\n',
      'world.yaml:4: applications.planner.callbacks: shop is not an absolute URL, such as https://client.example/callback.',
    ],
    [
      'has a bad role',
      `${PEOPLE}accounts:\n bakery:\n  users: { ada: BAKER }\n`,
      'world.yaml:5: accounts.bakery.users.ada: Expected a value in ACCOUNT_ADMIN, AD_MANAGER, ANALYST, CAMPAIGN_ANALYST, CREATIVE_MANAGER, PARTNER_AUDIENCE_MANAGER, got "BAKER" for role',
    ],
    [
      'has no administrator',
      `${PEOPLE}accounts:\n bakery:\n  users: { ada: ANALYST }\n`,
      'world.yaml:5: accounts.bakery.users: expected an ACCOUNT_ADMIN, or a promotable user of type FULL',
    ],
    [
      'has a bad time zone',
      `${ACCOUNT}  timezone: Moon/Base\n`,
      'world.yaml:7: accounts.bakery.timezone: there is no time zone Moon/Base',
    ],
    ['has bad funding', ACCOUNT.replace('EUR', 'ZZZ'), /^world\.yaml:6: accounts\.bakery\.funding\.card\.currency: /],
    [
      'lacks what a campaign needs',
      `${ACCOUNT}  campaigns:\n   spring: { funding: card }\n`,
      'world.yaml:8: accounts.bakery.campaigns.spring.name: "name" is a required parameter',
    ],
    [
      'refers to what is not there',
      CAMPAIGN.replace('funding: card', 'funding: cash'),
      'world.yaml:10: accounts.bakery.campaigns.spring.funding: there is no cash in the funding of the account; there is card',
    ],
    [
      'has a bad number',
      `${CAMPAIGN}    daily_budget_amount_local_micro: much\n`,
      'world.yaml:11: accounts.bakery.campaigns.spring.daily_budget_amount_local_micro: Expected Long, got "much" for daily_budget_amount_local_micro',
    ],
    [
      'has a time of no fixed length',
      `${ACCOUNT}  scheduled_posts: { soon: { text: Soon., scheduled_at: +P1M } }\n`,
      'world.yaml:7: accounts.bakery.scheduled_posts.soon.scheduled_at: Expected time, got "+P1M" for scheduled_at',
    ],
  ] as const) {
    test(`that ${what} is refused`, () => {
      const found = errorsOf(text);
      assert.equal(found.length, expected.length, found.join('\n'));
      for (const [index, each] of expected.entries()) {
        if (typeof each === 'string') assert.equal(found[index], each);
        else assert.match(found[index]!, each);
      }
    });
  }

  test('is refused unread beyond 2 MiB', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'barker-world-'));
    const file = join(folder, 'world.yaml');
    const settings = loadSettings({ mode: 'dev', environment: {}, incomplete: true, readFile: () => '', flags: {} });
    const readOf = (size: number) => {
      writeFileSync(file, `${starter}#${' '.repeat(size - Buffer.byteLength(starter) - 1)}`);
      return readWorldFile(file, settings, Date.parse('2026-03-02T09:00:00Z'));
    };
    try {
      await readOf(2_097_152);
      await assert.rejects(readOf(2_097_153), {
        message: `${file} is larger than 2097152 bytes; barker import reads large numbers of people and posts`,
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('whose aliases stand for billions of values is refused', () => {
    const lines = ['a: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1]'];
    for (let at = 1; at < 10; at++)
      lines.push(
        `a${at}: &a${at} [${Array(9)
          .fill(`*a${at - 1}`)
          .join(', ')}]`,
      );
    const found = errorsOf(lines.join('\n'));
    assert.equal(found.length, 1);
    assert.match(found[0]!, /^world\.yaml:\d+: a\d[\d[\]]*: aliases stand for more than 100000 values$/);
  });

  for (const [what, change] of [
    ['an unknown member', (world: string) => `${world}acounts: {}\n`],
    ['an unknown parameter', (world: string) => world.replace('objective:', 'object:')],
    ['a bad role', (world: string) => world.replace('ACCOUNT_ADMIN', 'ADMIN')],
    ['a bad number', (world: string) => world.replace('20000000', 'twenty')],
    ['a missing name of a campaign', (world: string) => world.replace('name: Mornings', '')],
    ['a campaign without funding', (world: string) => world.replace('funding: card', '')],
    ['a time in words', (world: string) => world.replace('+P1D', 'tomorrow')],
    ['no users', (world: string) => world.replace(/^users:[\s\S]*?^applications:/m, 'applications:')],
  ] as const) {
    test(`with ${what} is refused by the schema too`, () => {
      const wrong = change(starter);
      assert.notEqual(wrong, starter);
      assert.equal(fits(parse(wrong)), false);
      assert.notDeepEqual(errorsOf(wrong), []);
    });
  }
});
