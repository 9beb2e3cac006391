import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openDriver } from '../../src/app/database.ts';
import type { CorpusPost } from '../../src/contract/store/corpus.ts';
import { unpackPage } from '../../src/features/keywords/post-page.ts';
import type { Settings } from '../../src/settings.ts';
import { storeOn } from '../../src/storage/core/store.ts';
import { openPlace, type Place } from '../rig/databases.ts';
import { barker, flagsOf, MASTER_KEY, type Outcome, toldBy } from './program.ts';

const env = { BARKER_MASTER_KEY: MASTER_KEY };
let place: Place;
const run = (...args: string[]): Promise<Outcome> => barker([...args, ...flagsOf(place)], { env });

before(async () => {
  place = await openPlace(undefined, { hasSchema: true });
});
after(() => place.remove());

async function importing(name: string, text: string, ...flags: string[]): Promise<Outcome> {
  const path = join(place.folder, name);
  writeFileSync(path, text);
  const outcome = await run('import', 'posts', path, ...flags);
  return { ...outcome, stderr: outcome.stderr.replaceAll(path, 'FILE') };
}

/** What is stored, and what is planned, beside the commands. */
async function corpus() {
  const settings = { data_folder: place.folder, database_url: place.databaseUrl, postgres_connections_max: 2 };
  const store = storeOn(await openDriver(settings as Settings));
  try {
    return await store.read(async (tx) => {
      const pages = await tx.corpus.listPages(0, 1e9);
      const posts = pages.flatMap(({ payload }) => {
        const { ids, texts, createdAt, users } = unpackPage(payload);
        return ids.map((id, at) => ({ id, text: texts[at]!, created_at: createdAt[at]!, user_id: users[at]! }));
      });
      return { posts, planned: await tx.jobs.find('keyword_indexing', '') };
    });
  } finally {
    await store.close();
  }
}

/** Posts that were made within the last days; imports go by the time of the machine. */
const now = Math.floor(Date.now() / 1000);
const timeOf = (ago_s: number): string => new Date((now - ago_s) * 1000).toISOString();
const line = (id: unknown, known: object = {}): string =>
  `${JSON.stringify({ id, text: `Post ${id}`, created_at: timeOf(3600), ...known })}\n`;

describe('barker import posts', () => {
  test('imports posts with all members and with the required ones', async () => {
    const full = { country: 'Germany', language: 'de-AT', user: 42, text: 'Zeile\nund "noch" eine \u{1f600}' };
    const told = toldBy(await importing('posts.ndjson', `${line('a1', full)}\n${line(7, { country: null })}`));
    assert.deepEqual(told, { added: '2', known: '0', expired: '0', refused: '0', skipped: '0' });
    const { posts, planned } = await corpus();
    assert.deepEqual(posts, [
      { id: 'a1', text: full.text, created_at: now - 3600, user_id: '42' },
      { id: '7', text: 'Post 7', created_at: now - 3600, user_id: '' },
    ] satisfies (Pick<CorpusPost, 'id' | 'text' | 'created_at'> & { user_id: string })[]);
    assert.ok(planned !== undefined, 'the server is told to index them');
  });

  test('imports each post once', async () => {
    const lines = line('once') + line('twice') + line('twice', { text: 'another text' });
    assert.equal(toldBy(await importing('one.ndjson', lines)).added, '2');
    const again = toldBy(await importing('other.jsonl', `${lines}${line('new')}`));
    assert.deepEqual([again.added, again.known], ['1', '3']);
    const { posts } = await corpus();
    assert.deepEqual(
      posts.filter(({ id }) => id === 'twice').map(({ text }) => text),
      ['Post twice'],
    );
  });

  test('skips posts older than the retention', async () => {
    const old = line('old', { created_at: timeOf(9 * 86_400) });
    const told = toldBy(await importing('old.ndjson', old, '--keyword-retention-days', '7'));
    assert.deepEqual([told.added, told.expired], ['0', '1']);
    assert.equal(toldBy(await importing('old.ndjson', old)).added, '1');
  });

  test('rejects invalid posts with their errors', async () => {
    const wrong: [input: string, message: string][] = [
      ['{', 'is not JSON'],
      ['[]', 'is not a JSON object'],
      ['{}', 'id: is required; text: is required; created_at: is required'],
      [line('a b').trim(), 'id: expected a string of up to 64 characters without white space, got "a b"'],
      [line('t', { text: 'a\0b' }).trim(), 'text: expected a string of up to 10000 characters, got "a\\u0000b"'],
      [line('t', { text: '' }).trim(), 'text: expected a string of up to 10000 characters, got ""'],
      [
        line('c', { created_at: 'yesterday' }).trim(),
        'created_at: expected a time such as 2026-03-02T17:04:55Z that is not in the future, got "yesterday"',
      ],
      [
        line('c', { created_at: '2999-01-01T00:00:00Z' }).trim(),
        'created_at: expected a time such as 2026-03-02T17:04:55Z that is not in the future, got "2999-01-01T00:00:00Z"',
      ],
      [line('c', { country: 'Atlantis' }).trim(), 'country: expected the code or name of a country, got "Atlantis"'],
      [line('c', { language: 7 }).trim(), 'language: expected a language code such as en, got 7'],
      [line('c', { user: 'ada' }).trim(), 'user: expected the decimal id of a user, got "ada"'],
      [
        line('c', { lang: 'en' }).trim(),
        'unknown member "lang"; expected one of id, text, created_at, country, language, user',
      ],
    ];
    const outcome = await importing('wrong.ndjson', `${wrong.map(([input]) => input).join('\n')}\n${line('right')}`);
    assert.equal(outcome.code, 1);
    assert.deepEqual(outcome.stderr.trim().split('\n'), [
      ...wrong.map(([, message], index) => `record ${index + 1}: ${message}`),
      `barker: FILE: ${wrong.length} records were rejected, all others imported`,
    ]);
    assert.match(outcome.stdout, /^added=1$/m);
  });

  test('rejects other file types and missing files', async () => {
    const csv = await importing('posts.csv', 'id,text\n');
    assert.deepEqual([csv.code, csv.stderr], [2, 'barker: FILE: expected a file that ends in .ndjson or .jsonl\n']);
    const absent = await run('import', 'posts', join(place.folder, 'absent.ndjson'));
    assert.equal(absent.code, 1);
    assert.match(absent.stderr, /absent.ndjson does not exist/);
  });
});

describe('barker demo posts', () => {
  test('generates the same posts for the same seed, over the last days', async () => {
    const before = (await corpus()).posts.length;
    const made = toldBy(await run('demo', 'posts', '--count', '2000', '--days', '3'));
    assert.deepEqual(made, { added: '2000', known: '0', expired: '0' });
    const posts = (await corpus()).posts.slice(before);
    assert.equal(posts.length, 2000);
    assert.ok(posts.every(({ created_at }) => created_at <= now && created_at > now - 3 * 86_400 - 7200));
    const again = toldBy(await run('demo', 'posts', '--count', '2000', '--days', '3'));
    // An hour may have passed in between.
    assert.ok(again.known === '2000' || again.added === '2000', JSON.stringify(again));
  });

  test('rejects --days 0', async () => {
    const { code, stderr } = await run('demo', 'posts', '--count', '10', '--days', '0');
    assert.deepEqual([code, stderr.includes('expected a whole number from 1')], [2, true], stderr);
  });
});
