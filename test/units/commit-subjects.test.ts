import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { faultOf, subjectsIn } from '../../build/commit-subjects.ts';

describe('the subject of a commit', () => {
  test('names its scope and what it does', () => {
    assert.equal(faultOf('delivery: release expired reservations'), undefined);
    assert.equal(faultOf(`docs: ${'x'.repeat(66)}`), undefined);
    assert.match(faultOf(`docs: ${'x'.repeat(67)}`)!, /^has 73 characters/);
    for (const wrong of [
      'release reservations',
      'Delivery: release',
      'delivery: Release',
      'delivery: release.',
      'delivery:',
    ])
      assert.match(faultOf(wrong)!, /^is not `scope: imperative`/, wrong);
  });
});

describe('the commits that are checked', () => {
  let folder: string;
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.test', ...args], { cwd: folder });
  const commit = (subject: string) => git('commit', '--quiet', '--allow-empty', '--message', subject);
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'barker-commits-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  test('are none where there is no repository', () => {
    assert.deepEqual(subjectsIn(folder), []);
  });

  test('are the last ones, or those that the upstream branch lacks', () => {
    git('init', '--quiet', '--initial-branch=main');
    assert.deepEqual(subjectsIn(folder), []);
    commit('one');
    commit('two');
    assert.deepEqual(subjectsIn(folder), ['two', 'one']);
    git('branch', '--quiet', 'published');
    git('branch', '--quiet', '--set-upstream-to=published');
    assert.deepEqual(subjectsIn(folder), []);
    commit('three');
    assert.deepEqual(subjectsIn(folder), ['three']);
  });
});
