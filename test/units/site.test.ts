import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, test } from 'node:test';
import { bodyTables, replyTables } from '../../build/docs/member-words.ts';
import { searchIn } from '../../build/site/browser/search.ts';
import { defaults } from '../../build/site/defaults.ts';
import { parameterId, type SearchRecord } from '../../build/site/page.ts';
import { siteFiles } from '../../build/site/site.ts';
import { operations } from '../../src/app/dependencies.ts';
import type { Field } from '../../src/contract/declare/fields.ts';
import { type ProblemName, problems } from '../../src/contract/problems/problems.ts';
import { EVENT_TYPES } from '../../src/contract/store/events.ts';
import { declaredProblems, wording } from '../../src/engine/declared-problems.ts';
import { campaigns } from '../../src/features/ads/campaigns.ts';
import { lineItems } from '../../src/features/ads/line-items.ts';
import { filledIn } from '../../src/http/documentation.ts';
import { type SettingName, settingsTable } from '../../src/settings.ts';
import { pictureSources, SOURCES } from '../rig/picture-sources.ts';

const files = new Map([...siteFiles()].map(([name, text]) => [name, filledIn(name, text, defaults)]));
const pages = [...files].filter(([name]) => name.endsWith('.html'));
const pageOf = (path: string): string => files.get(`${path}.html`)!.replaceAll('<wbr>', '');

/** What the build writes beside the pages, or serves from elsewhere. */
const BESIDE =
  /^(?:site\.(?:css|js)|openapi\.json|reference\/(?:client|receiver)\.mjs|generated\/\w+\.schema\.json|pictures\/[\w-]+\.(?:png|svg))$/;

test('pictures show the pages of today; otherwise run: npm run pictures', () => {
  assert.deepEqual(pictureSources(), JSON.parse(readFileSync(SOURCES, 'utf8')));
});

describe('the documentation', () => {
  test('has no link or anchor that leads nowhere', () => {
    const idsOf = new Map(
      pages.map(([name, text]) => [name, new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]),
    );
    const wrong: string[] = [];
    let links = 0;
    for (const [name, text] of pages) {
      for (const [, link] of text.matchAll(/ (?:href|src|action)="([^"]*)"/g)) {
        if (/^(?:https?:|mailto:)/.test(link!)) continue;
        links += 1;
        const [path, anchor] = link!.split('#', 2);
        const target = path === '' ? name : posix.join(posix.dirname(name), path!);
        const ids = idsOf.get(target);
        const isThere = files.has(target) || BESIDE.test(target);
        if (!isThere || (anchor !== undefined && !ids?.has(anchor))) wrong.push(`${name}: ${link}`);
      }
    }
    assert.deepEqual(wrong, []);
    assert.ok(links > 10_000);
  });

  test('has an id only once on a page', () => {
    for (const [name, text] of pages) {
      const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
      assert.deepEqual(ids, [...new Set(ids)], name);
    }
  });

  test('has each page as Markdown too, and names it there', () => {
    for (const [name, text] of pages) {
      const twin = name.replace('.html', '.md');
      assert.match(files.get(twin) ?? '', /^# \S/, twin);
      const [, link] = /<link rel="alternate" type="text\/markdown" href="([^"]+)">/.exec(text)!;
      assert.equal(posix.join(posix.dirname(name), link!), twin);
    }
  });

  test('leaves no placeholder open in pages that no server shows', () => {
    for (const [name, text] of files) if (name !== 'search.json') assert.doesNotMatch(text, /[⟦⟧]/, name);
  });

  test('lists all guides and calls for programs', () => {
    const list = files.get('llms.txt')!;
    for (const [, path] of list.matchAll(/\]\(([^)]+)\)/g)) assert.ok(files.has(path!), path);
    for (const { id } of operations) assert.ok(list.includes(`(reference/${id}.md)`), id);
  });
});

/** Whether a page has a member, by itself or among others that are alike. */
function isNamed(page: string, name: string): boolean {
  const parent = name.slice(0, name.lastIndexOf('.') + 1);
  const isAmong =
    page.includes(`<code>${parent}*</code>`) && page.includes(`<code>${name.slice(parent.length)}</code>`);
  return page.includes(`<code>${name}</code>`) || isAmong;
}

