import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { RULES } from '../conformance/conformance.ts';
import { readProtocol } from '../conformance/sentences.ts';
import { testFiles } from '../plan.ts';

const sections = readProtocol();
const sentences = sections.flatMap((section) => section.sentences);

/** What occurs more than once. */
function repeated(ids: readonly string[]): string[] {
  return ids.filter((id, index) => ids.indexOf(id) !== index);
}

describe('the protocol', () => {
  test('has numbers that are unique and belong to their section', () => {
    assert.ok(sentences.length > 400);
    assert.deepEqual(repeated(sections.map(({ id }) => id)), []);
    assert.deepEqual(repeated(sentences.map(({ id }) => id)), []);
    for (const section of sections) {
      for (const { id } of section.sentences) assert.ok(id.startsWith(`${section.id}.`), `${id} is in ${section.id}`);
    }
  });

  test('has a number for every sentence', () => {
    for (const chapter of new Set(sections.map(({ id }) => id.split(' ')[0]!))) {
      const items = readFileSync(`docs/protocol/${chapter}.md`, 'utf8').match(/^(- |\| \*\*)/gm) ?? [];
      const numbered = sentences.filter(({ id }) => id.startsWith(`${chapter} `));
      assert.equal(items.length, numbered.length, chapter);
    }
  });

  test('names tests that exist below each heading with sentences', () => {
    const names = new Set(testFiles().flatMap(({ name }) => [name, name.replace(/\.wider$/, '')]));
    for (const { id, tests, sentences: own } of sections) {
      if (own.length > 0) assert.ok(tests && tests.length > 0, `${id} has no tests`);
      for (const name of tests ?? []) assert.ok(names.has(name), `${id}: there is no test ${name}`);
    }
  });

  test('lists its chapters', () => {
    const index = readFileSync('docs/protocol/README.md', 'utf8');
    const listed = [...index.matchAll(/^\| \[\w+\]\((\w+)\.md\)/gm)].map(([, chapter]) => chapter!);
    assert.deepEqual(listed.sort(), [...new Set(sections.map(({ id }) => id.split(' ')[0]!))].sort());
  });
});

test('each check is of a sentence, which has no other', () => {
  const known = new Set(sentences.map(({ id }) => id));
  const ids = RULES.map(({ id }) => id);
  assert.deepEqual(
    ids.filter((id) => !known.has(id)),
    [],
  );
  assert.deepEqual(repeated(ids), []);
});
