import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { describe, test } from 'node:test';
import { LATER, testFiles } from '../plan.ts';

const files = testFiles();

describe('the plan of the tests', () => {
  test('has a file for every pattern', () => {
    for (const pattern of LATER.flatMap(({ files: patterns }) => patterns)) {
      assert.ok(
        files.some(({ name }) => matchesGlob(name, pattern)),
        pattern,
      );
    }
  });

  test('leaves nothing that needs other programs to the short run', () => {
    assert.deepEqual(
      files.filter(({ isWider, tier }) => isWider && tier === 'short'),
      [],
    );
  });

  test('is the table of CONTRIBUTING.md', () => {
    const rows = LATER.map(({ files: patterns, tier, reason }) => {
      const names = patterns.map((pattern) => `\`${pattern}\``).join(', ');
      return `| ${names} | ${tier === 'core' ? '`.ci/run`' : '`npm run test:full`'} | ${reason} |\n`;
    });
    const text = readFileSync('CONTRIBUTING.md', 'utf8');
    assert.ok(text.includes(rows.join('')), `expected these rows:\n${rows.join('')}`);
  });
});
