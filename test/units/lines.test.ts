import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { readFileLines } from '../../src/base/lines.ts';
import { readPeopleFile } from '../../src/features/audiences/import/people-file.ts';
import { readPostsFile } from '../../src/features/keywords/import/posts-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'barker-lines-'));
after(() => rmSync(folder, { recursive: true }));

function fileOf(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function all<T>(input: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const each of input) found.push(each);
  return found;
}

const MAX = 1_048_576;
const HOSTILE = Buffer.concat([
  Buffer.from('{"user_id":"1"}\n'),
  Buffer.from(`${'x'.repeat(MAX + 1)}\n`),
  Buffer.from([0x22, 0xff, 0xfe, 0x22, 0x0a]),
  Buffer.from('"a\0b"\n{"user_id":"2"}'),
]);
const FAULTS = ['is longer than 1048576 bytes', 'is not valid UTF-8', 'holds a NUL character'];

describe('lines of a file', () => {
  test('are the same however it is read, also across characters', async () => {
    const text = ['žluť', '', '日本🐎', 'x'.repeat(5000), ''].join('\n');
    for (const bytes of [1, 3, 7, 65_536]) {
      const lines = (await all(readFileLines(fileOf('text', text), bytes))).flat();
      assert.deepEqual(
        lines.map((line) => ('text' in line ? line.text : line.error)),
        text.split('\n'),
      );
    }
  });

  test('may be as long as the limit, and no longer', async () => {
    const lines = (await all(readFileLines(fileOf('bound', `${'x'.repeat(MAX)}\n${'x'.repeat(MAX + 1)}`)))).flat();
    assert.equal('text' in lines[0]! && lines[0].text.length, MAX);
    assert.deepEqual(lines[1], { error: FAULTS[0] });
  });

  test('that never end do not fill the memory', async () => {
    const path = fileOf('endless', Buffer.alloc(200_000_000, 'x'));
    const before = process.memoryUsage().rss;
    let most = 0;
    for await (const _ of readFileLines(path)) most = Math.max(most, process.memoryUsage().rss - before);
    assert.ok(most < 100_000_000, `${most} bytes`);
  });
});

describe('imports', () => {
  test('of people reject invalid lines by number, and import the rest', async () => {
    const records = await all(readPeopleFile(fileOf('people.ndjson', HOSTILE)));
    assert.deepEqual(
      records.map((each) => ('error' in each ? each.error : each.record)),
      [{ user_id: ['1'] }, ...FAULTS, { user_id: ['2'] }],
    );
  });

  test('of posts reject invalid lines by number, and import the rest', async () => {
    const post = '{"id":"1","text":"a","created_at":"2026-01-01T00:00:00Z"}';
    const path = fileOf('posts.ndjson', Buffer.concat([HOSTILE.subarray(16), Buffer.from(`\n${post}`)]));
    const posts = (await all(readPostsFile(path, 2_000_000_000))).flat();
    assert.deepEqual(
      posts.slice(0, 3),
      FAULTS.map((error) => [error]),
    );
    assert.equal((posts.at(-1) as { id: string }).id, '1');
  });

  test('of CSV refuse what is no text, by line, and import the rest', async () => {
    const read = (...content: (string | number[])[]) =>
      all(readPeopleFile(fileOf('people.csv', Buffer.concat(content.map((each) => Buffer.from(each as string))))));
    assert.deepEqual(await read('user_id,city\nž,1\n2\0,"\n"\n', [0xff], ',\n3,'), [
      { line: 2, record: { user_id: ['ž'], city: ['1'] } },
      { line: 3, error: 'not readable as text' },
      { line: 5, error: 'not readable as text' },
      { line: 6, record: { user_id: ['3'], city: [] } },
    ]);
    await assert.rejects(read(`user_id\n"${'x'.repeat(3_000_000)}`), /the row in line 2 has no end/);
  });
});