describe('the page of an operation', () => {
  test('has every parameter, member, error and example', () => {
    for (const operation of operations) {
      const page = pageOf(`reference/${operation.id}`);
      const tables = [...replyTables(operation), ...bodyTables(operation)];
      const members = tables.flatMap((table) => table.members.map(({ name }) => name));
      for (const name of [...Object.keys(operation.parameters), ...members])
        assert.ok(isNamed(page, name), `${operation.id}: ${name}`);
      for (const name of declaredProblems(operation))
        assert.ok(page.includes(`<code>${wording(operation, name)[1]}</code>`), `${operation.id}: ${name}`);
      for (const language of ['shell', 'node', 'python'])
        assert.ok(page.includes(`<code data-language="${language}">`), `${operation.id}: ${language}`);
    }
  });

  test('says of each time what a date means', () => {
    const isTime = ({ kind }: Field): boolean => ['instant', 'time bound'].includes(kind.name);
    const times = operations.flatMap(({ id, parameters, bodyMembers = {} }) =>
      Object.entries({ ...parameters, ...bodyMembers }).flatMap(([name, field]) =>
        isTime(field) ? [{ at: `${id}: ${name}`, about: field.description }] : [],
      ),
    );
    assert.ok(times.length > 20);
    for (const { at, about } of times) assert.match(about, /a date means midnight (?:UTC|in the time zone)/, at);
  });

  test('has each limit of an account or an application with its default and its setting', () => {
    const limits: [operation: string, problem: ProblemName, setting: SettingName][] = [
      ...[campaigns, lineItems].flatMap(({ plural, quotas = [] }) =>
        quotas.map(({ problem, setting }): (typeof limits)[number] => [`${plural}.create`, problem, setting]),
      ),
      ['webhooks.create', 'TOO_MANY_WEBHOOKS', 'application_webhooks_max'],
      ['subscriptions.create', 'TOO_MANY_SUBSCRIPTIONS', 'application_subscriptions_max'],
      ['activity.stream', 'STREAM_CONNECTIONS_MAX', 'application_stream_connections_max'],
    ];
    for (const [operation, problem, setting] of limits) {
      const { when } = problems[problem];
      assert.ok(when.includes(`: ${settingsTable[setting].default} unless the setting ${setting} `), problem);
      assert.ok(pageOf(`reference/${operation}`).includes(when), operation);
    }
  });

  test('and its style and script are less than 100 kB, without compression', () => {
    const shared = ['site.css', 'site.js'].map((file) => readFileSync(`built/site/${file}`).length);
    for (const { id } of operations) {
      const own = Buffer.byteLength(files.get(`reference/${id}.html`)!);
      const bytes = own + shared[0]! + shared[1]!;
      assert.ok(bytes < 100_000, `${id}: ${bytes} bytes`);
    }
  });
});

describe('the search finds', () => {
  const records: readonly SearchRecord[] = JSON.parse(files.get('search.json')!);
  const search = searchIn(records);
  const first = (text: string): string => search(text)[0]?.at ?? 'nothing';
  const found = (text: string): readonly string[] => search(text).map(({ at }) => at);

  test('each parameter in a call that has it', () => {
    for (const { id, parameters } of operations) {
      const [name] = Object.keys(parameters);
      if (name === undefined) continue;
      assert.ok(found(name).includes(`reference/${id}#parameter-${name}`), `${id}: ${name}`);
    }
    assert.deepEqual(found('tap_target'), ['aliases']);
    assert.equal(first('unheard-of nonsense'), 'nothing');
  });

  test('nothing that its page does not have', () => {
    for (const { at, parameters = [] } of records) {
      const [path = '', id] = at.split('#', 2);
      const page = files.get(`${path || 'index'}.html`)!;
      for (const each of [...(id === undefined ? [] : [id]), ...parameters.map(([name]) => parameterId(name))])
        assert.ok(page.includes(` id="${each}"`), `${at}: ${each}`);
    }
  });

  test('each error by its name and its code, before all else', () => {
    for (const [name, { ads, numeric }] of Object.entries(problems)) {
      assert.equal(first(name), `problems#${name}`);
      for (const code of [ads, numeric].flatMap((words) => (words ? [String(words[1])] : [])))
        assert.equal(first(code), code in problems ? `problems#${code}` : `problems#code-${code}`);
    }
  });

  for (const [asked, at] of [
    ['why does my line item not spend?', 'delivery#why-a-line-item-does-not-spend'],
    ['How do I paginate a list?', 'clients#pagination'],
    ['three-legged OAuth PIN', 'clients#logging-users-in'],
    ['rate limit', 'clients#rate-limits'],
    ['429', 'clients#rate-limits'],
    ['inject a fault', 'development#faults'],
    ['create line item', 'reference/line_items.create'],
    ['delete campaign', 'reference/campaigns.remove'],
    ['backup', 'operate/backup-and-restore'],
    ['idempotent', 'clients#repeating-calls'],
    ['idempotency', 'clients#repeating-calls'],
    ['Idempotency-Key', 'clients#repeating-calls'],
    ['ad group', 'trial#a-campaign'],
    ['ad_set', 'trial#a-campaign'],
    ['PROMOTED_NOTICES', 'aliases'],
    ['kampagnen_id', 'aliases'],
  ] as const)
    test(`the answer to what people ask: ${asked}`, () => assert.equal(first(asked), at));

  test('the place among the first three where several are right', () => {
    const firstThree = (text: string): readonly string[] => found(text).slice(0, 3);
    assert.ok(firstThree('webhook secret').includes('webhooks#requests-to-a-webhook'));
    assert.ok(firstThree('cursor').includes('clients#pagination'));
    assert.ok(firstThree('sign in').some((at) => /^(clients#logging|typed-client#logins)/.test(at)));
  });

  test('each setting', () => {
    for (const name of Object.keys(settingsTable))
      assert.ok(
        found(name).some((at) => at.startsWith('settings')),
        name,
      );
  });

  test('each event type', () => {
    for (const type of EVENT_TYPES) assert.equal(first(type), `events#${type}`);
  });

  for (const [sentence, at] of [
    ['acknowledged change has its event', 'activity'],
    ['Replacing the master key', 'operate/replacing-the-master-key'],
    ['nightly backup', 'operate/backup-and-restore#nightly-backups'],
  ] as const) {
    test(`a sentence of a guide: ${sentence}`, () => assert.equal(first(sentence), at));
  }

  test('each of several words, and calls by their path', () => {
    assert.equal(first('campaigns.create'), 'reference/campaigns.create');
    assert.ok(found('GET /12/accounts/:account_id/campaigns').includes('reference/campaigns.list'));
  });
});
